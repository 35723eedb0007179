# load: (ok|.*Error|.*broke down)

import inspect

inspect.signature = inspect.isgenerator = inspect.isclass = lambda *_, **__: 1 / 0


def attack():
    return 'x'


CUSTOM_TOOLS = [attack]
