# load: ok
# call: success left

import os
import subprocess

subprocess.Popen(['sleep', '63.5'], start_new_session=True)
subprocess.run(['env', '-i', 'setsid', 'sh', '-c', 'sleep 63.5 & exit 0'])


def attack():
    return 'left'


CUSTOM_TOOLS = [attack]
