# load: ok
# call: error.*time limit

def attack():
    while True:
        pass


CUSTOM_TOOLS = [attack]
