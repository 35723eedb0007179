# load: ok
# call: error.*Odd

def attack():
    class Odd(Exception):
        def __str__(self):
            raise SystemExit('str')

        __repr__ = __str__


    raise Odd


CUSTOM_TOOLS = [attack]
