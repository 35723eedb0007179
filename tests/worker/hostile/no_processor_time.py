# load: ok
# limit: 5
# call: error.*(SIGXCPU|SIGKILL)

import resource

resource.setrlimit(resource.RLIMIT_CPU, (1, 1))


def attack():
    while True:
        pass


CUSTOM_TOOLS = [attack]
