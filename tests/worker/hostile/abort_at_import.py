# load: crashed \(signal SIGABRT\)

import os

os.abort()  # here
