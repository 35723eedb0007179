"""Which Python runs the tools, and what it says of a text: it compiles, and runs nothing."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from adal_ls.workspace import interpreter
from adal_ls.workspace.interpreter import InterpreterError, ask, choose_interpreter
from tests import pythons

CANARY = "open('canary', 'w')\n"


@pytest.mark.parametrize("version", sorted(pythons.found()))
def test_each_text_gets_its_own_answer(version: pythons.Version) -> None:
    texts = ["x = 1\n", "def f(x: str -> str: ...\n", "\ud800", "x = '\0'", "f = '😀'\n"]
    answer = ask(pythons.found()[version], texts)
    assert answer.version == version
    taken, slip, surrogate, nul, emoji = answer.refusals
    assert (taken, emoji) == (None, None)
    assert slip is not None
    assert slip.line == 1
    assert surrogate is not None
    assert nul is not None


@pytest.mark.parametrize("version", sorted(pythons.found()))
def test_nothing_of_a_text_or_of_the_folders_around_is_run(
    version: pythons.Version, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("json.py", "sitecustomize.py", "usercustomize.py", "warnings.py"):
        (tmp_path / name).write_text(CANARY)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHONSTARTUP", str(tmp_path / "json.py"))
    assert ask(pythons.found()[version], [CANARY]).refusals == (None,)
    assert not list(tmp_path.rglob("canary"))


def test_deep_and_large_texts_have_an_answer() -> None:
    deep, large = "(" * 5000 + ")" * 5000, "x = 1\n" * 200_000
    first, second = ask(sys.executable, [deep, large]).refusals
    assert first is not None
    assert second is None


@pytest.mark.parametrize("named", ["", "nothing-of-that-name", "/bin/sh", "/bin/true", ".", "a\0b"])
def test_what_cannot_be_asked_is_named_in_the_error(named: str) -> None:
    with pytest.raises(InterpreterError) as caught:
        ask(named, ["x = 1\n"])
    assert named in str(caught.value)


def test_one_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hanging = tmp_path / "python"
    hanging.write_text("#!/bin/sh\nexec sleep 60\n")
    hanging.chmod(0o755)
    monkeypatch.setattr(interpreter, "PATIENCE", 0.2)
    with pytest.raises(InterpreterError, match="no answer"):
        ask(str(hanging), [])


def test_the_setting_comes_before_the_projects_environment_and_that_before_any_other(tmp_path: Path) -> None:
    assert choose_interpreter(None, tmp_path, "other") == "other"
    program = tmp_path.joinpath(".venv", *(("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")))
    program.parent.mkdir(parents=True)
    program.touch()
    assert choose_interpreter(None, str(tmp_path), "other") == str(program)
    assert choose_interpreter("set", tmp_path, "other") == "set"
