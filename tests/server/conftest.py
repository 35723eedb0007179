"""Workspaces with a tools file, and clients that end with the test."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.client import SERVER, Client

HERE = Path(__file__).parent

GOOD = '''def greet(name: str) -> str:
    """Greet somebody.

    Args:
        name: Who is greeted.
    """
    return f"Hello, {name}!"


CUSTOM_TOOLS = [greet]
'''

BAD_NAME = '''def f(x: str) -> str:
    """Do f.

    Args:
        x: A text.
    """
    return x


CUSTOM_TOOLS = [{"function": f, "name": "bad-name"}]
'''

ADAL = {"experimental": {"adal": {"approval": 1, "runUpdates": 1}}}
"""Capabilities of a client that knows the `adal/*` messages."""


class Workspace:
    """A folder with `.adal/tools.py`."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, text: str, folder: str = ".") -> str:
        """Writes the tools file of a project in the workspace. Returns its URI."""
        return self.write_bytes(text.encode("utf-8", "surrogatepass"), folder)

    def write_bytes(self, data: bytes, folder: str = ".") -> str:
        file = self.file(folder)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        return file.as_uri()

    def file(self, folder: str = ".") -> Path:
        return (self.root / folder / ".adal" / "tools.py").absolute()

    @property
    def uri(self) -> str:
        return self.file().as_uri()


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "my projekt ü"
    root.mkdir()
    return Workspace(root)


@pytest.fixture
def start() -> Iterator[Callable[..., Client]]:
    """Starts clients; `command` replaces the server."""
    started: list[Client] = []

    def make(command: Any = SERVER, **options: Any) -> Client:
        client = Client(command, **options)
        started.append(client)
        return client

    yield make
    for client in started:
        client.kill()


@pytest.fixture
def client(start: Callable[..., Client]) -> Client:
    return start()


class ScriptedHost:
    """The command line of a server whose host is `fake_host.py`, and what that host was told."""

    def __init__(self, folder: Path) -> None:
        self.record = folder / "host.jsonl"

    def command(self, behaviour: str) -> list[str]:
        host = [sys.executable, str(HERE / "fake_host.py"), behaviour, str(self.record)]
        return [sys.executable, str(HERE / "serve_with_host.py"), *host]

    def told(self) -> list[dict[str, Any]]:
        import json

        if not self.record.exists():
            return []
        return [json.loads(line) for line in self.record.read_text().splitlines()]

    def methods(self) -> list[str]:
        return [message["method"] for message in self.told() if "method" in message]


@pytest.fixture
def scripted_host(tmp_path: Path) -> ScriptedHost:
    return ScriptedHost(tmp_path)
