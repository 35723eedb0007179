"""Many files: checked in processes, told in order, and none lost."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import psutil
import pytest

from adal_ls import lint
from adal_ls.cli import sources
from adal_ls.cli.check import batch
from adal_ls.cli.check.batch import Task
from adal_ls.cli.sources import Source
from tests.cli.conftest import Run
from tests.cli.pseudo_terminal import Terminal

FUNCTION = 'def f%d(x: str) -> str:\n    """Do f."""\n    return x\n\n\n'
TOOLS = FUNCTION + 'CUSTOM_TOOLS = [f%d, {"function": len, "name": "a-b"}]\n'

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a started process would not see what a test replaces")


@pytest.fixture
def tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Task]:
    """Files that are checked in two processes."""
    monkeypatch.setattr(batch, "WORTH_PROCESSES", 0)
    monkeypatch.setattr(batch, "cores", lambda: 2)
    return [Task(str(file), lint.Config()) for file in written(tmp_path, 40)]


def written(folder: Path, count: int) -> list[Path]:
    files = [folder / f"{number:04}.py" for number in range(count)]
    for number, file in enumerate(files):
        file.write_text(TOOLS % (number, number))
    return files


def test_processes_find_what_one_process_finds_in_the_same_order(tasks: list[Task]) -> None:
    finished: list[int] = []
    assert batch.check(tasks, finished.append) == [task.run() for task in tasks]
    assert finished == list(range(1, 41))


def test_the_work_is_done_elsewhere_only_where_it_pays(
    tasks: list[Task], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def told(path: str, config: lint.Config) -> Source:
        return Source(str(os.getpid()), "", ())

    monkeypatch.setattr(sources, "read", told)
    assert str(os.getpid()) not in {source.path for source in batch.check(tasks, lambda done: None)}
    monkeypatch.setattr(batch, "WORTH_PROCESSES", 1_000_000)
    assert {source.path for source in batch.check(tasks, lambda done: None)} == {str(os.getpid())}


@pytest.mark.parametrize("deadly", [{"0000.py"}, {"0013.py", "0014.py"}, {"0039.py"}])
def test_a_file_that_kills_its_process_is_an_error_and_all_others_are_checked(
    tasks: list[Task], monkeypatch: pytest.MonkeyPatch, deadly: set[str]
) -> None:
    read = sources.read

    def fatal(path: str, config: lint.Config) -> Source:
        if Path(path).name in deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        return read(path, config)

    monkeypatch.setattr(sources, "read", fatal)
    found = batch.check(tasks, lambda done: None)
    assert [source.path for source in found] == [task.path for task in tasks]
    assert {Path(source.path).name for source in found if not source.readable} == deadly
    for source in found:
        assert {finding.code for finding in source.findings} >= ({"ADAL003"} if not source.readable else {"ADAL101"})


def test_an_error_of_ours_in_a_process_is_not_hidden(tasks: list[Task], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(path: str, config: lint.Config) -> Source:
        raise LookupError(path)

    monkeypatch.setattr(sources, "read", broken)
    with pytest.raises(LookupError):
        batch.check(tasks, lambda done: None)


def test_hundreds_of_files_show_how_far_it_is_at_a_terminal_alone(adal_ls: Run, project: Path) -> None:
    (project / "many").mkdir()
    files = written(project / "many", 300)
    clean = "".join(FUNCTION % number for number in range(100)).replace("def f", "def _f") + "CUSTOM_TOOLS = []\n"
    for file in (file for number, file in enumerate(files) if number % 100):
        file.write_text(clean)
    names = [str(file.relative_to(project)) for file in files]
    done = adal_ls("check", *names)
    assert done.returncode == 1
    assert done.stderr == "--fix mends 3 of them.\n"
    lines = [line for line in done.stdout.splitlines() if "ADAL101" in line]
    assert [line.split(":")[0] for line in lines] == names[::100]
    assert done.stdout.splitlines()[-1].endswith("in 300 files")
    terminal = Terminal("check", *names, cwd=project)
    terminal.expect("/300 files")
    code, output = terminal.wait()
    assert (code, output) == (1, done.stdout)


def test_ctrl_c_ends_all_processes_without_a_traceback(project: Path) -> None:
    terminal, children = started(project)
    terminal.interrupt()
    code, output = terminal.wait()
    assert (code, output) == (130, "")
    assert "Traceback" not in terminal.seen
    assert gone(children)


def test_no_process_outlives_a_command_that_is_killed(project: Path) -> None:
    terminal, children = started(project)
    terminal.process.kill()
    terminal.wait()
    assert gone(children)


def started(project: Path) -> tuple[Terminal, list[psutil.Process]]:
    """A check with much to do, and its processes."""
    for file in written(project, 10):
        file.write_text("".join(FUNCTION % number for number in range(1000)) + "CUSTOM_TOOLS = []\n")
    terminal = Terminal("check", *[file.name for file in project.glob("0*.py")], cwd=project)
    deadline = time.monotonic() + 30
    while len(children := psutil.Process(terminal.process.pid).children()) < min(2, batch.cores()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return terminal, children


def gone(children: list[psutil.Process]) -> bool:
    _, alive = psutil.wait_procs(children, timeout=10)
    return not alive


def test_one_large_file_is_told_of_at_a_terminal_while_it_is_checked(project: Path) -> None:
    file = project / "huge.py"
    file.write_text("CUSTOM_TOOLS = []\n" + "# so much to read\n" * (batch.LARGE // 17))
    terminal = Terminal("check", "huge.py", cwd=project)
    terminal.expect("Checking huge.py …")
    assert terminal.wait() == (0, "no errors in 1 file\n")
    small = Terminal("check", ".adal/tools.py", cwd=project)
    small.wait()
    assert "Checking" not in small.seen
