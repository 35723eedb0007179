"""The command as a person runs it: a process of its own, with its own data folder."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]

TOOLS = '''\
def note(text: str) -> str:
    """Keep a note.

    Args:
        text: What to keep.
    """
    with open("notes.txt", "a") as file:
        file.write(text + "\\n")
    print("wrote a line")
    return f"kept {text}"


def double(number: int) -> int:
    """Double a number."""
    return number * 2


CUSTOM_TOOLS = [note, {"function": double, "require_approval": False}]
'''


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADAL_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("PYTHONIOENCODING", "utf-8")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / ".adal").mkdir(parents=True)
    (folder / ".adal" / "tools.py").write_text(TOOLS)
    return folder


@pytest.fixture
def adal_ls(project: Path) -> Run:
    """Runs `adal-ls ARGUMENTS` in the project folder without a terminal."""

    def run(*arguments: str, text: str = "", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command(), *arguments],
            input=text,
            capture_output=True,
            encoding="utf-8",
            cwd=cwd or project,
            timeout=60,
            check=False,
        )

    return run


def command() -> list[str]:
    return [sys.executable, "-m", "adal_ls"]


def clean_environment() -> dict[str, str]:
    return {**os.environ, "NO_COLOR": "1", "TERM": "xterm"}
