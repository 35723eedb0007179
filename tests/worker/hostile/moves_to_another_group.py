# load: ok
# call: error.*time limit

def attack():
    import os
    import time

    if os.fork() == 0:
        os.setpgid(0, 0)
        os.execv('/bin/sleep', ['sleep', '63.5'])
    time.sleep(60)


CUSTOM_TOOLS = [attack]
