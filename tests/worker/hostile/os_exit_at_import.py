# load: ends the program while being loaded \(exit code 4\)

import os

os._exit(4)
