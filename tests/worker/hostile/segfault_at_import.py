# load: crashed \(signal SIGSEGV\)

import ctypes

ctypes.string_at(0)  # here
