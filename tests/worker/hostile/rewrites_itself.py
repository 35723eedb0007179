# load: ok
# call: success x

from pathlib import Path

Path(__file__).write_text('raise SystemExit(9)')


def attack():
    return 'x'


CUSTOM_TOOLS = [attack]
