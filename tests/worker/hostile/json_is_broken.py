# load: broke down

import json

json.dumps = json.loads = lambda *_, **__: 1 / 0
json.JSONEncoder.encode = json.JSONDecoder.decode = lambda *_: 1 / 0


def attack():
    return 'x'


CUSTOM_TOOLS = [attack]
