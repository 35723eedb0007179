# load: ends the program while being loaded

import atexit
import time

atexit.register(time.sleep, 60)
raise SystemExit  # here
