# load: ok

def attack():
    return 'x'


CUSTOM_TOOLS = [attack] * 10_000_000
