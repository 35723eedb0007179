# load: ok
# call: (error|cancelled|success)

def attack():
    import asyncio
    import gc

    for task in [found for found in gc.get_objects() if isinstance(found, asyncio.Task)]:
        task.get_loop().call_soon_threadsafe(task.cancel)
    import time

    time.sleep(0.5)
    return 'x'


CUSTOM_TOOLS = [attack]
