# load: ok
# call: error.*SIGKILL

def attack():
    import os
    import signal

    os.killpg(0, signal.SIGKILL)


CUSTOM_TOOLS = [attack]
