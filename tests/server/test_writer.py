from __future__ import annotations

import json
import os
import threading
from io import BytesIO

import pytest

from adal_ls.server.writer import MAX_DROPPABLE, Writer, encode
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


def test_what_json_cannot_hold_is_refused_before_it_is_queued() -> None:
    with pytest.raises(ValueError, match="JSON"):
        encode({"n": float("nan")})


def test_a_reader_that_does_not_read_never_blocks_and_loses_only_progress() -> None:
    source, sink = os.pipe()
    writer = Writer(os.fdopen(sink, "wb", buffering=0), "test")
    done = threading.Event()

    def send() -> None:
        for number in range(1000):
            writer.send({"progress": number, "text": "x" * 1000}, droppable=True)
            writer.send({"answer": number, "text": "x" * 1000})
        done.set()

    threading.Thread(target=send, daemon=True).start()
    assert done.wait(10), "sending blocked"
    with os.fdopen(source, "rb") as stream:
        threading.Thread(target=writer.close, args=(10,), daemon=True).start()
        bodies = [json.loads(body) for body in read_with_headers(stream)]
    assert [body["answer"] for body in bodies if "answer" in body] == list(range(1000))
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
