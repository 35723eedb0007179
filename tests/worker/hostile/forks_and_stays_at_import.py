# load: ok
# call: success parent

import os
import time

if os.fork() == 0:
    time.sleep(60)


def attack():
    return 'parent'


CUSTOM_TOOLS = [attack]
