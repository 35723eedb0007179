# load: ok
# call: success x

import os

os.chdir('/')
os.umask(0o777)


def attack():
    os.chdir('/usr')
    os.environ.clear()
    return 'x'


CUSTOM_TOOLS = [attack]
