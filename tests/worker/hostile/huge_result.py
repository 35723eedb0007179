# load: ok
# limit: 8
# call: success x+

def attack():
    return 'x' * 200_000_000


CUSTOM_TOOLS = [attack]
