# load: take \d+ bytes, more than
# limit: 8

def attack():
    return 'x'


CUSTOM_TOOLS = [{'function': attack, 'name': f'attack{n}', 'description': 'x' * 1_000_000} for n in range(80)]
