# load: ok
# call: error.*SIGSEGV

def attack():
    import ctypes

    ctypes.string_at(0)


CUSTOM_TOOLS = [attack]
