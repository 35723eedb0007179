# load: ok
# call: error.*time limit

def attack():
    import os
    import signal

    os.kill(os.getpid(), signal.SIGSTOP)


CUSTOM_TOOLS = [attack]
