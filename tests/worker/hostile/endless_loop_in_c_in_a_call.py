# load: ok
# call: error.*time limit

def attack():
    import re

    re.match('(a|aa)+$', 'a' * 60 + 'b')


CUSTOM_TOOLS = [attack]
