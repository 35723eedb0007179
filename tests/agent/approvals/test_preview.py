"""What a person is shown holds no character that could hide or forge a part of it."""

from __future__ import annotations

import sys
import unicodedata
from pathlib import Path

import pytest

from adal_ls.agent.approvals.preview import preview
from adal_ls.agent.approvals.visible import visible
from adal_ls.agent.builtin.catalog import BUILTINS
from adal_ls.agent.runs.registry import RegisteredTool, built_in

HIDDEN = [
    "\x1b[2J",
    "\x9b2J",
    "a\rb",
    "a\bb",
    "\x00",
    "\x7f",
    *map(chr, range(0x202A, 0x202F)),
    *map(chr, range(0x2066, 0x206A)),
    *map(chr, range(0x200B, 0x2010)),
    "\u2060",
    "\u00ad",
    "\ufeff",
    "\U000e0001",
    "\U000e0041",
    "\U000e007f",
    "\u2028",
    "\u2029",
    "\u115f",
    "\u3164",
    "\ufe0f",
    "\ud800",
    "\xa0",
    "\u2003",
    "\u202f",
    "\u2800",
    "\u3000",
    "\ue000",
]


CUSTOM = RegisteredTool("deploy", "deploy", "", {}, "custom", True, "")


@pytest.mark.parametrize("hidden", HIDDEN, ids=ascii)
def test_control_bidi_and_invisible_characters_are_written_out(hidden: str) -> None:
    shown = visible(f"before {hidden} after")
    assert "\\u{" in shown
    assert all(character.isprintable() for character in shown)


@pytest.mark.parametrize("text", ["", "plain", "line\nline\ttab", "Grüße 查询 🎫", "back\\slash"])
def test_text_that_shows_itself_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


def test_every_format_and_control_character_of_unicode_is_written_out() -> None:
    left = [
        hex(code)
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        and chr(code) not in "\n\t"
        and visible(chr(code)) == chr(code)
    ]
    assert left == []


def test_a_command_is_shown_with_its_folder() -> None:
    shown = preview(built_in(BUILTINS["bash"]), {"command": "echo \x1b]8;;http://evil\x07hi"}, Path("/work\u202e"))
    assert shown.command == "echo \\u{1b}]8;;http://evil\\u{7}hi"
    assert shown.cwd == str(Path("/work\\u{202e}"))


def test_other_arguments_are_shown_whole() -> None:
    content = "x" * 100_000
    shown = preview(built_in(BUILTINS["write_file"]), {"path": "a.txt", "content": content}, Path("/work"))
    assert content in shown.text
    assert '"path": "a.txt"' in shown.text


def test_an_argument_that_holds_line_ends_cannot_leave_its_place() -> None:
    shown = preview(CUSTOM, {"text": "\n" * 500 + "Approved"}, Path("/work"))
    assert shown.text.count("\n") == 2


def test_every_call_shows_the_folder_it_runs_in() -> None:
    shown = preview(CUSTOM, {"command": "x"}, Path("/work"))
    assert (shown.command, shown.cwd) == (None, str(Path("/work")))
