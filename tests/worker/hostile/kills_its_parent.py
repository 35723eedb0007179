# load: ok
# call: (success|error)

def attack():
    import os
    import signal

    with open(f'/proc/{os.getppid()}/cmdline', 'rb') as words:
        ours = b'bootstrap' in words.read()
    if ours:
        os.kill(os.getppid(), signal.SIGKILL)
    return 'x'


CUSTOM_TOOLS = [attack]
