# load: ok
# call: error.*time limit

import signal
import time

for number in signal.valid_signals():
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass


def attack():
    while True:
        time.sleep(1)


CUSTOM_TOOLS = [attack]
