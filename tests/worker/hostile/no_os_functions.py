# load: ok
# call: success x

import os

for name in ('write', 'read', 'close', '_exit', 'kill', 'killpg', 'getpgrp', 'listdir'):
    delattr(os, name)


def attack():
    return 'x'


CUSTOM_TOOLS = [attack]
