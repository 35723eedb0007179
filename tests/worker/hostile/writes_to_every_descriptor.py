# load: ok
# call: error

def attack():
    import os
    import time

    for descriptor in range(3, 256):
        try:
            os.write(descriptor, b'\0\0\0\5hello')
        except OSError:
            pass
    time.sleep(1)
    return 'x'


CUSTOM_TOOLS = [attack]
