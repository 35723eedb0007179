"""A scripted model server on loopback: the OpenAI-compatible wire, for tests behind a real HTTP client.

What providers do that no document says is in `quirks.QUIRKS`, by name; README.md lists them.
"""

from tests.model_server.quirks import QUIRKS
from tests.model_server.server import ModelServer
from tests.model_server.turns import Call, Turn

__all__ = ["QUIRKS", "Call", "ModelServer", "Turn"]
