# load: ok
# call: (success x|error)

import sys

sys.path.clear()
sys.meta_path.clear()
sys.path_hooks.clear()


def attack():
    return 'x'


CUSTOM_TOOLS = [attack]
