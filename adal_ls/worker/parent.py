"""The warm parent of workers: has everything imported, forks a worker when the host asks. Linux.

It never runs code of a project, so every worker starts with nothing of an earlier one: no stale module, no thread. One
thread, no loop: a fork copies nothing that is half done. Orphans of workers (processes that have left their group and
outlive it) come to this process, which ends them.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import signal
import socket
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from adal_ls.worker.ending import children, kill_group

# Everything that a worker needs before it runs code of the project.
from adal_ls.worker.serve import lacking, serve
from adal_ls.worker.warmup import warm_up

_MOST = 1024 * 1024
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
_LIKELIER = b"500"  # of -1000 to 1000: where memory runs out, a worker goes before the editor and the host do
_LOOK_AGAIN = 5  # ms, while an orphan that was killed has not ended


def fork_workers(control: int) -> NoReturn:
    """Serves the host on the socket `control` until its end, then ends with all workers."""
    os.chdir("/")  # no folder is held; a worker goes to its project's
    lacking()  # each worker tells; it is looked up once
    adopt = _adopting()
    adopt()
    _Parent(socket.socket(fileno=control), adopt).run()


class _Parent:
    def __init__(self, control: socket.socket, adopt: Callable[[], object]) -> None:
        self._control = control
        self._adopt = adopt
        self._poll = select.poll()
        self._poll.register(control.fileno(), select.POLLIN)
        self._workers: dict[int, int] = {}  # pid: descriptor that is readable once it has ended
        self._ended: set[int] = set()  # not reaped: their ids stay theirs
        self._doomed: set[int] = set()  # reaped as soon as they have ended
        self._orphans = False
        self._reaped: list[int] = []  # not told yet: orphans of theirs are still ending

    def run(self) -> NoReturn:
        warm = False
        while True:
            if not warm:
                warm = warm_up(lambda: not self._poll.poll(0))
                gc.collect()
            for descriptor, _ in self._poll.poll(_LOOK_AGAIN if self._orphans else None):
                if descriptor == self._control.fileno():
                    self._receive()
                else:
                    self._note_end(next(pid for pid, known in self._workers.items() if known == descriptor))
            if self._orphans:
                self._end_orphans()

    def _receive(self) -> None:
        try:
            data, descriptors, _, _ = socket.recv_fds(self._control, _MOST, 3)
        except ConnectionResetError:
            data, descriptors = b"", []
        if not data:
            self._end()
        request = json.loads(data)
        if "fork" in request:
            self._fork(request, descriptors)
        elif request["reap"] in self._workers:
            self._doom(request["reap"])

    def _fork(self, request: dict[str, Any], descriptors: list[int]) -> None:
        gc.freeze()  # so that the worker's collector leaves alone, and unshared, what is here
        try:
            pid = os.fork()
        except OSError as fault:
            self._tell({"id": request["fork"], "fault": str(fault)})
        else:
            if pid == 0:
                _become_worker(request, descriptors, self._adopt)
            self._workers[pid] = ended = os.pidfd_open(pid)
            self._poll.register(ended, select.POLLIN)
            self._tell({"id": request["fork"], "pid": pid})
        for descriptor in descriptors:
            os.close(descriptor)

    def _note_end(self, pid: int) -> None:
        """Tells how a worker ended, and leaves it a zombie: until the host has ended its group the id must stay."""
        self._poll.unregister(self._workers[pid])
        how = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        code = 0 if how is None else how.si_status if how.si_code == os.CLD_EXITED else -how.si_status
        self._tell({"ended": pid, "code": code})
        self._ended.add(pid)
        if pid in self._doomed:
            self._reap(pid)

    def _doom(self, pid: int) -> None:
        kill_group(pid)
        if pid in self._ended:
            self._reap(pid)
        else:
            self._doomed.add(pid)

    def _reap(self, pid: int) -> None:
        os.waitpid(pid, 0)
        os.close(self._workers.pop(pid))
        self._ended.discard(pid)
        self._doomed.discard(pid)
        self._reaped.append(pid)
        self._end_orphans()

    def _end_orphans(self) -> None:
        """A live worker keeps its own orphans, so what is here and no worker belonged to one that has ended."""
        self._orphans = False
        for pid in children(os.getpid()):
            if pid not in self._workers:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                with contextlib.suppress(ChildProcessError):
                    self._orphans = os.waitpid(pid, os.WNOHANG)[0] == 0 or self._orphans
        while self._reaped and not self._orphans:
            self._tell({"reaped": self._reaped.pop()})

    def _tell(self, message: dict[str, object]) -> None:
        try:
            self._control.send(json.dumps(message).encode())
        except OSError:
            self._end()

    def _end(self) -> NoReturn:
        """The host is gone. Workers see that themselves, unless code in one of them lets no other thread run."""
        for pid in self._workers:
            kill_group(pid)
        for pid in children(os.getpid()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        os._exit(0)


def _become_worker(request: dict[str, Any], descriptors: list[int], adopt: Callable[[], object]) -> NoReturn:
    """In the fork: keeps nothing of the parent but its imports."""
    try:
        reading, writing, printing = descriptors
        os.setsid()
        adopt()
        os.dup2(printing, 1)
        os.dup2(printing, 2)
        for name in os.listdir("/proc/self/fd"):  # noqa: PTH208
            if int(name) not in (0, 1, 2, reading, writing):
                with contextlib.suppress(OSError):  # the listing's own
                    os.close(int(name))
        for name in request["unset"]:
            os.environ.pop(name, None)
        os.environ.update(request["set"])
        with contextlib.suppress(OSError):
            Path("/proc/self/oom_score_adj").write_bytes(_LIKELIER)
        serve(reading, writing)
    except BaseException:  # noqa: BLE001 - nothing may go on in what is not the parent
        traceback.print_exc()
    finally:
        os._exit(1)


def _adopting() -> Callable[[], object]:
    """A function that makes the calling process the one that orphans below it come to; nothing where it cannot be."""
    try:
        import ctypes

        call = ctypes.CDLL(None, use_errno=True).prctl
    except (ImportError, OSError, AttributeError):  # a Python built without it
        return lambda: None
    return lambda: call(_SUBREAPER, 1, 0, 0, 0)
