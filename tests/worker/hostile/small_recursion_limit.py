# load: (ok|.*RecursionError|.*broke down)

import sys

sys.setrecursionlimit(40)


def attack():
    return 'x'


CUSTOM_TOOLS = [attack]
