"""write_file, and with it how a file is replaced. Codes F1 to F6 are those of the workspace tools' checklist."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from adal_ls.agent.approvals import base_file
from adal_ls.agent.files import replacing
from adal_ls.agent.files.opening import CannotOpenError
from adal_ls.agent.workspaces import reach
from adal_ls.agent.workspaces.places import OutsideWorkspaceError
from adal_ls.agent.workspaces.workspace_policy import WorkspacePolicy
from tests.agent.builtin.conftest import Desk


async def test_f6_a_file_is_made_and_replaced(desk: Desk) -> None:
    assert await desk.text("write_file", path="a.txt", content="één\n") == "[created a.txt: 6 bytes]"
    assert await desk.text("write_file", path="a.txt", content="") == "[replaced a.txt: 0 bytes]"
    assert (desk.root / "a.txt").read_bytes() == b""


async def test_f6_no_folder_is_made(desk: Desk) -> None:
    assert "the folder of 'new/a.txt' does not exist" in await desk.refusal("write_file", path="new/a.txt", content="x")
    assert list(desk.root.iterdir()) == []


async def test_f6_more_than_the_cap_is_refused_and_nothing_is_written(desk: Desk) -> None:
    small = desk.allow(max_write_bytes=4)
    assert "5 bytes" in await small.refusal("write_file", path="a.txt", content="12345")
    assert "6 bytes" in await small.refusal("write_file", path="a.txt", content="ééé")
    assert await small.text("write_file", path="a.txt", content="1234")


async def test_f1_paths_within_the_root_lead_to_their_real_place(desk: Desk) -> None:
    desk.file("sub/deep/x")
    (desk.root / "link").symlink_to("sub/deep")
    assert await desk.text("write_file", path="sub/../link/y", content="1") == "[created sub/deep/y: 1 bytes]"
    assert await desk.text("write_file", path=str(desk.root / "z"), content="1") == "[created z: 1 bytes]"


@pytest.mark.parametrize(
    "path", ["../out.txt", "gate/out.txt", "gate/new/../out.txt", "file-gate", "{outside}/out.txt"]
)
async def test_f3_f4_nothing_outside_is_written(desk: Desk, tmp_path: Path, path: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "old").write_text("old")
    (desk.root / "gate").symlink_to(outside)
    (desk.root / "file-gate").symlink_to(outside / "old")
    assert "outside" in await desk.refusal("write_file", path=path.format(outside=outside), content="bad")
    assert [(file.name, file.read_text()) for file in outside.iterdir()] == [("old", "old")]
    assert not (tmp_path / "out.txt").exists()


async def test_a_new_file_under_a_dangling_link_is_refused(desk: Desk, tmp_path: Path) -> None:
    (desk.root / "inside").symlink_to("not-there")
    (desk.root / "out").symlink_to(tmp_path / "not-there")
    assert "a link to a file that does not exist" in await desk.refusal("write_file", path="inside", content="x")
    assert "outside" in await desk.refusal("write_file", path="out", content="x")
    assert not (tmp_path / "not-there").exists()
    assert not (desk.root / "not-there").exists()


async def test_a_link_to_a_file_stays_a_link(desk: Desk) -> None:
    desk.file("real", "old")
    (desk.root / "link").symlink_to("real")
    await desk.text("write_file", path="link", content="new")
    assert (desk.root / "link").is_symlink()
    assert (desk.root / "real").read_text() == "new"


async def test_the_mode_is_kept_and_no_special_bit_is(desk: Desk) -> None:
    desk.file("run.sh").chmod(0o4751)
    await desk.text("write_file", path="run.sh", content="echo")
    assert stat.S_IMODE((desk.root / "run.sh").stat().st_mode) == 0o751


async def test_a_hard_link_outside_keeps_what_it_holds(desk: Desk, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("mine")
    os.link(outside, desk.root / "inside")
    await desk.text("write_file", path="inside", content="theirs")
    assert (outside.read_text(), (desk.root / "inside").read_text()) == ("mine", "theirs")


async def test_read_only_files_folders_and_pipes_are_not_written(desk: Desk) -> None:
    desk.file("kept", "x").chmod(0o444)
    (desk.root / "folder").mkdir()
    os.mkfifo(desk.root / "pipe")
    assert "read-only" in await desk.refusal("write_file", path="kept", content="y")
    assert "is a folder" in await desk.refusal("write_file", path="folder", content="y")
    assert "is a folder" in await desk.refusal("write_file", path=".", content="y")
    assert "no regular file" in await desk.refusal("write_file", path="pipe", content="y")
    assert stat.S_ISFIFO((desk.root / "pipe").lstat().st_mode)


async def test_nothing_is_left_behind_when_the_disk_is_full(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.file("a.txt", "old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert "No space left on device" in await desk.refusal("write_file", path="a.txt", content="new")
    assert [(file.name, file.read_text()) for file in desk.root.iterdir()] == [("a.txt", "old")]


async def test_a_file_that_changed_after_the_decision_is_not_overwritten(desk: Desk) -> None:
    place = desk.file("a.txt", "shown")
    desk.base = base_file.seen(desk.root, "a.txt")
    place.write_text("other")
    assert "changed since approval" in await desk.refusal("write_file", path="a.txt", content="new")
    desk.base = base_file.seen(desk.root, "b.txt")
    desk.file("b.txt", "appeared")
    assert "changed since approval" in await desk.refusal("write_file", path="b.txt", content="new")
    assert (place.read_text(), (desk.root / "b.txt").read_text()) == ("other", "appeared")


async def test_the_file_that_was_decided_about_is_written(desk: Desk) -> None:
    desk.file("a.txt", "shown")
    for path in ("a.txt", "b.txt"):
        desk.base = base_file.seen(desk.root, path)
        await desk.text("write_file", path=path, content="new")


def test_a_change_between_looking_and_replacing_is_noticed(desk: Desk) -> None:
    place = desk.file("a.txt", "old")
    target = replacing.look("a.txt", desk.policy, 1000)
    place.write_text("by another")
    with pytest.raises(CannotOpenError, match="changed while it was being written"):
        replacing.replace(target, b"new")
    assert [file.read_text() for file in desk.root.iterdir()] == ["by another"]


def test_a_folder_that_becomes_a_link_meanwhile_is_not_followed(desk: Desk, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    folder = desk.file("sub/a.txt", "old").parent
    target = replacing.look("sub/a.txt", desk.policy, 1000)
    folder.rename(desk.root / "moved")
    folder.symlink_to(outside)
    with pytest.raises(CannotOpenError, match="link"):
        replacing.replace(target, b"new")
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize(("allowed", "works"), [(None, True), ([], False), (["sub"], False), (["other", "."], True)])
async def test_f8_the_allow_list_says_where_writing_is_possible(
    desk: Desk, allowed: list[str] | None, works: bool
) -> None:
    (desk.root / "sub").mkdir()
    under = desk.allow(**({} if allowed is None else {"allow_write": allowed}))
    assert ((await under("write_file", path="a.txt", content="x")).status == "success") is works


def test_f8_allow_lists_are_what_they_say(tmp_path: Path) -> None:
    root = Path(os.path.realpath(tmp_path))
    parse = WorkspacePolicy.parse
    assert parse({}, cwd=root).allow_read == (root,)
    assert parse({"allow_read": []}, cwd=root).allow_read == ()
    assert parse({"allow_read": None}, cwd=root).allow_read == ()
    assert parse({"allow_read": ["**"]}, cwd=root).allow_read == (Path("/"),)
    assert parse({"allow_read": ["a"]}, cwd=root).allow_read == (root / "a",)
    assert parse({"allow_read": ["a", "./a", "b/../a"]}, cwd=root).allow_read == (root / "a",)
    (root / "a").mkdir()
    moved = parse({"allow_read": [str(root / "b")], "cwd": "a"}, cwd=root)
    assert (moved.cwd, moved.allow_read) == (root / "a", (root / "b",))


async def test_a_deny_list_beats_the_allow_list_in_every_spelling(desk: Desk) -> None:
    desk.file("keep/a.txt", "secret")
    os.link(desk.root / "keep" / "a.txt", desk.root / "other-name")
    (desk.root / "link").symlink_to("keep")
    under = desk.allow(deny_write=["keep"], deny_read=["keep/a.txt"])
    for path in ("keep/a.txt", "keep/new", "link/new", "KEEP/new", "x/../keep/new"):
        (desk.root / "KEEP").mkdir(exist_ok=True)
        assert "denied" in await under.refusal("write_file", path=path, content="x")
    for path in ("keep/a.txt", "link/a.txt", "other-name"):
        said = await under.refusal("read_file", path=path)
        assert "den" in said
        assert "secret" not in said
    assert "den" in await under.refusal("write_file", path="other-name", content="x")
    # What may not be read may not be written either, be it there or not.
    unread = desk.allow(deny_read=["keep"])
    for path in ("keep/a.txt", "keep/new", "link/new"):
        assert "denied" in await unread.refusal("write_file", path=path, content="x")


def test_paths_of_a_policy_are_compared_by_components(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws-evil").mkdir()
    policy = WorkspacePolicy.of(tmp_path / "ws")
    with pytest.raises(OutsideWorkspaceError):
        reach.resolve(policy, "../ws-evil/x", "read")
