"""The diff of an edit, as a person is shown it."""

from __future__ import annotations

import difflib
import os
import random
import time
from pathlib import Path

import pytest

from adal_ls.agent.files.edit_diff import MOST, bounded, diff, unified
from adal_ls.agent.workspaces.workspace_policy import WorkspacePolicy


def reference(before: str, after: str) -> list[str]:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), "a", "a", lineterm="")
    return list(lines)


def test_a_diff_is_what_diff_itself_would_say() -> None:
    chance = random.Random(7)
    for _ in range(200):
        before = [chance.choice("abcdef") for _ in range(chance.randrange(40))]
        after = list(before)
        for _ in range(chance.randrange(1, 4)):
            after[chance.randrange(len(after) + 1) : chance.randrange(len(after) + 1)] = [chance.choice("xyz")]
        old, new = ("".join(f"{line}\n" for line in lines) for lines in (before, after))
        if old == new:
            continue
        shown = unified(old, new, "a").splitlines()
        assert apply(before, shown) == after
        assert [line for line in shown if line.startswith("@@")][:1] == [
            line for line in reference(old, new) if line.startswith("@@")
        ][:1]


def apply(before: list[str], shown: list[str]) -> list[str]:
    """What a unified diff makes of `before`."""
    out: list[str] = []
    at = 0
    for line in shown[2:]:
        if line.startswith("@@"):
            first, _, count = line.split()[1][1:].partition(",")
            start = int(first) - (1 if count != "0" else 0)
            out += before[at:start]
            at = start
        elif line[0] == "+":
            out.append(line[1:])
        else:
            assert before[at] == line[1:]
            out += [line[1:]] if line[0] == " " else []
            at += 1
    return out + before[at:]


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("a\r\nb\r\n", "a\r\nc\r\n", " a\n-b\n+c"),
        ("a\r\nb\n", "a\r\nc\n", " a\\u{d}\n-b\n+c"),
        ("a", "a\n", "-a\n\\ No newline at end of file\n+a"),
        ("a\n", "a\u200b\n", "-a\n+a\\u{200b}"),
        ("", "x\n", "+x"),
        ("x\n", "", "-x"),
    ],
)
def test_what_changes_can_be_seen(before: str, after: str, shown: str) -> None:
    assert unified(before, after, "n").split("@@\n", 1)[1] == shown


def test_a_large_change_is_shown_at_once_and_bounded_with_a_notice() -> None:
    before, after = ("".join(f"{word} {number}\n" for number in range(30_000)) for word in ("old", "new"))
    began = time.monotonic()
    shown = bounded(unified(before, after, "n"))
    assert time.monotonic() - began < 2
    assert len(shown) < MOST + 200
    assert "more characters of this diff; the arguments are complete]" in shown.splitlines()[-1]


def test_a_call_that_will_fail_says_so_before_it_is_allowed(tmp_path: Path) -> None:
    policy = WorkspacePolicy.of(tmp_path)
    (tmp_path / "a.txt").write_text("one one")
    (tmp_path / "b.bin").write_bytes(b"\0")
    os.mkfifo(tmp_path / "pipe")

    def shown(tool: str, **arguments: object) -> str | None:
        return diff(tool, arguments, policy)

    assert "2 times" in (shown("edit_file", path="a.txt", old_text="one", new_text="x") or "")
    assert "there is no file" in (shown("edit_file", path="no\x1b.txt", old_text="one", new_text="x") or "")
    assert "outside" in (shown("write_file", path="../x", content="") or "")
    assert "no regular file" in (shown("write_file", path="pipe", content="") or "")
    assert "binary" in (shown("write_file", path="b.bin", content="text") or "")
    assert shown("write_file", path="a.txt", content="one one") == "[nothing would change]"
    assert shown("write_file", path=7) is None
    assert shown("write_file", path="a.txt") is None
