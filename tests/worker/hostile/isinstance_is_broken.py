# load: broke down|ZeroDivisionError

import builtins

builtins.isinstance = lambda *_: 1 / 0


def attack():
    return 'x'


CUSTOM_TOOLS = [attack]
