"""Workspaces made to do harm: no tool hangs, leaves the workspace or raises, whatever lies there."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from adal_ls.agent.sandbox import sandbox
from tests.agent.builtin.conftest import Desk

CANARY = "canary-4711"

Harm = Callable[[Path, Path], None]
"""Makes one harmful thing in a workspace (first) next to a folder of secrets (second)."""


def link_to_a_secret(root: Path, outside: Path) -> None:
    (root / "x").symlink_to(outside / "secret")


def link_to_a_folder_of_secrets(root: Path, outside: Path) -> None:
    (root / "x").symlink_to(outside)


def tree_of_links(root: Path, outside: Path) -> None:
    (root / "a").mkdir()
    (root / "a" / "b").symlink_to(outside)
    (root / "x").symlink_to("a/b/secret")


def link_to_itself(root: Path, outside: Path) -> None:
    (root / "x").symlink_to("x")


def links_in_a_circle(root: Path, outside: Path) -> None:
    (root / "x").symlink_to("y")
    (root / "y").symlink_to("x")


def folder_that_holds_itself(root: Path, outside: Path) -> None:
    (root / "x").mkdir()
    (root / "x" / "up").symlink_to("..")


def link_to_the_processes(root: Path, outside: Path) -> None:
    (root / "x").symlink_to("/proc/self/environ")


def link_to_the_root(root: Path, outside: Path) -> None:
    (root / "x").symlink_to("/")


def dangling_link(root: Path, outside: Path) -> None:
    (root / "x").symlink_to(outside / "not-there")


def pipe(root: Path, outside: Path) -> None:
    os.mkfifo(root / "x")


def socket_file(root: Path, outside: Path) -> None:
    here = Path.cwd()
    os.chdir(root)  # a socket's path is short
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("x")
    finally:
        os.chdir(here)


def link_to_an_endless_device(root: Path, outside: Path) -> None:
    (root / "x").symlink_to("/dev/zero")


def huge_sparse_file(root: Path, outside: Path) -> None:
    with (root / "x").open("wb") as file:
        file.truncate(1 << 40)


def one_long_line(root: Path, outside: Path) -> None:
    (root / "x").write_bytes(b"a" * 9_000_000)


def binary_file(root: Path, outside: Path) -> None:
    (root / "x").write_bytes(bytes(range(256)) * 100)


def wrong_utf8(root: Path, outside: Path) -> None:
    (root / "x").write_bytes(b"\xff\xfe\xfa caf\xe9 \xed\xa0\x80\n" * 10)


def utf16_cut_short(root: Path, outside: Path) -> None:
    (root / "x").write_bytes(b"\xff\xfea\0b")


def names_that_are_no_text(root: Path, outside: Path) -> None:
    (root / "x").mkdir()
    (root / os.fsdecode(b"x/\xff\xfe")).write_text("1")


def names_with_controls(root: Path, outside: Path) -> None:
    (root / "x").mkdir()
    for name in (
        "a\nb.txt:1:forged",
        "esc\x1b[2J",
        "bidi\u202etxt",
        "tab\t",
        "cr\r",
        " ",
        "~",
        "$(touch ran)",
        "`ran`",
    ):
        (root / "x" / name).write_text("1 needle\n")


def names_like_options(root: Path, outside: Path) -> None:
    (root / "x").mkdir()
    for name in ("-rf", "--pre=sh", "-e", "--", "-"):
        (root / "x" / name).write_text("1 needle\n")


def very_deep_folders(root: Path, outside: Path) -> None:
    folder = root / "x"
    for _ in range(300):
        folder = folder / "d"
    folder.mkdir(parents=True)


def very_many_files(root: Path, outside: Path) -> None:
    (root / "x").mkdir()
    for number in range(3000):
        (root / "x" / f"{number}").touch()


def git_hooks(root: Path, outside: Path) -> None:
    hooks = root / ".git" / "hooks"
    hooks.mkdir(parents=True)
    (hooks / "pre-commit").write_text(f"#!/bin/sh\ntouch {outside}/ran\n")
    (hooks / "pre-commit").chmod(0o755)
    (root / ".git" / "config").write_text(f"[core]\nfsmonitor = touch {outside}/ran\n")
    (root / "x").write_text("1")


def nested_repository(root: Path, outside: Path) -> None:
    (root / "x" / ".git").mkdir(parents=True)
    (root / "x" / ".git" / "config").write_text(f"[core]\n\tpager = {CANARY}\n")
    (root / "x" / ".gitignore").write_text("*\n")


def gitignore_that_is_a_link_out(root: Path, outside: Path) -> None:
    (root / ".gitignore").symlink_to(outside / "secret")
    (root / "x").write_text("1")


def gitignore_that_is_a_pipe(root: Path, outside: Path) -> None:
    os.mkfifo(root / ".gitignore")
    (root / "x").write_text("1")


def gitignore_of_nonsense(root: Path, outside: Path) -> None:
    (root / ".gitignore").write_bytes(b"[\n!\n**a**/**b\n\xff\n" + b"*a" * 5000 + b"\n" + b"/\n" * 50_000)
    (root / ("a" * 200)).write_text("1")
    (root / "x").write_text("1")


def gitignore_full_of_stars(root: Path, outside: Path) -> None:
    lines = ["*a" * 12 + "*b", "[a-b]*" * 40 + "c", "**/a/" * 40 + "b", "*a*a*b", *["*a*a*a"] * 1000, "**a**a**a**a**b"]
    (root / ".gitignore").write_text("\n".join(lines))
    for number in range(3):
        (root / ("a" * 200 + str(number))).write_text("1 needle")
    (root / Path(*["a"] * 60)).mkdir(parents=True)
    (root / "x").write_text("1")


def ripgrep_settings(root: Path, outside: Path) -> None:
    (root / ".ripgreprc").write_text("--pre=sh\n")
    (root / ".ignore").write_text("*\n")
    (root / ".rgignore").write_text("*\n")
    (root / "x").write_text("1")


def unreadable_folder(root: Path, outside: Path) -> None:
    (root / "x").mkdir(mode=0)


def unreadable_file(root: Path, outside: Path) -> None:
    (root / "x").write_text("1")
    (root / "x").chmod(0)


def secret_by_a_hard_link(root: Path, outside: Path) -> None:
    (root / ".env").write_text(CANARY)
    os.link(root / ".env", root / "x")


def bare_repository_with_hooks(root: Path, outside: Path) -> None:
    for name in ("hooks", "objects", "refs"):
        (root / "x" / name).mkdir(parents=True)
    (root / "x" / "HEAD").write_text("ref: refs/heads/main\n")
    (root / "x" / "config").write_text(f"[core]\nfsmonitor = touch {outside}/ran\n")


def git_file_that_points_out(root: Path, outside: Path) -> None:
    (root / ".git").write_text(f"gitdir: {outside}\n")
    (root / "x").write_text("1")


def names_that_look_alike(root: Path, outside: Path) -> None:
    (root / "x").mkdir()
    for name in (
        "caf\u00e9",
        "cafe\u0301",
        "\u0430.txt",
        "a.txt",
        "A.TXT",
        "\u1e9e",
        "ss",
        "a\u00a0b",
        "a b",
        "\uff0e\uff0e",
    ):
        (root / "x" / name).write_text("1 needle\n")


def names_as_long_as_they_get(root: Path, outside: Path) -> None:
    (root / "x").mkdir()
    (root / "x" / ("n" * 255)).write_text("1")
    (root / "x" / ("\U0001f40d" * 63)).write_text("1")


def gitignore_without_end(root: Path, outside: Path) -> None:
    with (root / ".gitignore").open("wb") as file:
        file.truncate(1 << 40)
    (root / "x").write_text("1")


def link_to_its_own_process(root: Path, outside: Path) -> None:
    (root / "x").symlink_to("/proc/self/root/etc")


def link_to_an_open_file(root: Path, outside: Path) -> None:
    (root / "x").symlink_to("/dev/fd/0")


HARM: list[Harm] = [
    *(bare_repository_with_hooks, git_file_that_points_out, names_that_look_alike, names_as_long_as_they_get),
    *(gitignore_full_of_stars, gitignore_without_end, link_to_its_own_process, link_to_an_open_file),
    *(link_to_a_secret, link_to_a_folder_of_secrets, tree_of_links, link_to_itself, links_in_a_circle),
    *(folder_that_holds_itself, link_to_the_processes, link_to_the_root, dangling_link, pipe, socket_file),
    *(link_to_an_endless_device, huge_sparse_file, one_long_line, binary_file, wrong_utf8, utf16_cut_short),
    *(names_that_are_no_text, names_with_controls, names_like_options, very_deep_folders, very_many_files, git_hooks),
    *(nested_repository, gitignore_that_is_a_link_out, gitignore_that_is_a_pipe, gitignore_of_nonsense),
    *(ripgrep_settings, unreadable_folder, unreadable_file, secret_by_a_hard_link),
]

CALLS: list[tuple[str, dict[str, str]]] = [
    ("read_file", {"path": "x"}),
    ("read_file", {"path": "x/secret"}),
    ("list_files", {}),
    ("list_files", {"path": "x"}),
    ("glob", {"pattern": "**"}),
    ("glob", {"pattern": "**/*", "path": "x"}),
    ("grep", {"pattern": "canary|needle|^1"}),
    ("grep", {"pattern": "canary|needle|^1", "path": "x"}),
    ("edit_file", {"path": "x", "old_text": "1", "new_text": "2"}),
    ("write_file", {"path": "x", "content": "w"}),
    ("write_file", {"path": "x/new", "content": "w"}),
]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes, sockets and modes of POSIX")


@pytest.mark.parametrize("searcher", ["ripgrep", "python"])
@pytest.mark.parametrize("harm", HARM, ids=lambda harm: harm.__name__)
async def test_no_tool_hangs_leaves_the_workspace_or_raises(
    desk: Desk, tmp_path: Path, harm: Harm, searcher: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARMLESS", CANARY)
    if searcher == "python":
        monkeypatch.setattr(sandbox, "find_program", lambda name, *workspaces: None)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text(CANARY)
    harm(desk.root, outside)
    shown_secret = harm is secret_by_a_hard_link  # reading it by name is asked about; the tests of policy see to that
    for name, arguments in CALLS:
        result = await asyncio.wait_for(desk(name, **arguments), 20)
        assert result.status in ("success", "error")
        if not (shown_secret and arguments.get("path") == "x"):
            assert CANARY not in result.observation, (name, arguments)
        assert "Traceback" not in result.observation
    assert {file.name: file.read_text() for file in outside.iterdir()} == {"secret": CANARY}


async def test_no_name_can_forge_a_line(desk: Desk, tmp_path: Path) -> None:
    names_with_controls(desk.root, tmp_path)
    found = await desk.text("grep", pattern="needle")
    assert len(found.splitlines()) == 9
    assert all(line.startswith("x/") and line.endswith(":1:1 needle") for line in found.splitlines())
    assert r"a\u{a}b.txt" in await desk.text("list_files", path="x")
    assert "\x1b" not in await desk.text("glob", pattern="**/*") + found
