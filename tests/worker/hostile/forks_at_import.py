# load: ok
# call: success parent

import os

CHILD = os.fork() == 0


def attack():
    return 'child' if CHILD else 'parent'


CUSTOM_TOOLS = [attack]
