"""Each process killed at a random moment, 8 runs waiting on approvals: nothing of it may be left 2 seconds later.

`ADAL_KILL_ROUNDS` says how often; every round has its own random numbers.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.server.conftest import GOOD

ROUNDS = int(os.environ.get("ADAL_KILL_ROUNDS", "15"))
LIMIT = 2.0
SHUTDOWN_LIMIT = 1.0  # 0.5 s where the machine has nothing else to do
VICTIMS = ("editor", "server", "host", "worker", "editor", "server and host")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="finds processes by their environment")


class Family:
    """Everything that was started for one workspace, found by the data folder in its environment."""

    def __init__(self, folder: Path) -> None:
        self._mark = str(folder)
        self._workspace = folder / "workspace"
        (self._workspace / ".adal").mkdir(parents=True)
        (self._workspace / ".adal" / "tools.py").write_text(GOOD)
        self.editor = subprocess.Popen(
            [sys.executable, "-m", "tests.server.kill_driver", str(self._workspace)],
            cwd=Path(__file__).parents[2],
            env={**os.environ, "ADAL_DATA_DIR": str(folder / "data")},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def living(self) -> list[psutil.Process]:
        return [process for process in psutil.process_iter() if self._belongs(process)]

    def of_kind(self, kind: str) -> list[psutil.Process]:
        marks = {"server": "adal_ls", "host": "adal_ls.agent", "worker": "bootstrap.py"}
        found = []
        for process in self.living():
            try:
                words = process.cmdline()
            except psutil.Error:
                continue
            if any(word == marks[kind] or word.endswith(f"/{marks[kind]}") for word in words):
                found.append(process)
        return found

    def _belongs(self, process: psutil.Process) -> bool:
        try:
            if process.status() == psutil.STATUS_ZOMBIE or process.pid == os.getpid():
                return False
            return process.environ().get("ADAL_DATA_DIR", "").startswith(self._mark) or process.cwd().startswith(
                self._mark
            )
        except (psutil.Error, OSError):
            return False

    def wait_gone(self, *, but: int = 0) -> None:
        deadline = time.monotonic() + LIMIT
        while alive := [process for process in self.living() if process.pid != but]:
            assert time.monotonic() < deadline, [(process.pid, process.cmdline()[:5]) for process in alive]
            time.sleep(0.05)

    def end(self) -> None:
        for process in self.living():
            process.kill()
        self.editor.kill()
        self.editor.wait()
        for stream in (self.editor.stdin, self.editor.stdout):
            assert stream is not None
            stream.close()


@pytest.fixture
def family(tmp_path: Path) -> Iterator[Family]:
    started = Family(tmp_path)
    yield started
    started.end()


@pytest.mark.parametrize("number", range(ROUNDS))
def test_nothing_is_left_of_what_was_killed(family: Family, number: int) -> None:
    chance = random.Random(number)
    victim = VICTIMS[number % len(VICTIMS)]
    assert family.editor.stdout is not None
    assert family.editor.stdin is not None
    family.editor.stdout.readline()  # the server was started
    waiting = chance.random() < 0.5 or victim in ("host", "worker")
    if waiting:
        assert family.editor.stdout.readline() == "asking\n"
    else:
        time.sleep(chance.uniform(0, 2.5))
    if victim == "editor":
        family.editor.kill()
        family.editor.wait()
        family.wait_gone()
        return
    for kind in victim.split(" and "):
        for process in family.of_kind(kind)[:1]:
            process.kill()
    if "server" in victim:
        family.wait_gone(but=family.editor.pid)
        return
    time.sleep(chance.uniform(0, 0.3))
    family.editor.stdin.write("shut down\n")
    family.editor.stdin.flush()
    assert float(family.editor.stdout.readline()) <= SHUTDOWN_LIMIT
    assert family.editor.wait(10) == 0
    family.wait_gone()
