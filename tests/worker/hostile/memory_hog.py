# load: ok
# limit: 8
# call: error.*MemoryError

def attack():
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    kept = []
    while True:
        kept.append(bytearray(50_000_000))


CUSTOM_TOOLS = [attack]
