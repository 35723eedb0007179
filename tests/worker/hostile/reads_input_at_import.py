# load: EOFError

import os
import sys

assert sys.stdin.read() == ''
assert os.read(0, 10) == b''
input()  # here
