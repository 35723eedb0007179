"""`adal-ls tools call`: one tool, without a model."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.cli.conftest import Run, command


def test_the_observation_is_the_output_and_what_the_tool_prints_goes_aside(adal_ls: Run, project: Path) -> None:
    done = adal_ls("tools", "call", "note", "--trust", "--args", '{"text": "milk"}')
    assert (done.returncode, done.stdout) == (0, "kept milk\n")
    assert "wrote a line" in done.stderr
    assert (project / "notes.txt").read_text() == "milk\n"


def test_json_has_all_parts(adal_ls: Run) -> None:
    done = adal_ls("tools", "call", "double", "--trust", "--format", "json", "--args", '{"number": "21"}')
    tried = json.loads(done.stdout)
    assert (tried["status"], tried["output"], tried["observation"]) == ("success", 42, "42")


def test_arguments_may_come_from_standard_input(adal_ls: Run) -> None:
    done = adal_ls("tools", "call", "double", "--trust", "--args", "-", text='{"number": 4}')
    assert done.stdout == "8\n"


def test_a_tool_that_does_not_succeed_ends_with_one_and_runs_nothing_by_guess(adal_ls: Run, project: Path) -> None:
    done = adal_ls("tools", "call", "note", "--trust")
    assert done.returncode == 1
    assert "text" in done.stdout
    assert not (project / "notes.txt").exists()


@pytest.mark.parametrize(("given", "said"), [("{", "Could not parse --args as JSON"), ("[1]", "must be a JSON object")])
def test_arguments_that_are_no_object_are_wrong_usage(adal_ls: Run, given: str, said: str) -> None:
    done = adal_ls("tools", "call", "note", "--trust", "--args", given)
    assert done.returncode == 2
    assert said in done.stderr


def test_an_unknown_tool_is_told_with_those_there_are(adal_ls: Run) -> None:
    done = adal_ls("tools", "call", "nope", "--trust")
    assert done.returncode == 1
    assert "there is no tool 'nope'" in done.stderr
    assert "The tools there are: note, double, read_file" in done.stderr
    assert "did you mean 'double'?" in adal_ls("tools", "call", "duoble", "--trust").stderr


def test_nothing_is_loaded_or_run_in_a_folder_that_is_not_trusted(adal_ls: Run, project: Path) -> None:
    (project / ".adal" / "tools.py").write_text("open('loaded', 'w')\nCUSTOM_TOOLS = []\n")
    done = adal_ls("tools", "call", "note")
    assert done.returncode == 1
    assert "--trust" in done.stderr
    assert not (project / "loaded").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_ctrl_c_ends_the_tool_with_its_children(project: Path) -> None:
    (project / ".adal" / "tools.py").write_text(
        "import subprocess\n\n\ndef slow() -> str:\n    '''Sleep.'''\n    print('begun', flush=True)\n"
        "    subprocess.run(['sleep', '61'])\n    return 'late'\n\n\nCUSTOM_TOOLS = [slow]\n"
    )
    with subprocess.Popen(
        [*command(), "tools", "call", "slow", "--trust"], cwd=project, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "begun\n"
        children = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 130
        assert "Cancelled" in process.stderr.read()
    assert children
    assert not psutil.wait_procs(children, 5)[1]


SLOW = """\
import time


def slow() -> str:
    '''Sleep.'''
    time.sleep(60)
    return "late"


CUSTOM_TOOLS = [slow]
"""


def test_the_time_limit_of_a_call_is_an_option_and_a_variable(
    adal_ls: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / ".adal" / "tools.py").write_text(SLOW)
    done = adal_ls("tools", "call", "slow", "--trust", "--tool-seconds", "0.3")
    assert (done.returncode, "after 0.3 s (the time limit)" in done.stdout) == (1, True)
    monkeypatch.setenv("ADAL_TOOL_SECONDS", "0.4")
    done = adal_ls("tools", "call", "slow", "--trust")
    assert (done.returncode, "after 0.4 s (the time limit)" in done.stdout) == (1, True)
    monkeypatch.setenv("ADAL_TOOL_SECONDS", "soon")
    done = adal_ls("tools", "call", "slow", "--trust")
    assert done.returncode == 2
    assert "--tool-seconds" in done.stderr


def test_the_time_limit_of_a_load_is_an_option_wherever_something_is_loaded(adal_ls: Run, project: Path) -> None:
    (project / ".adal" / "tools.py").write_text(f"import time\ntime.sleep(60)\n{SLOW}")
    for arguments in (("tools", "call", "slow"), ("agent", "list"), ("check", "--load"), ("run", "-q", "slow()")):
        done = adal_ls(*arguments, "--trust", "--load-seconds", "0.5")
        assert "after 0.5 s (the time limit)" in done.stdout + done.stderr, arguments
