# load: ok
# call: success done

import threading
import time

threading.Thread(target=time.sleep, args=[60]).start()


def attack():
    return 'done'


CUSTOM_TOOLS = [attack]
