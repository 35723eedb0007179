# load: ok
# call: success x

class Odd:
    def __getattribute__(self, name):
        raise SystemExit(name)

    def __eq__(self, other):
        raise SystemExit('eq')

    def __call__(self):
        return 'called'


class Key(str):
    def __eq__(self, other):
        raise SystemExit('eq')

    def __hash__(self):
        raise SystemExit('hash')


def attack():
    return 'x'


CUSTOM_TOOLS = [Odd(), {'function': Odd(), 'name': 'odd'}, {'function': attack, 'name': Key('attack')}, attack]
