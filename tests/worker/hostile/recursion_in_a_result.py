# load: ok
# call: success.*inside itself or too deep

def attack():
    value = []
    for _ in range(100_000):
        value = [value]
    return value


CUSTOM_TOOLS = [attack]
