# load: ok
# call: success left

def attack():
    import os
    import subprocess

    subprocess.Popen(['sleep', '63.5'], start_new_session=True)
    subprocess.run(['env', '-i', 'setsid', 'sh', '-c', 'sleep 63.5 & exit 0'])
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execve('/bin/sleep', ['sleep', '63.5'], {})
        os._exit(0)
    return 'left'


CUSTOM_TOOLS = [attack]
