# load: ok
# call: error.*RuntimeError: no observation

from adalflow.core.types import ToolOutput


class Odd(ToolOutput):
    @property
    def observation(self):
        raise RuntimeError('no observation')

    @observation.setter
    def observation(self, value):
        pass


def attack():
    return Odd(output=1)


CUSTOM_TOOLS = [attack]
