# load: ok
# call: (success x|error)

import sys

for name in list(sys.modules):
    sys.modules[name] = None


def attack():
    return 'x'


CUSTOM_TOOLS = [attack]
