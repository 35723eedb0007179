# load: ok
# call: error.*SIGALRM

import signal
import time


def attack():
    time.sleep(30)


CUSTOM_TOOLS = [attack]
signal.signal(signal.SIGALRM, signal.SIG_DFL)
signal.setitimer(signal.ITIMER_REAL, 0.5)
