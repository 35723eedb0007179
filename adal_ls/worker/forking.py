"""The host's side of a warm parent: asks it for workers and hears how they end. Linux."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import select
import socket
import subprocess
import threading
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYetError
from typing import Any, BinaryIO, NoReturn, cast

from adal_ls.worker.ending import MARK, describe_exit, kill_group
from adal_ls.worker.spawning import Pipes, Started, command

_MOST = 1024 * 1024
_MOST_SAID = 65536
_MOST_REAPING = 2.0  # seconds; a process that the kernel cannot end is not waited for


class ParentLostError(Exception):
    """The warm parent has ended or does not answer; the text goes on from a subject and tells what it printed."""


class WarmParent:
    """A warm parent process. Any thread may use it; a thread of its own listens.

    It ends with `close`, or after `retire` with its last worker, or when this process ends.
    """

    def __init__(self, interpreter: str) -> None:
        """Raises: OSError: the interpreter cannot be started."""
        self._environment = {name: value for name, value in os.environ.items() if name != MARK}
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            try:
                self._process = subprocess.Popen(
                    [*command(interpreter), "parent", str(theirs.fileno())],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    env=self._environment,
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,
                )
            except BaseException:
                ours.close()
                raise
        self._printed = cast("BinaryIO", self._process.stdout)
        self._socket = ours
        self._lock = threading.Lock()
        self._asked: dict[int, Future[ForkedProcess]] = {}
        self._count = 0
        self._workers: dict[int, ForkedProcess] = {}
        self._retired = False
        self.lost = False
        self._said = ""
        threading.Thread(target=self._listen, name="adal-ls warm parent", daemon=True).start()

    @property
    def pid(self) -> int:
        return self._process.pid

    async def fork(self, timeout: float) -> Started:
        """A fresh worker with this process's environment as it is now.

        Raises:
            OSError: no worker can be forked, or there are no descriptors for its pipes.
            ParentLostError: the parent is gone, or was silent for `timeout` seconds and is ended.
        """
        pipes = Pipes.open()
        mark = secrets.token_hex(16)
        answer: Future[ForkedProcess] = Future()
        try:
            answer = self._ask(pipes, mark)
            waiting = asyncio.wrap_future(answer)
            # Not `wait_for`: before Python 3.12 it gives a result that came with the cancel, and the cancel is lost.
            await asyncio.wait([waiting], timeout=timeout)
            process = waiting.result() if waiting.done() else self._give_up(timeout)
        except BaseException:  # of a cancelled caller too: the worker sees its pipes end
            pipes.close()
            answer.cancel()
            answer.add_done_callback(_let_go)  # it may have come before the cancel
            raise
        pipes.close_workers()
        return Started(process, pipes.reading, pipes.writing, pipes.output, mark)

    def _give_up(self, seconds: float) -> NoReturn:
        self._process.kill()
        raise ParentLostError(f"was silent for {seconds:g} s")

    def reap(self, worker: ForkedProcess) -> None:
        """Lets the ended worker's id go; returns when that is done and its orphans have ended."""
        with self._lock:
            if self.lost or worker.pid not in self._workers:
                worker.reaped.set()  # by the system
            else:
                try:
                    self._send({"reap": worker.pid})
                except OSError:
                    self._process.kill()  # it does not read any more
        worker.reaped.wait(_MOST_REAPING)
        with self._lock:
            if self._workers.pop(worker.pid, None) is not None:
                os.close(worker.ended)
            self._close_if_unused()

    def retire(self) -> None:
        """No more workers are wanted of it; those there are live on."""
        with self._lock:
            self._retired = True
            self._close_if_unused()

    def close(self) -> None:
        """Ends it with all its workers, and waits for it. Idempotent."""
        self._hang_up()
        try:
            self._process.wait(2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _ask(self, pipes: Pipes, mark: str) -> Future[ForkedProcess]:
        answer: Future[ForkedProcess] = Future()
        now = {**os.environ, MARK: mark}
        request = {
            "set": {name: value for name, value in now.items() if self._environment.get(name) != value},
            "unset": [name for name in self._environment if name not in now],
        }
        with self._lock:
            if self.lost:
                raise ParentLostError(self._said)
            self._count += 1
            self._asked[self._count] = answer
            try:
                self._send({"fork": self._count, **request}, pipes.workers)
            except OSError:  # it has ended, or does not read; the listener tells
                self._process.kill()
        return answer

    def _send(self, message: dict[str, Any], descriptors: tuple[int, ...] = ()) -> None:
        # Never waits: a parent that does not read is no use.
        socket.send_fds(self._socket, [json.dumps(message).encode()], descriptors, socket.MSG_DONTWAIT)

    def _close_if_unused(self) -> None:
        if self._retired and not self._workers and not self._asked:
            self._hang_up()

    def _hang_up(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    # In the listening thread.

    def _listen(self) -> None:
        while True:
            try:
                data = self._socket.recv(_MOST)
            except OSError:
                break
            if not data:
                break
            message = json.loads(data)
            if "ended" in message:
                self._note_end(message["ended"], message["code"])
            elif "reaped" in message:
                self._note_reaped(message["reaped"])
            else:
                self._answer(message)
        self._said = self._last_words()
        with self._lock:
            self.lost = True
            asked, self._asked = self._asked, {}
            self._socket.close()
            for worker in self._workers.values():
                worker.reaped.set()
        for answer in asked.values():
            if answer.set_running_or_notify_cancel():
                answer.set_exception(ParentLostError(self._said))
        self._watch_orphans()

    def _answer(self, message: dict[str, Any]) -> None:
        with self._lock:
            answer = self._asked.pop(message["id"])
            worker = None
            if "pid" in message:
                worker = ForkedProcess(self, message["pid"])
                self._workers[worker.pid] = worker
        if not answer.set_running_or_notify_cancel():
            if worker is not None:  # nobody waits for it any more
                worker.discard()
        elif worker is None:
            answer.set_exception(OSError(message["fault"]))
        else:
            answer.set_result(worker)

    def _note_end(self, pid: int, code: int | None) -> None:
        with self._lock:
            worker = self._workers.get(pid)
        if worker is not None and not worker.code.done():
            worker.code.set_result(code)

    def _note_reaped(self, pid: int) -> None:
        with self._lock:
            worker = self._workers.get(pid)
        if worker is not None:
            worker.reaped.set()

    def _last_words(self) -> str:
        try:
            code: int | None = self._process.wait(1)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        os.set_blocking(self._printed.fileno(), False)
        with self._printed:
            said = (self._printed.read(_MOST_SAID) or b"").decode("utf-8", "replace").strip()
        return describe_exit(code) + (f": {said}" if said else "")

    def _watch_orphans(self) -> None:
        """The parent is gone, so nobody else sees its workers end. How they end cannot be known any more."""
        while True:
            with self._lock:
                left = {worker.ended: pid for pid, worker in self._workers.items() if not worker.code.done()}
            if not left:
                return
            poll = select.poll()
            for ended in left:
                poll.register(ended, select.POLLIN)
            for ended, _ in poll.poll(1000):
                self._note_end(left[ended], None)


class ForkedProcess:
    """A worker that is a child of the warm parent, which keeps its id from being given away until `release`."""

    def __init__(self, parent: WarmParent, pid: int) -> None:
        self._parent = parent
        self.pid = pid
        self.ended = os.pidfd_open(pid)
        self.code: Future[int | None] = Future()
        self.reaped = threading.Event()

    def wait(self, timeout: float | None = None) -> int | None:
        try:
            return self.code.result(timeout)
        except NotYetError as fault:
            raise subprocess.TimeoutExpired("worker", timeout or 0) from fault

    def kill(self) -> None:
        kill_group(self.pid)

    def release(self) -> None:
        self._parent.reap(self)

    def discard(self) -> None:
        """Ends it and lets it go, without waiting for that."""
        self.kill()
        threading.Thread(target=self.release, name="adal-ls release", daemon=True).start()


def _let_go(answer: Future[ForkedProcess]) -> None:
    if not answer.cancelled() and answer.exception() is None:
        answer.result().discard()
