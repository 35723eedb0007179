# load: ok
# limit: 8
# call: error.*(SIGXCPU|SIGKILL|time limit)

import resource

resource.setrlimit(resource.RLIMIT_CPU, (1, 1))


def attack():
    while True:
        pass


CUSTOM_TOOLS = [attack]
