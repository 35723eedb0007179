# load: ok
# call: (success|error)

class Meta(type):
    def __getattribute__(cls, name):
        raise RuntimeError(name)

    def __instancecheck__(cls, other):
        raise RuntimeError('instance')

    def __eq__(cls, other):
        raise RuntimeError('eq')

    def __hash__(cls):
        raise RuntimeError('hash')


class Odd(metaclass=Meta):
    pass


def attack():
    return Odd


CUSTOM_TOOLS = [attack, Odd, {'function': Odd}]
