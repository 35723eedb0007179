"""grep, by ripgrep in the sandbox and by our own search: the same lines from both."""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
from pathlib import Path

import pytest

from adal_ls.agent.builtin import python_search, ripgrep, searching, walk
from adal_ls.agent.builtin.searching import Found, Search
from adal_ls.agent.sandbox import sandbox
from adal_ls.agent.sandbox.sandbox import SandboxUnavailableError
from adal_ls.agent.workspaces import reach
from tests.agent.builtin.conftest import Desk

assert shutil.which("rg"), "both searches are compared, so ripgrep is needed"


@pytest.fixture(params=["ripgrep", "python"])
def both(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each test once with ripgrep and once without."""
    if request.param == "python":
        monkeypatch.setattr(sandbox, "find_program", lambda name, *workspaces: None)
    return str(request.param)


async def found(desk: Desk, pattern: str, path: str = ".") -> tuple[Found, Found]:
    """What ripgrep finds, and what our own search finds."""
    place, is_folder = walk.folder_or_file(path, desk.policy)
    search = Search(pattern, place, is_folder, desk.policy)
    files = searching.files(search, walk.Walk(desk.policy))
    theirs = await ripgrep.search(search, [str(file.real) for file in files], 10, desk.root)
    assert theirs is not None
    return theirs, python_search.search(search, files, 10, threading.Event())


def corpus(desk: Desk) -> None:
    desk.file(".gitignore", "*.log\n/build/\n!keep.log\nnode_modules\n\\#odd\n# comment\n\nsub/*.tmp\n")
    desk.file("a.py", "needle = 1\nother\n  Needle two\r\nneedle")
    desk.file("crlf.txt", "one needle\r\ntwo\r\nneedle\r\n")
    desk.file("x.log", "needle")
    desk.file("keep.log", "needle")
    desk.file("build/out.py", "needle")
    desk.file("deep/build/out.py", "needle")
    desk.file("node_modules/m/index.js", "needle")
    desk.file("sub/.gitignore", "!x.log\n/only-here\n*.gen\n")
    desk.file("sub/x.log", "needle")
    desk.file("sub/only-here", "needle")
    desk.file("sub/deeper/only-here", "needle")
    desk.file("sub/deeper/y.gen", "needle")
    desk.file("sub/z.tmp", "needle")
    desk.file("sub/deeper/z.tmp", "needle")
    desk.file(".hidden/config", "needle")
    desk.file(".git/config", "needle")
    desk.file(".env", "needle")
    desk.file("app/.ENV.local", "needle")
    desk.file("binary.bin", b"needle\0needle\n")
    desk.file("wide.txt", "needle wide\n".encode("utf-16"))
    desk.file("bom.txt", b"\xef\xbb\xbfneedle first\n")
    desk.file("latin.txt", b"caf\xe9 needle\n")
    desk.file("empty.txt")
    desk.file("größe/ünï 查.txt", "needle é\n")
    desk.file("-dash.txt", "needle\n")
    desk.file("#odd", "needle\n")
    desk.file("long.txt", "x" * 10_000 + " needle " + "y" * 10_000 + "\n")
    (desk.root / "link.py").symlink_to("a.py")
    (desk.root / "loop").symlink_to(".")
    os.mkfifo(desk.root / "pipe")


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("needle", "."),
        ("(?i)NEEDLE", "."),
        ("^needle$", "."),
        ("needle", "sub"),
        ("needle", "sub/deeper"),
        ("needle", "a.py"),
        ("needle", "x.log"),
        ("needle", "-dash.txt"),
        (r"\bn[e]{2}d(le|ed)\s*=", "."),
        ("é$", "größe"),
        ("wide", "."),
        ("nothing like this", "."),
        ("^$", "."),
        (r"\Aneedle", "."),
        (r"needle\s*$", "."),
        (r"[^x]+needle", "."),
        (r"two\s+needle", "."),
    ],
)
async def test_both_searches_find_the_same_lines(desk: Desk, pattern: str, path: str) -> None:
    corpus(desk)
    theirs, ours = await found(desk, pattern, path)
    assert ours.matches == theirs.matches
    assert ours.notes == theirs.notes == ()


async def test_what_is_searched_and_what_is_left_out(desk: Desk, both: str) -> None:
    corpus(desk)
    names = {line.split(":", 1)[0] for line in (await desk.text("grep", pattern="needle")).splitlines()}
    assert names == {
        *("-dash.txt", ".hidden/config", "a.py", "bom.txt", "crlf.txt", "deep/build/out.py", "keep.log"),
        *(
            "größe/ünï 查.txt",
            "latin.txt",
            "long.txt",
            "sub/deeper/only-here",
            "sub/deeper/z.tmp",
            "sub/x.log",
            "wide.txt",
        ),
    }


async def test_a_line_stands_with_its_place(desk: Desk, both: str) -> None:
    desk.file("sub/a.py", "x\nneedle here\r\n")
    assert await desk.text("grep", pattern="needle") == "sub/a.py:2:needle here"
    assert await desk.text("grep", pattern="needle", path="sub/a.py") == "sub/a.py:2:needle here"
    assert await desk.text("grep", pattern="nothing") == "[no line matches]"


async def test_many_and_long_lines_are_cut_with_a_notice(desk: Desk, both: str) -> None:
    for number in range(4):
        desk.file(f"{number}.txt", f"needle {'x' * 2000}\n" * 300)
    lines = (await desk.text("grep", pattern="needle")).splitlines()
    assert len(lines) == 501
    assert lines[0] == f"0.txt:1:{('needle ' + 'x' * 2000)[:400]} [1,607 more]"
    assert "more than 500 lines match" in lines[-1]


async def test_a_secret_is_not_found_under_another_name(desk: Desk, both: str) -> None:
    os.link(desk.file(".env", "KEY=canary"), desk.root / "notes.txt")
    (desk.root / "sub").mkdir()
    os.link(desk.root / ".env", desk.root / "sub" / "more.txt")
    assert await desk.text("grep", pattern="canary") == "[no line matches]"
    assert "canary" in await desk.text("grep", pattern="canary", path=".env")


async def test_f3_nothing_outside_is_searched(desk: Desk, tmp_path: Path, both: str) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("canary")
    (desk.root / "gate").symlink_to(tmp_path / "outside")
    desk.file("a.txt", "canary inside")
    assert await desk.text("grep", pattern="canary") == "a.txt:1:canary inside"
    for path in ("gate", "gate/secret", "..", str(tmp_path)):
        assert "outside" in await desk.refusal("grep", pattern="canary", path=path)


async def test_what_a_policy_denies_is_not_searched(desk: Desk, both: str) -> None:
    desk.file("keep/a.txt", "canary")
    desk.file("b.txt", "canary")
    under = desk.allow(deny_read=["keep"])
    assert await under.text("grep", pattern="canary") == "b.txt:1:canary"
    assert "denied" in await under.refusal("grep", pattern="canary", path="keep")


@pytest.mark.parametrize(
    "pattern",
    ["(", "[a", "a(?=b)", "(?<!a)b", r"(a)\1", "(?P<x>a)(?P=x)", "a\nb", "x" * 3000, "((a{99}){99}){99}", "a{999999}",
     "(?:a{9}b{9}){9}{,99}{9,}"],
)  # fmt: skip
async def test_a_pattern_that_is_none_is_refused_by_both_alike(desk: Desk, both: str, pattern: str) -> None:
    desk.file("a.txt", "ab")
    said = await desk.refusal("grep", pattern=pattern)
    assert "pattern" in said


@pytest.mark.parametrize(
    "pattern", ["a{1,99}", r"(\d{4}-){2}\p{L}{0,9}[]{9}]{5}\{99999\}|needle", "(?i)(?:NEED){1}le{1}"]
)
async def test_a_pattern_of_many_counts_is_taken_where_they_are_small(desk: Desk, both: str, pattern: str) -> None:
    desk.file("a.txt", "a needle")
    assert await desk.text("grep", pattern=pattern) == "a.txt:1:a needle"


async def test_a_pattern_that_takes_for_ever_is_given_up(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "find_program", lambda name, *workspaces: None)
    monkeypatch.setattr(searching, "SECONDS", 0.3)
    desk.file("a.txt", "a" * 40 + "!\n")
    said = await asyncio.wait_for(desk.text("grep", pattern="^(a|a|aa)+$"), 10)
    assert "stopped after 0.3 seconds" in said


async def test_without_a_sandbox_our_own_search_is_used(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    async def none(*_: object, **__: object) -> None:
        raise SandboxUnavailableError("no")

    monkeypatch.setattr(sandbox, "run_program", none)
    desk.file("a.txt", "needle")
    assert await desk.text("grep", pattern="needle") == "a.txt:1:needle"


async def test_a_ripgrep_that_the_workspace_brings_is_never_used(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    planted = desk.file("bin/rg", f"#!/bin/sh\ntouch {desk.root}/ran\n")
    planted.chmod(0o755)
    monkeypatch.setenv("PATH", f"{planted.parent}{os.pathsep}{os.environ['PATH']}")
    desk.file("a.txt", "needle")
    assert "a.txt:1:needle" in await desk.text("grep", pattern="needle")
    assert not (desk.root / "ran").exists()


def test_a_folder_turned_into_a_link_after_the_check_is_not_entered(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("canary")
    desk.file("sub/a.txt", "fine")
    place = reach.resolve(desk.policy, "sub", "read")
    (desk.root / "sub").rename(desk.root / "moved")
    (desk.root / "sub").symlink_to(tmp_path / "outside")
    walking = walk.Walk(desk.policy)
    assert list(walking.files(place)) == []
    assert walking.notes() == ["[1 folder could not be read]"]


async def test_no_program_of_the_project_is_used_where_the_tool_works_in_a_folder_of_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("rg", "bwrap"):
        desk.file(f"bin/{name}", f"#!/bin/sh\ntouch {desk.root}/ran\n").chmod(0o755)
    monkeypatch.setenv("PATH", f"{desk.root}/bin{os.pathsep}{os.environ['PATH']}")
    desk.file("sub/a.txt", "needle")
    assert await desk.allow(cwd="sub").text("grep", pattern="needle") == "a.txt:1:needle"
    assert not (desk.root / "ran").exists()
