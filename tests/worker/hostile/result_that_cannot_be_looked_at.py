# load: ok
# call: (success|error)

def attack():
    class Odd:
        def __getattribute__(self, name):
            raise SystemExit(name)

        def __repr__(self):
            raise SystemExit('repr')

        def __len__(self):
            raise SystemExit('len')

        def __bool__(self):
            raise SystemExit('bool')


    return [Odd(), {'odd': Odd()}]


CUSTOM_TOOLS = [attack]
