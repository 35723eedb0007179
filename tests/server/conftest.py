"""Workspaces with a tools file, and clients whose sessions end, strictly, with the test."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.client import MARK, Client
from tests.server.memory import MemoryClient
from tests.server.stdio import StdioClient

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


_passed = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "call":
        item.stash[_passed] = report.passed
    return report


def ending(request: pytest.FixtureRequest, make: Callable[..., Any]) -> Iterator[Callable[..., Any]]:
    """Starts clients by `make`, and ends each at the end of the test: strictly, unless the test has failed anyway."""
    started: list[Client] = []

    def start(*arguments: Any, **options: Any) -> Client:
        client: Client = make(*arguments, **options)
        started.append(client)
        return client

    yield start
    try:
        if request.node.stash.get(_passed, False):
            for client in started:
                client.shut_down()
    finally:
        for client in started:
            client.kill()


@pytest.fixture
def start(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., MemoryClient]]:
    """Starts sessions in memory; see `MemoryClient` for the arguments."""
    monkeypatch.setenv(MARK, "")
    yield from ending(request, MemoryClient)


@pytest.fixture
def client(start: Callable[..., MemoryClient]) -> MemoryClient:
    """A session in memory."""
    return start()


@pytest.fixture
def start_process(request: pytest.FixtureRequest) -> Iterator[Callable[..., StdioClient]]:
    """Starts servers as processes; see `StdioClient` for the arguments."""
    yield from ending(request, StdioClient)


class ScriptedHost:
    """Command lines of a host that is `fake_host.py`, and of a server that has it; and what that host was told."""

    def __init__(self, folder: Path) -> None:
        self.record = folder / "host.jsonl"

    def command(self, behaviour: str) -> list[str]:
        return [sys.executable, str(HERE / "fake_host.py"), behaviour, str(self.record)]

    def server(self, behaviour: str) -> list[str]:
        return [sys.executable, str(HERE / "serve_with_host.py"), *self.command(behaviour)]

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
