# load: ok
# limit: 8
# call: error.*ValueError: x+

def attack():
    raise ValueError('x' * 50_000_000)


CUSTOM_TOOLS = [attack]
