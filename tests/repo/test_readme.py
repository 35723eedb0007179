"""The README shows what really comes out."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from pathlib import Path

import pytest

if os.name == "nt":
    pytest.skip("pseudo terminals are POSIX's", allow_module_level=True)

from tests.cli.pseudo_terminal import Terminal

ROOT = Path(__file__).parents[2]


def test_the_transcript_of_the_readme_is_what_a_terminal_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADAL_DATA_DIR", str(tmp_path / "data"))
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (transcript,) = re.findall(r"```console\n(\$ adal-ls check faulty\n.*?)```", readme, re.DOTALL)
    for part in transcript.split("$ adal-ls ")[1:]:
        line, _, expected = part.partition("\n")
        arguments = shlex.split(line)
        folder = tmp_path / "examples" / ("workspace" if arguments[0] == "run" else "")
        terminal = Terminal(*arguments, cwd=folder, whole=True)
        if arguments[0] == "run":
            terminal.expect("Choose y, a, e, n or x: ")
            terminal.answer("y")
        assert terminal.wait()[0] == (1 if "faulty" in arguments else 0)
        shown = re.sub(r"\x1b\[[0-9;]*m", "", terminal.seen).replace(str(tmp_path), "…")
        # The two calls run side by side, so that either result can be the first.
        assert sorted(filter(None, shown.splitlines())) == sorted(filter(None, expected.splitlines()))
