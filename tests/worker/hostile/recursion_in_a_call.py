# load: ok
# call: error.*RecursionError

def attack():
    return attack()


CUSTOM_TOOLS = [attack]
