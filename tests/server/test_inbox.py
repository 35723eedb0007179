"""What waits for the main thread is bounded; what the bound does not hold back is as well known."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import psutil
import pytest

from adal_ls.server import typed
from adal_ls.server.transport.inbox import COST, Inbox
from tests.server.client import Client
from tests.server.conftest import GOOD

URI = "file:///p/.adal/tools.py"
HOVER = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 5}}


class Reader:
    """A thread that puts messages into an inbox, as the one that reads from the editor does."""

    def __init__(self, inbox: Inbox, bodies: list[bytes]) -> None:
        self.put: list[bytes] = []
        self._inbox = inbox
        self._bodies = bodies
        self.moved = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        for body in self._bodies:
            self._inbox.put_message(body)
            self.put.append(body)
            self.moved.set()

    def stands_at(self, count: int) -> bool:
        """Whether it has got exactly this far, and gets no further for a while."""
        while len(self.put) < count and self.moved.wait(5):
            self.moved.clear()
        self.thread.join(0.05)
        return len(self.put) == count


@pytest.fixture
def inbox() -> Iterator[Inbox]:
    inbox = Inbox(full=3 * (COST + 10))
    yield inbox
    inbox.close()


def test_who_reads_waits_while_too_much_is_unhandled(inbox: Inbox) -> None:
    reader = Reader(inbox, [b"x" * 10] * 8)
    assert reader.stands_at(3)
    inbox.get()  # it counts until it is handled
    assert reader.stands_at(3)
    inbox.get()
    assert reader.stands_at(4)


def test_who_waits_for_a_time_gets_a_call_that_does_nothing(inbox: Inbox) -> None:
    nothing = inbox.get(timeout=0.01)
    assert callable(nothing)
    nothing()
    assert inbox.empty()


def test_a_message_larger_than_all_the_room_still_comes_through(inbox: Inbox) -> None:
    reader = Reader(inbox, [b"x" * 100_000, b"y"])
    assert reader.stands_at(0)
    assert inbox.get() == b"x" * 100_000
    inbox.post(lambda: None)
    inbox.get()
    assert reader.stands_at(2)


def test_a_message_that_is_held_counts_until_it_is_released(inbox: Inbox) -> None:
    reader = Reader(inbox, [b"x" * 10] * 8)
    assert reader.stands_at(3)
    inbox.get()
    release = inbox.hold()
    inbox.get()
    assert reader.stands_at(3)
    release()
    assert reader.stands_at(4)


def test_calls_of_other_threads_are_never_held_back(inbox: Inbox) -> None:
    assert Reader(inbox, [b"x" * 10] * 8).stands_at(3)
    done: list[str] = []
    inbox.post(lambda: done.append("call"))
    for _ in range(4):  # three for which there was room, and the one that waits for it
        assert isinstance(inbox.get(), bytes)
    call = inbox.get()
    assert callable(call)
    call()
    assert done == ["call"]


def test_nobody_waits_for_an_inbox_that_is_closed(inbox: Inbox) -> None:
    reader = Reader(inbox, [b"x" * 10] * 8)
    assert reader.stands_at(3)
    inbox.close()
    reader.thread.join(5)
    assert len(reader.put) == 8


def test_typed_requests_that_wait_for_the_second_stage_count_and_are_all_answered(
    start: Callable[..., Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Inbox.__init__, "__defaults__", (20 * COST,))
    loaded, begin = threading.Event(), typed.TypedServer.start
    monkeypatch.setattr(typed.TypedServer, "start", lambda *given: loaded.wait(15) and begin(*given))
    client = start(tolerated=["textDocument/publishDiagnostics"])
    client.initialize()
    client.open(URI, GOOD)
    keys = [client.ask("textDocument/hover", HOVER) for _ in range(200)]
    last = client.ask("adal/tools/list", {})
    client.notify("$/setTrace", {"value": "off"})
    with pytest.raises(AssertionError, match="passed"):
        client.answer(last, timeout=0.2)  # it is not even read
    loaded.set()
    for key in keys:
        assert client.answer(key) is not None
    assert client.answer(last)["projects"]


def test_a_flood_costs_bounded_memory_and_every_request_is_answered(start_process: Callable[..., Any]) -> None:
    """80 MB of messages while the server is busy with one, which it must not take in at once."""
    busy = f"""
import time
from adal_ls.server import serve
from adal_ls.server.diagnostics import diagnostics
from adal_ls.server.transport import inbox
inbox.Inbox.__init__.__defaults__ = ({4 * 1024 * 1024},)
analyse = diagnostics.analyse

def slow(*arguments, **named):
    time.sleep(0.5)
    return analyse(*arguments, **named)

diagnostics.analyse = slow
serve()
"""
    client = start_process((sys.executable, "-c", busy), stderr=subprocess.DEVNULL)
    client.initialize()
    process = psutil.Process(client.process.pid)
    client.open(URI, GOOD)
    filler = b'{"jsonrpc":"2.0","method":"$/filler","params":"' + b"x" * 20_000 + b'"}'
    framed = (b"Content-Length: %d\r\n\r\n" % len(filler) + filler) * 100
    for _ in range(40):
        client.send_bytes(framed)
    keys = [client.ask("adal/tools/list", {}) for _ in range(50)]
    assert all(client.answer(key)["projects"] for key in keys)
    client.diagnostics(URI)
    assert process.memory_info().rss < 60 * 1024 * 1024
