# load: still loading after

import threading

lock = threading.Lock()
lock.acquire()
lock.acquire()  # here
