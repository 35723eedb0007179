"""edit_file. Codes F1 to F7 are those of the workspace tools' checklist."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from adal_ls.agent.approvals import base_file
from adal_ls.agent.files import editing
from tests.agent.builtin.conftest import Desk


async def test_f7_one_match_is_replaced(desk: Desk) -> None:
    place = desk.file("a.py", "x = 1\ny = 2\nz = 3\n")
    said = await desk.text("edit_file", path="a.py", old_text="y = 2\n", new_text="y = 4\ny2 = 5\n")
    assert said == "[edited a.py at line 2: 1 line became 2]"
    assert place.read_text() == "x = 1\ny = 4\ny2 = 5\nz = 3\n"


async def test_f7_no_match_is_an_error_and_the_file_stays(desk: Desk) -> None:
    place = desk.file("a.py", "x = 1\n")
    said = await desk.refusal("edit_file", path="a.py", old_text="y = 1", new_text="z")
    assert "old_text is not in the file. Read the file again. Copy the text exactly, with its indentation" in said
    assert "Nothing was written" in said
    assert place.read_text() == "x = 1\n"


async def test_f7_many_matches_are_an_error_with_their_lines_and_the_file_stays(desk: Desk) -> None:
    place = desk.file("a.py", "x\ny\nx\n")
    assert "2 times (lines 1, 3)" in await desk.refusal("edit_file", path="a.py", old_text="x", new_text="z")
    assert place.read_text() == "x\ny\nx\n"


async def test_f7_a_result_over_the_cap_is_an_error_and_the_file_stays(desk: Desk) -> None:
    place = desk.file("a.txt", "0123456789")
    small = desk.allow(max_write_bytes=12)
    assert "13 bytes" in await small.refusal("edit_file", path="a.txt", old_text="9", new_text="9abc")
    assert place.read_text() == "0123456789"


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        ("a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", "x\r\ny\r\nz\r\nc\r\n"),
        ("a\r\nb\r\n", "b", "b\nc", "a\r\nb\r\nc\r\n"),
        ("a\nb\n", "a\r\nb\r\n", "x\r\ny\r\n", "x\ny\n"),
        ("a\nb\r\nc\n", "b\n", "d\ne\n", "a\nd\r\ne\r\nc\n"),
        ("\ufeffa\n", "a", "b", "\ufeffb\n"),
        ("no end", "end", "end at all", "no end at all"),
        ("gone\nstays\n", "gone\n", "", "stays\n"),
    ],
)
async def test_line_ends_and_byte_order_mark_are_kept(desk: Desk, before: str, old: str, new: str, after: str) -> None:
    place = desk.file("a.txt", before)
    await desk.text("edit_file", path="a.txt", old_text=old, new_text=new)
    assert place.read_bytes().decode() == after


@pytest.mark.parametrize(
    ("text", "old", "new", "why"),
    [
        ("aaa", "aa", "b", "2 times"),
        ("a\nb", "a\nb", "a\r\nb", "line ends alone"),
        ("x", "x", "x", "the same"),
        ("def f():\n\treturn 1\n", "def f():\n    return 1", "x", "line 1 differs from it in white space alone"),
        ("a\r\nb", "", "x", "empty"),
    ],
)
def test_an_edit_without_one_meaning_is_refused(text: str, old: str, new: str, why: str) -> None:
    with pytest.raises(editing.CannotEditError, match=why):
        editing.edit(text, old, new)


async def test_what_is_no_text_is_not_edited(desk: Desk) -> None:
    for name, content, why in (
        ("latin", b"caf\xe9", "not UTF-8 text"),
        ("binary", b"a\0b", "binary"),
        ("wide", "a".encode("utf-16"), "UTF-16"),
    ):
        place = desk.file(name, content)
        assert why in await desk.refusal("edit_file", path=name, old_text="a", new_text="b")
        assert place.read_bytes() == content


async def test_f2_f3_missing_and_outside_files_are_told_apart(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "out.txt").write_text("a")
    (desk.root / "link").symlink_to(tmp_path / "out.txt")
    assert "there is no file 'a.txt'" in await desk.refusal("edit_file", path="a.txt", old_text="a", new_text="b")
    for path in ("../out.txt", "link", str(tmp_path / "out.txt")):
        assert "outside" in await desk.refusal("edit_file", path=path, old_text="a", new_text="b")
    assert (tmp_path / "out.txt").read_text() == "a"


async def test_an_approved_edit_meets_the_file_that_was_shown(desk: Desk) -> None:
    place = desk.file("a.txt", "old and more")
    desk.base = base_file.seen(desk.root, "a.txt")
    place.write_text("old and other")
    assert "changed since approval" in await desk.refusal("edit_file", path="a.txt", old_text="old", new_text="new")
    desk.base = base_file.seen(desk.root, "a.txt")
    assert await desk.text("edit_file", path="a.txt", old_text="old", new_text="new")


async def test_a_mode_that_changed_since_approval_counts(desk: Desk) -> None:
    place = desk.file("a.txt", "old")
    desk.base = base_file.seen(desk.root, "a.txt")
    os.chmod(place, 0o755)  # noqa: PTH101
    assert "changed since approval" in await desk.refusal("edit_file", path="a.txt", old_text="old", new_text="new")
