# load: ok
# call: (success x|error)

import sys

sys.modules.clear()


def attack():
    return 'x'


CUSTOM_TOOLS = [attack]
