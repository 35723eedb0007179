"""The Python of a project in the sandbox: what it consists of can be read there, and nothing else."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from adal_ls.agent.projects.interpreters import environments
from tests.agent.bench import Bench, call


def installation(folder: Path) -> Path:
    """A stand-in for an installed Python; its program."""
    (folder / "bin").mkdir(parents=True)
    (folder / "lib" / "python3.12").mkdir(parents=True)
    (folder / "lib" / "python3.12" / "os.py").touch()
    program = folder / "bin" / "python3.12"
    program.write_text('#!/bin/sh\necho "this is Python of $0"\n', encoding="utf-8")
    program.chmod(0o755)
    return program


def environment(folder: Path, program: Path) -> Path:
    """An environment on `program`; its own program."""
    (folder / "bin").mkdir(parents=True)
    (folder / "pyvenv.cfg").touch()
    link = folder / "bin" / "python"
    link.symlink_to(program)
    return link


@pytest.mark.skipif(sys.platform != "linux", reason="bash runs under Linux only")
async def test_bash_can_run_the_python_of_the_projects_environment(bench: Bench, tmp_path: Path) -> None:
    environment(bench.root / ".venv", installation(tmp_path / "elsewhere" / "3.12"))
    command = {"command": ".venv/bin/python"}
    await bench.run({"calls": [call("bash", "c1", command)]}, {"text": "done"}, permission_mode="yolo")
    assert "this is Python" in bench.observation("c1")


def test_an_environment_needs_its_folder_and_the_installation_below(tmp_path: Path) -> None:
    program = environment(tmp_path / "env", installation(tmp_path / "3.12"))
    assert environments(str(program)) == (tmp_path / "env", tmp_path / "3.12")


@pytest.mark.parametrize("secret", [".ssh/keys/python3", "bin/python3", ".ssh/id_rsa"])
def test_a_link_that_only_looks_like_python_opens_no_other_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, secret: str
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    target = home / secret
    target.parent.mkdir(parents=True)
    target.touch()
    program = environment(tmp_path / "work" / ".venv", target)
    assert environments(str(program)) == (tmp_path / "work" / ".venv",)


def test_an_installation_that_holds_the_home_folder_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = installation(tmp_path / "all")
    monkeypatch.setenv("HOME", os.fspath(tmp_path / "all" / "home"))
    assert environments(str(program)) == ()
