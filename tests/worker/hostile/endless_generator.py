# load: ok
# call: error.*time limit

def attack():
    while True:
        yield 'again'


CUSTOM_TOOLS = [attack]
