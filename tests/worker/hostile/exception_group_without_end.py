# load: ok
# call: error

def attack():
    fault = ValueError('deep')
    for _ in range(5000):
        outer = ValueError('outer')
        outer.__cause__ = fault
        fault = outer
    raise fault


CUSTOM_TOOLS = [attack]
