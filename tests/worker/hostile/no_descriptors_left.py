# load: ok
# call: (success x|error)

import resource

resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))


def attack():
    return 'x'


CUSTOM_TOOLS = [attack]
