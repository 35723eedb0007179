# load: still loading after

import threading
import time


def spin():
    while True:
        time.sleep(0.01)


threading.Thread(target=spin, daemon=True).start()
time.sleep(60)  # here
