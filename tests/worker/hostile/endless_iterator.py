# load: ok
# call: success.*count

def attack():
    import itertools

    return itertools.count()


CUSTOM_TOOLS = [attack]
