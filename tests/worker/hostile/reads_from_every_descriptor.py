# load: ok
# call: (error|success)

def attack():
    import os
    import threading

    for descriptor in range(3, 64):
        threading.Thread(target=lambda n: [os.read(n, 100) for _ in range(9)], args=[descriptor], daemon=True).start()
    return 'x'


CUSTOM_TOOLS = [attack]
