from __future__ import annotations

import json
import os
import socket
import sys
import threading
from collections.abc import Iterator
from io import BytesIO
from typing import Any, BinaryIO

import pytest

from adal_ls.server.transport.writer import FULL_BYTES, MAX_DROPPABLE, STUCK_BYTES, Kept, Writer, encode
from adal_ls.wire.framing import read_with_headers


class KeptOpen(BytesIO):
    """A stream whose content outlives its closing."""

    def close(self) -> None:
        self.seek(0)


def test_messages_arrive_whole_and_in_order() -> None:
    stream = KeptOpen()
    writer = Writer(stream, "test")
    for number in range(100):
        writer.send({"n": number, "text": "é" * number})
    writer.close(timeout=5)
    bodies = [json.loads(body) for body in read_with_headers(stream)]
    assert [body["n"] for body in bodies] == list(range(100))


def test_a_lone_surrogate_can_be_sent() -> None:
    assert json.loads(encode({"text": "\ud83d"})) == {"text": "\ud83d"}


def test_diagnostics_that_are_kept_are_written_as_others_are() -> None:
    items: list[dict[str, Any]] = [
        {"code": "ADAL101", "message": 'é "diagnostics":[] \ud83d'},
        {"code": "ADAL102", "tags": []},
    ]
    for message in (
        {"method": "textDocument/publishDiagnostics", "params": {"uri": 'x"diagnostics":[]', "diagnostics": items}},
        {"id": 1, "result": {"kind": "full", "resultId": "a", "items": items}},
    ):
        plain = encode(message)
        outer, key = ("params", "diagnostics") if "method" in message else ("result", "items")
        kept = [Kept(item) for item in items]
        for _ in range(2):
            assert encode({**message, outer: {**message[outer], key: kept}}) == plain  # type: ignore[dict-item]
        mixed = [kept[0], items[1]]
        assert encode({**message, outer: {**message[outer], key: mixed}}) == plain  # type: ignore[dict-item]


def test_what_json_cannot_hold_is_refused_before_it_is_queued() -> None:
    with pytest.raises(ValueError, match="JSON"):
        encode({"n": float("nan")})


def test_a_reader_that_does_not_read_never_blocks_and_loses_only_progress() -> None:
    source, sink = os.pipe()
    writer = Writer(os.fdopen(sink, "wb", buffering=0), "test")
    done = threading.Event()

    def send() -> None:
        for number in range(1000):
            progress = {"method": "$/progress", "progress": number, "text": "x" * 1000}
            writer.send(progress, droppable=True)
            writer.send({"id": number, "result": number, "text": "x" * 1000})
        done.set()

    threading.Thread(target=send, daemon=True).start()
    assert done.wait(10), "sending blocked"
    with os.fdopen(source, "rb") as stream:
        threading.Thread(target=writer.close, args=(10,), daemon=True).start()
        bodies = [json.loads(body) for body in read_with_headers(stream)]
    assert [body["result"] for body in bodies if "result" in body] == list(range(1000))
    progress = [body["progress"] for body in bodies if "progress" in body]
    assert progress[-MAX_DROPPABLE:] == list(range(1000 - MAX_DROPPABLE, 1000))
    assert len(progress) < 1000


def test_a_reader_that_is_gone_stops_the_writer_quietly() -> None:
    source, sink = os.pipe()
    os.close(source)
    writer = Writer(os.fdopen(sink, "wb", buffering=0), "test")
    writer.send({"n": 1})
    writer.close(timeout=5)
    writer.send({"n": 2})


@pytest.mark.skipif(sys.platform == "win32", reason="the thread writes everything there")
@pytest.mark.parametrize("kind", ["pipe", "socket"])
def test_a_small_message_is_written_before_send_returns(kind: str) -> None:
    if kind == "pipe":
        source, sink = os.pipe()
    else:
        source, sink = (end.detach() for end in socket.socketpair())
    writer = Writer(os.fdopen(sink, "wb", buffering=0), "test")
    os.set_blocking(source, False)
    for number in range(3):
        writer.send({"n": number, "text": "x" * 5000})
        assert os.read(source, 10_000).endswith(b'x"}')
    writer.close(timeout=5)
    os.close(source)


def test_a_message_that_has_room_in_part_is_whole_and_in_order() -> None:
    source, sink = os.pipe()
    writer = Writer(os.fdopen(sink, "wb", buffering=0), "test")
    with os.fdopen(source, "rb") as stream:
        for number in range(20):
            writer.send({"id": number, "result": str(number % 10) * 30_000})
        threading.Thread(target=writer.close, args=(10,), daemon=True).start()
        bodies = [json.loads(body) for body in read_with_headers(stream)]
    assert [body["id"] for body in bodies] == list(range(20))
    assert all(body["result"] == str(body["id"] % 10) * 30_000 for body in bodies)


@pytest.fixture
def unread() -> Iterator[tuple[Writer, BinaryIO]]:
    """A writer, and the end of its pipe that nobody reads yet."""
    source, sink = os.pipe()
    stream = os.fdopen(source, "rb")
    yield Writer(os.fdopen(sink, "wb", buffering=0), "test"), stream
    stream.close()


def read_all(writer: Writer, stream: BinaryIO) -> list[dict[str, Any]]:
    threading.Thread(target=writer.close, args=(20,), daemon=True).start()
    return [json.loads(body) for body in read_with_headers(stream)]


def test_unread_answers_cost_bounded_memory_and_every_request_still_gets_one(
    unread: tuple[Writer, BinaryIO],
) -> None:
    writer, stream = unread
    number = FULL_BYTES // 1_000_000 + 100
    for key in range(number):
        writer.send({"jsonrpc": "2.0", "id": key, "result": "x" * 1_000_000})
    assert writer._bytes < FULL_BYTES + 2_000_000
    bodies = read_all(writer, stream)
    assert [body["id"] for body in bodies] == list(range(number))
    assert "result" in bodies[0]
    assert bodies[-1]["error"]["code"] == -32803


def test_unread_diagnostics_give_way_to_newer_ones_of_their_file(unread: tuple[Writer, BinaryIO]) -> None:
    writer, stream = unread
    for version in range(200):
        for uri in ("a", "b"):
            params = {"uri": uri, "version": version, "diagnostics": ["x" * 50_000]}
            writer.send({"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params})
    assert writer._bytes < 5_000_000
    seen = [(body["params"]["uri"], body["params"]["version"]) for body in read_all(writer, stream)]
    for uri in ("a", "b"):
        versions = [version for name, version in seen if name == uri]
        assert versions == sorted(versions)
        assert versions[-1] == 199


def test_unread_events_of_runs_are_left_to_be_fetched(unread: tuple[Writer, BinaryIO]) -> None:
    writer, _ = unread
    for seq in range(100):
        params = {"runId": "r", "seq": seq, "event": {"type": "text", "delta": "x" * 1_000_000}}
        writer.send({"jsonrpc": "2.0", "method": "adal/run/update", "params": params})
    assert writer._bytes < FULL_BYTES + 2_000_000


def test_who_does_not_read_is_not_read_until_there_is_room_again(unread: tuple[Writer, BinaryIO]) -> None:
    writer, stream = unread
    for _ in range(STUCK_BYTES // 1_000_000 + 2):
        writer.send({"jsonrpc": "2.0", "method": "window/logMessage", "params": {"message": "x" * 1_000_000}})
    passed = threading.Event()

    def wait() -> None:
        writer.wait_for_room()
        passed.set()

    threading.Thread(target=wait, daemon=True).start()
    assert not passed.wait(0.1)
    read_all(writer, stream)
    assert passed.wait(5)


def test_nobody_waits_for_room_with_a_reader_that_is_gone(unread: tuple[Writer, BinaryIO]) -> None:
    writer, stream = unread
    for _ in range(STUCK_BYTES // 1_000_000 + 2):
        writer.send({"jsonrpc": "2.0", "method": "window/logMessage", "params": {"message": "x" * 1_000_000}})
    stream.close()
    writer.wait_for_room()
