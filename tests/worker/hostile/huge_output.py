# load: ok
# limit: 8
# call: success done

def attack():
    for _ in range(30):
        print('x' * 1_000_000)
    return 'done'


CUSTOM_TOOLS = [attack]
