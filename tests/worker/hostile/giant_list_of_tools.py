# load: ok
# limit: 8

def attack():
    return 'x'


CUSTOM_TOOLS = [attack] * 10_000_000
