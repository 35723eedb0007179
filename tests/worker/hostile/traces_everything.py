# load: (ok|.*ZeroDivisionError|.*broke down)

import sys
import threading


def trace(*_):
    1 / 0


def attack():
    return 'x'


CUSTOM_TOOLS = [attack]
threading.settrace(trace)
sys.settrace(trace)
