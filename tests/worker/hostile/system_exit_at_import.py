# load: ends the program while being loaded \(exit code 3\)

import sys

sys.exit(3)  # here
