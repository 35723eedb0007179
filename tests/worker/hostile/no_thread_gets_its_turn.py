# load: ok
# call: error.*time limit

def attack():
    import sys

    sys.setswitchinterval(1000)
    while True:
        pass


CUSTOM_TOOLS = [attack]
