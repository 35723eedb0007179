# load: ok
# call: error.*time limit

import threading

threading.Thread.start = lambda self: None


def attack():
    return 'x'


CUSTOM_TOOLS = [attack]
