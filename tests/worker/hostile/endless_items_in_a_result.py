# load: ok
# limit: 8
# call: success.*more than

def attack():
    class Endless(list):
        def __iter__(self):
            while True:
                yield None


    return Endless()


CUSTOM_TOOLS = [attack]
