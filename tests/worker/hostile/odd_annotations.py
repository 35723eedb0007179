# load: ok

class Odd:
    def __repr__(self):
        raise SystemExit('repr')

    def __get_pydantic_core_schema__(self, *_):
        raise SystemExit('schema')

    def __class_getitem__(cls, _):
        raise SystemExit('item')


def attack(a: Odd() = Odd(), b: 'exit(5)' = 1, c: Odd = None):
    return 'x'


CUSTOM_TOOLS = [attack]
