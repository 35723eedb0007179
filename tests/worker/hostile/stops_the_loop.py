# load: ok
# call: error

def attack():
    import asyncio
    import gc

    for loop in [found for found in gc.get_objects() if isinstance(found, asyncio.AbstractEventLoop)]:
        loop.call_soon_threadsafe(loop.stop)
    import time

    time.sleep(0.5)
    return 'x'


CUSTOM_TOOLS = [attack]
