# load: ok
# call: success done

import threading


def flood():
    while True:
        print('x' * 4000)


threading.Thread(target=flood, daemon=True).start()


def attack():
    return 'done'


CUSTOM_TOOLS = [attack]
