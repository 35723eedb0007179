# load: RuntimeError: enough

import os
import time

for depth in range(6):
    os.fork()
if depth == 5:
    time.sleep(0.2)
    raise RuntimeError('enough')  # here
