"""A scripted model server on loopback: the OpenAI-compatible wire, for tests behind a real HTTP client."""

from tests.model_server.server import Call, ModelServer, Turn

__all__ = ["Call", "ModelServer", "Turn"]
