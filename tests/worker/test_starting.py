"""Where workers come from: a warm parent that forks them, or a spare; and what never passes from one to the next."""

from __future__ import annotations

import asyncio
import gc
import os
import shutil
import signal
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pydantic
import pytest

from adal_ls.worker.client import Limits, WorkerClient, WorkerStartError
from adal_ls.worker.forking import WarmParent
from adal_ls.worker.starting import FORKS, WorkerSource
from tests.worker.conftest import Project

forking = pytest.mark.skipif(not FORKS, reason="a warm parent forks on Linux alone")
both = pytest.mark.parametrize("forks", [pytest.param(True, marks=forking), False])

Sources = Callable[..., WorkerSource]

TOOL = "def f(x: str = 'x') -> str:\n    '''Do f.'''\n    return x\n\n\nCUSTOM_TOOLS = [f]\n"


@pytest.fixture
def sources() -> Iterator[Sources]:
    """Makes sources of workers of their own and ends what they keep."""
    made: list[WorkerSource] = []

    def make(*, forks: bool = FORKS) -> WorkerSource:
        made.append(WorkerSource(forks=forks))
        return made[-1]

    yield make
    for source in made:
        source.close()


async def started(root: Path, source: WorkerSource, interpreter: str = sys.executable) -> WorkerClient:
    worker = await WorkerClient.start(interpreter, root, source=source, limits=Limits(start=20))
    assert (await worker.load()).error is None
    return worker


def parent_of(worker: WorkerClient) -> psutil.Process:
    found = psutil.Process(worker.pid).parent()
    assert found is not None
    return found


async def spare_of(source: WorkerSource) -> int:
    while not source._spares:
        await asyncio.sleep(0.01)
    return next(iter(source._spares.values())).process.pid


@forking
async def test_workers_are_forked_by_one_warm_parent(project: Project, sources: Sources) -> None:
    root, source = project(TOOL), sources()
    first, second = await started(root, source), await started(root, source)
    assert parent_of(first) == parent_of(second)
    assert parent_of(first).pid != os.getpid()
    assert os.getpgid(first.pid) == first.pid != os.getpgid(second.pid)
    await first.close()
    assert (await second.call("f", {})).observation == "x"
    await second.close()


async def test_a_spare_is_started_ahead_and_taken_by_the_next_load(project: Project, sources: Sources) -> None:
    root, source = project(TOOL), sources(forks=False)
    await (await started(root, source)).close()
    spare = await spare_of(source)
    worker = await started(root, source)
    assert worker.pid == spare
    assert (await worker.call("f", {})).observation == "x"
    await worker.close()


async def test_a_spare_that_has_died_is_replaced(project: Project, sources: Sources) -> None:
    root, source = project(TOOL), sources(forks=False)
    await (await started(root, source)).close()
    spare = await spare_of(source)
    os.kill(spare, signal.SIGKILL)
    while os.waitid(os.P_PID, spare, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:  # noqa: ASYNC222 - WNOHANG
        await asyncio.sleep(0.01)  # a zombie whose threads still end cannot be waited for, and counts as alive
    worker = await started(root, source)
    assert worker.pid != spare
    await worker.close()


@both
async def test_an_edit_of_a_helper_counts_at_once(project: Project, sources: Sources, forks: bool) -> None:
    # https://github.com/streamlit/streamlit/pull/537
    source = sources(forks=forks)
    tools = "from helpers import word\n\n\ndef say() -> str:\n    return word()\n\n\nCUSTOM_TOOLS = [say]\n"
    helpers = "from deeper import WORD\n\n\ndef word():\n    return WORD\n"
    heard = []
    for word in ["one", "two", "six", "ten"]:  # equally long, well within one second: no time stamp tells them apart
        worker = await started(project(tools, {"helpers.py": helpers, "deeper.py": f"WORD = '{word}'\n"}), source)
        heard.append((await worker.call("say", {})).observation)
        await worker.close()
    assert heard == ["one", "two", "six", "ten"]


@both
async def test_nothing_of_one_project_is_in_the_workers_of_the_next(
    project: Project, sources: Sources, forks: bool
) -> None:
    source = sources(forks=forks)
    marks = """
        import builtins, json, os, sys
        import helper_of_one
        builtins.left_behind = True
        json.left_behind = True
        os.environ["LEFT_BEHIND"] = "1"
        sys.path.insert(0, "/left_behind")
        CUSTOM_TOOLS = []
    """
    await (await started(project(marks, {"helper_of_one.py": ""}), source)).close()
    looks = """
        import builtins, json, os, sys

        def look() -> list:
            return [hasattr(builtins, "left_behind"), hasattr(json, "left_behind"), "LEFT_BEHIND" in os.environ,
                    "/left_behind" in sys.path, "helper_of_one" in sys.modules, os.getcwd()]

        CUSTOM_TOOLS = [look]
    """
    root = project(looks)
    worker = await started(root, source)
    assert (await worker.call("look", {})).output == [False] * 5 + [str(root)]
    await worker.close()


@both
async def test_a_worker_has_the_environment_of_its_host_at_that_moment(
    project: Project, sources: Sources, monkeypatch: pytest.MonkeyPatch, forks: bool
) -> None:
    source = sources(forks=forks)
    root = project(
        """
        import os, subprocess, sys

        def look() -> list:
            code = "import os; print(os.environ.get('ADAL_TEST_NEW'), os.environ.get('ADAL_TEST_OLD'))"
            return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.split()

        CUSTOM_TOOLS = [look]
        """
    )
    monkeypatch.setenv("ADAL_TEST_OLD", "old")
    first = await started(root, source)
    assert (await first.call("look", {})).output == ["None", "old"]
    await first.close()
    monkeypatch.setenv("ADAL_TEST_NEW", "ü")
    monkeypatch.delenv("ADAL_TEST_OLD")
    second = await started(root, source)
    assert (await second.call("look", {})).output == ["ü", "None"]
    await second.close()


@forking
async def test_neither_side_keeps_a_descriptor_or_a_process_of_a_worker_that_has_ended(
    project: Project, sources: Sources
) -> None:
    root, source = project(TOOL), sources()
    worker = await started(root, source)
    parent = parent_of(worker)
    await worker.close()
    here = psutil.Process()
    before = (here.num_fds(), parent.num_fds(), parent.children())
    for _ in range(5):
        worker = await started(root, source)
        await worker.close()
    assert (parent.num_fds(), parent.children()) == before[1:]
    assert here.num_fds() <= before[0]  # what an earlier test left may have been closed meanwhile
    assert before[2] == []


@forking
async def test_a_warm_parent_that_dies_is_replaced_and_its_workers_live_on(project: Project, sources: Sources) -> None:
    root, source = project(TOOL), sources()
    old = await started(root, source)
    parent = parent_of(old)
    parent.kill()
    new = await started(root, source)
    assert parent_of(new).pid != parent.pid
    assert (await old.call("f", {"x": "still here"})).observation == "still here"
    await old.close()
    assert not psutil.pid_exists(old.pid) or psutil.Process(old.pid).status() == psutil.STATUS_ZOMBIE
    await new.close()


@forking
async def test_a_worker_whose_parent_is_gone_still_ends_in_a_result(project: Project, sources: Sources) -> None:
    root = project(
        "import os, signal\n\n\ndef f() -> None:\n    os.kill(os.getppid(), signal.SIGKILL)\n    os._exit(3)\n\n\n"
        "CUSTOM_TOOLS = [f]\n"
    )
    source = sources()
    worker = await started(root, source)
    result = await asyncio.wait_for(worker.call("f", {}), 5)
    assert result.status == "error"
    assert "ended its process" in result.observation
    again = await started(project(TOOL), source)
    assert (await again.call("f", {})).observation == "x"
    await again.close()


@forking
async def test_a_warm_parent_that_does_not_answer_is_replaced(project: Project, sources: Sources) -> None:
    root, source = project(TOOL), sources()
    worker = await started(root, source)
    parent = parent_of(worker)
    parent.suspend()
    began = time.monotonic()
    other = await WorkerClient.start(sys.executable, root, source=source, limits=Limits(start=2))
    assert time.monotonic() - began < 4
    assert parent_of(other).pid != parent.pid
    await other.close()
    await worker.close()


@forking
async def test_a_start_that_is_cancelled_leaves_no_worker(project: Project, sources: Sources) -> None:
    root, source = project(TOOL), sources()
    worker = await started(root, source)
    parent = parent_of(worker)
    for _ in range(10):
        starting = asyncio.ensure_future(WorkerClient.start(sys.executable, root, source=source))
        await asyncio.sleep(0)
        starting.cancel()
        await asyncio.gather(starting, return_exceptions=True)
    last = await started(root, source)  # forks are made in their order: those of before have been made by now
    end = time.monotonic() + 10
    while len(parent.children()) > 2 and time.monotonic() < end:
        await asyncio.sleep(0.01)
    assert {child.pid for child in parent.children()} == {worker.pid, last.pid}
    await last.close()
    await worker.close()


@forking
async def test_a_worker_that_was_there_before_the_cancel_is_let_go(
    project: Project, sources: Sources, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, source = project(TOOL), sources()
    worker = await started(root, source)
    parent = parent_of(worker)
    warm = next(iter(source._parents.values()))
    ask = warm._ask

    def answered(*arguments: Any) -> Any:
        answer = ask(*arguments)
        answer.result(10)
        return answer

    monkeypatch.setattr(warm, "_ask", answered)
    starting = asyncio.ensure_future(warm.fork(10))
    await asyncio.sleep(0)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    end = time.monotonic() + 10
    while len(parent.children()) > 1 and time.monotonic() < end:
        await asyncio.sleep(0.01)
    assert [child.pid for child in parent.children()] == [worker.pid]
    await worker.close()


def environment(folder: Path) -> Path:
    """A virtual environment with pydantic and nothing else; its site-packages."""
    venv.create(folder, with_pip=False, symlinks=True)
    site = folder / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
    (site / "pydantic.pth").write_text(str(Path(pydantic.__file__).parent.parent))
    return site


@pytest.mark.skipif(sys.platform == "win32", reason="paths of POSIX environments")
@both
async def test_the_environment_behind_a_link_is_used_also_moved_and_with_spaces_in_its_path(
    tmp_path: Path, sources: Sources, forks: bool
) -> None:
    # https://github.com/microsoft/vscode/issues/208139
    first = tmp_path / "first env"
    (environment(first) / "only_in_env.py").write_text("NAME = 'in env'\n")
    folder = tmp_path / "moved énv (2)"
    shutil.move(first, folder)
    root = tmp_path / "my prôject"
    (root / ".adal").mkdir(parents=True)
    (root / ".adal" / "tools.py").write_text(
        "import sys\nimport only_in_env\n\ndef f() -> list:\n    return [only_in_env.NAME, sys.executable]\n\n"
        "CUSTOM_TOOLS = [f]\n"
    )
    python = folder / "bin" / "python"
    assert python.is_symlink()
    worker = await started(root, sources(forks=forks), str(python))
    assert (await worker.call("f", {})).output == ["in env", str(python)]
    await worker.close()


@pytest.mark.skipif(sys.platform == "win32", reason="paths of POSIX environments")
@both
async def test_a_package_that_is_installed_is_there_at_the_next_load(
    project: Project, tmp_path: Path, sources: Sources, forks: bool
) -> None:
    source = sources(forks=forks)
    site = environment(tmp_path / "env")
    python = str(tmp_path / "env" / "bin" / "python")
    await (await started(project(TOOL), source, python)).close()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "installed_later.py").write_text("NAME = 'there'\n")
    (site / "installed_later.pth").write_text(str(tmp_path / "elsewhere"))  # as an editable install does
    root = project("import installed_later\ndef f():\n    return installed_later.NAME\nCUSTOM_TOOLS = [f]\n")
    worker = await started(root, source, python)
    assert (await worker.call("f", {})).observation == "there"
    await worker.close()


@pytest.mark.skipif(sys.platform == "win32", reason="paths of POSIX environments")
@both
async def test_pydantic_that_is_installed_after_the_message_is_seen(
    project: Project, tmp_path: Path, sources: Sources, forks: bool
) -> None:
    source = sources(forks=forks)
    site = environment(tmp_path / "env")
    path = (site / "pydantic.pth").read_text()
    (site / "pydantic.pth").unlink()
    python = str(tmp_path / "env" / "bin" / "python")
    root = project(TOOL)
    for _ in range(2):
        with pytest.raises(WorkerStartError) as caught:
            await started(root, source, python)
        assert f"{python} -m pip install pydantic" in str(caught.value)
    (site / "pydantic.pth").write_text(path)
    worker = await started(root, source, python)
    assert (await worker.call("f", {})).observation == "x"
    await worker.close()


@forking
async def test_each_interpreter_has_a_warm_parent_of_its_own(
    project: Project, tmp_path: Path, sources: Sources
) -> None:
    environment(tmp_path / "env")
    source, root = sources(), project(TOOL)
    here = await started(root, source)
    there = await started(root, source, str(tmp_path / "env" / "bin" / "python"))
    assert parent_of(here).pid != parent_of(there).pid
    await here.close()
    await there.close()


@forking
async def test_a_retired_warm_parent_goes_with_its_last_worker(project: Project, sources: Sources) -> None:
    root, source = project(TOOL), sources()
    worker = await started(root, source)
    parent = parent_of(worker)
    source.drop(sys.executable)
    assert (await worker.call("f", {})).observation == "x"
    await worker.close()
    end = time.monotonic() + 5
    while parent.is_running() and parent.status() != psutil.STATUS_ZOMBIE and time.monotonic() < end:
        await asyncio.sleep(0.01)
    assert not parent.is_running() or parent.status() == psutil.STATUS_ZOMBIE


HOST = """
import asyncio, sys
from pathlib import Path
from typing import Any
from adal_ls.worker.client import WorkerClient

async def main():
    worker = await WorkerClient.start(sys.executable, Path(sys.argv[1]))
    await worker.load()
    started = asyncio.Event()
    call = asyncio.ensure_future(worker.call("busy", {}, on_print=lambda _: started.set()))
    await started.wait()
    print(worker.pid, flush=True)
    await call

asyncio.run(main())
"""

# One step of the regular expression takes minutes and lets no other thread run, so the worker cannot see its pipe end.
BUSY = """
import re

def busy() -> None:
    print("started", flush=True)
    re.match("(a|aa)+$", "a" * 60 + "b")

CUSTOM_TOOLS = [busy]
"""


@forking
async def test_the_warm_parent_dies_with_its_host_and_ends_workers_that_cannot_see_it(project: Project) -> None:
    root = project(BUSY)
    host = subprocess.Popen([sys.executable, "-c", HOST, str(root)], stdout=subprocess.PIPE, text=True)
    assert host.stdout is not None
    with host, host.stdout:
        worker = psutil.Process(int(await asyncio.to_thread(host.stdout.readline)))
        parent = worker.parent()
        assert parent is not None
        assert parent.pid != host.pid
        host.kill()
    gone = await asyncio.to_thread(psutil.wait_procs, [worker, parent], 2)
    assert gone[1] == []


@forking
async def test_processes_with_an_environment_of_their_own_end_with_the_worker(
    project: Project, sources: Sources
) -> None:
    root = project(
        """
        import os, subprocess

        def leave(die: bool) -> str:
            subprocess.run(["env", "-i", "setsid", "sh", "-c", "sleep 62.5 & exit 0"])
            subprocess.Popen(["env", "-i", "setsid", "sleep", "62.5"])
            if os.fork() == 0:  # a daemon in the old way
                os.setsid()
                if os.fork() == 0:
                    os.execve("/bin/sleep", ["sleep", "62.5"], {})
                os._exit(0)
            os.wait()
            if die:
                os._exit(3)
            return "left"

        CUSTOM_TOOLS = [leave]
        """
    )
    source = sources()
    for die in (False, True):
        worker = await started(root, source)
        result = await worker.call("leave", {"die": die})
        assert result.status == ("error" if die else "success")
        await worker.close()
        running = [p for p in psutil.process_iter(["cmdline", "status"]) if p.info["cmdline"] == ["sleep", "62.5"]]
        assert [p.pid for p in running if p.info["status"] != psutil.STATUS_ZOMBIE] == []


def test_an_interpreter_that_is_not_there_leaves_no_descriptor_open() -> None:
    gc.collect()
    before = psutil.Process().num_fds() if sys.platform != "win32" else 0
    with pytest.raises(OSError, match="no_such_python"):
        WarmParent("/no_such_python")
    if sys.platform != "win32":
        assert psutil.Process().num_fds() <= before  # those of earlier tests may be closed meanwhile
