# load: ok

class Liar:
    __class__ = list

    def __iter__(self):
        while True:
            yield None


CUSTOM_TOOLS = Liar()
