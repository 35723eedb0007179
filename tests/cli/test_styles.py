"""Colours and codes: only those that the person's terminal, and the person, take."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from adal_ls.cli import styles

PLAIN = "no codes"
BOLD = "\x1b[1mno codes\x1b[0m"


@pytest.mark.parametrize(
    ("environment", "shown"),
    [
        ({"TERM": "xterm"}, "\x1b[31m\x1b[1mno codes\x1b[0m"),
        ({"TERM": "xterm", "NO_COLOR": ""}, "\x1b[31m\x1b[1mno codes\x1b[0m"),
        ({"TERM": "xterm", "NO_COLOR": "1"}, BOLD),
        ({"TERM": "dumb"}, PLAIN),
        ({"TERM": "dumb", "NO_COLOR": "1"}, PLAIN),
    ],
)
def test_no_colour_and_dumb_terminals_are_heeded(
    environment: dict[str, str], shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert styles.bold("no codes", "red") == shown


@pytest.mark.skipif(os.name == "nt", reason="pseudo terminals are POSIX's")
@pytest.mark.parametrize("arguments", [("check",), ("tools", "list")])
@pytest.mark.parametrize("term", ["xterm", "dumb"])
def test_commands_print_no_colour_that_is_not_wanted(arguments: tuple[str, ...], term: str, project: Path) -> None:
    from tests.cli.pseudo_terminal import Terminal

    tools = project / ".adal" / "tools.py"
    tools.write_text(tools.read_text().replace("text: str", "text"))
    terminal = Terminal(*arguments, cwd=project, whole=True, term=term)
    terminal.wait()
    assert "note" in terminal.seen
    assert "\x1b[3" not in terminal.seen
    assert ("\x1b[" in terminal.seen) is (term == "xterm")
