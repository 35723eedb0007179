# load: ok
# call: error

def attack():
    import os

    os.closerange(0, 1024)
    return 'x'


CUSTOM_TOOLS = [attack]
