"""read_file under a policy. Codes F1 to F8 are those of the workspace tools' checklist.

`test_builtin_read_file` has what needs no policy.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.agent.builtin.conftest import Desk


async def test_f1_relative_nested_and_dotted_paths_lead_to_the_real_file(desk: Desk) -> None:
    desk.file("a/b/c.txt", "deep")
    (desk.root / "link").symlink_to("a/b")
    for path in ("a/b/c.txt", "./a/../a/b/c.txt", "link/c.txt", "link/../b/c.txt", str(desk.root / "a/b/c.txt")):
        assert await desk.text("read_file", path=path) == "deep"


async def test_f2_f5_missing_folders_and_text_are_told_apart(desk: Desk) -> None:
    desk.file("a/x", "text")
    assert await desk.text("read_file", path="a/x") == "text"
    assert "there is no file 'b'" in await desk.refusal("read_file", path="b")
    assert "is a folder" in await desk.refusal("read_file", path="a")


async def test_f5_the_cap_is_the_policys(desk: Desk) -> None:
    desk.file("a.txt", "0123456789\nabc\n")
    small = desk.allow(max_read_bytes=11)
    assert "has 15 bytes, more than the 11" in await small.refusal("read_file", path="a.txt")
    assert (await small.text("read_file", path="a.txt", limit=5)).startswith("0123456789\n[lines 1 to 1")


@pytest.mark.parametrize("path", ["../out/secret", "gate/secret", "a/gate/secret", "file-gate", "{out}/secret"])
async def test_f3_f4_f5_no_way_out_is_read(desk: Desk, tmp_path: Path, path: str) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "secret").write_text("canary")
    desk.file("a/x")
    (desk.root / "gate").symlink_to(out)
    (desk.root / "a" / "gate").symlink_to(out)
    (desk.root / "file-gate").symlink_to(out / "secret")
    said = await desk.refusal("read_file", path=path.format(out=out))
    assert "outside" in said
    assert "canary" not in said


async def test_f8_what_may_be_read_is_what_the_list_says(desk: Desk, tmp_path: Path) -> None:
    beside = tmp_path / "beside.txt"
    beside.write_text("beside")
    desk.file("a.txt", "inside")
    only = desk.allow(allow_read=[str(beside)])
    assert await only.text("read_file", path=str(beside)) == "beside"
    assert "outside" in await only.refusal("read_file", path="a.txt")
    assert await desk.allow(allow_read=["**"]).text("read_file", path=str(beside)) == "beside"
    nothings: tuple[list[str] | None, ...] = ([], None)
    for nothing in nothings:
        assert "outside" in await desk.allow(allow_read=nothing).refusal("read_file", path="a.txt")


async def test_an_allowed_file_that_became_a_link_is_not_followed(desk: Desk, tmp_path: Path) -> None:
    kept = desk.file("kept.txt", "fine")
    only = desk.allow(allow_read=["kept.txt"])
    (tmp_path / "secret").write_text("canary")
    kept.unlink()
    kept.symlink_to(tmp_path / "secret")
    assert "canary" not in await only.refusal("read_file", path="kept.txt")
    assert os.path.lexists(kept)
