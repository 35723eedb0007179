# load: ok
# call: success x

class Endless(list):
    def __iter__(self):
        while True:
            yield attack

    def __len__(self):
        return 10**18


def attack():
    return 'x'


CUSTOM_TOOLS = Endless([attack])
