"""`python -m adal_ls.agent`: the agent host on standard input and output."""

from __future__ import annotations

import asyncio
import os
import queue
import sys
import threading
from collections.abc import Callable
from typing import BinaryIO

from adal_ls.agent.host import Host
from adal_ls.agent.store.redacted_logs import redact_logs
from adal_ls.wire.framing import BrokenFrameError, read_with_headers, with_headers

_CLOSE_LIMIT = 0.8  # seconds for runs and workers to end after the server went away


def main() -> None:
    redact_logs()
    asyncio.run(_serve(sys.stdin.buffer, _guard_stdout()))


def _guard_stdout() -> BinaryIO:
    """The message stream on a descriptor of its own; whatever prints lands on stderr instead of between messages."""
    output = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return output


async def _serve(source: BinaryIO, output: BinaryIO) -> None:
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()

    def end() -> None:
        loop.call_soon_threadsafe(ended.set)

    outgoing: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    host = Host(outgoing.put)
    for name, job in (
        ("read from server", lambda: _read(source, loop, host)),
        ("write to server", lambda: _write(output, outgoing)),
    ):
        threading.Thread(target=_then, args=(job, end), name=name, daemon=True).start()
    await ended.wait()
    try:
        await asyncio.wait_for(host.close(), _CLOSE_LIMIT)
    except asyncio.TimeoutError:
        sys.stderr.write("agent host: not everything ended in time\n")
    sys.stderr.flush()
    # Not by returning: the loop would wait for its threads, and an import of litellm in one of them takes seconds.
    os._exit(0)


def _then(job: Callable[[], None], end: Callable[[], None]) -> None:
    try:
        job()
    finally:
        end()


def _read(source: BinaryIO, loop: asyncio.AbstractEventLoop, host: Host) -> None:
    try:
        for body in read_with_headers(source):
            loop.call_soon_threadsafe(host.peer.receive, body)
    except BrokenFrameError as fault:
        sys.stderr.write(f"agent host: {fault}\n")


def _write(output: BinaryIO, outgoing: queue.SimpleQueue[bytes]) -> None:
    """Writes on a thread, so that a server that is slow to read delays no run."""
    try:
        while True:
            rest = memoryview(with_headers(outgoing.get()))
            while rest:
                rest = rest[output.write(rest) :]
    except OSError:
        return  # the server is gone


if __name__ == "__main__":
    main()
