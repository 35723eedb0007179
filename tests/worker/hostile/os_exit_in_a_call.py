# load: ok
# call: error.*exit code 4

def attack():
    import os

    os._exit(4)


CUSTOM_TOOLS = [attack]
