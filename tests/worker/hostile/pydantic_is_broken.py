# load: ok
# call: success 1

import pydantic

pydantic.TypeAdapter = pydantic.ValidationError = None
pydantic.TypeAdapter = lambda *_: 1 / 0


def attack(n: int = 1):
    return n


CUSTOM_TOOLS = [attack]
