# load: broke down|Error

import builtins

for name in list(vars(builtins)):
    if not name.startswith('__'):
        delattr(builtins, name)
