"""list_files, glob, and the two tools of the todo list."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from adal_ls.agent.builtin import BuiltinContext, execute, walk
from adal_ls.agent.builtin.glob_pattern import BadPatternError, GlobPattern
from adal_ls.agent.builtin.todos import Todo, TodoList
from tests.agent.builtin.conftest import Desk


async def test_a_folder_is_listed_with_the_kinds_of_its_names(desk: Desk) -> None:
    desk.file("b.txt")
    desk.file("a/x")
    desk.file(".hidden")
    (desk.root / "link").symlink_to("b.txt")
    os.mkfifo(desk.root / "pipe")
    assert await desk.text("list_files") == ".hidden\na/\nb.txt\nlink@\npipe|"
    assert await desk.text("list_files", path="a") == "x"


async def test_an_empty_folder_says_so(desk: Desk) -> None:
    assert await desk.text("list_files", path=".") == "[the folder is empty]"


async def test_a_folder_of_many_names_is_cut_with_a_notice(desk: Desk) -> None:
    for number in range(2003):
        (desk.root / f"{number:05}").touch()
    lines = (await desk.text("list_files")).splitlines()
    assert len(lines) == 2001
    assert lines[-1].startswith("[3 more of 2,003 names")


async def test_f3_f5_what_cannot_be_listed_says_why(desk: Desk, tmp_path: Path) -> None:
    desk.file("a.txt")
    (desk.root / "gate").symlink_to(tmp_path)
    assert "is a file" in await desk.refusal("list_files", path="a.txt")
    assert "is not there" in await desk.refusal("list_files", path="nothing")
    for path in ("gate", "..", "/"):
        assert "outside" in await desk.refusal("list_files", path=path)


async def test_glob_finds_files_by_their_path(desk: Desk) -> None:
    for path in ("a.py", "src/b.py", "src/deep/c.py", "src/deep/c.txt", ".git/x.py", "build/y.py", ".hidden/z.py"):
        desk.file(path)
    desk.file(".gitignore", "build/\n")
    assert await desk.text("glob", pattern="*.py") == "a.py"
    assert await desk.text("glob", pattern="**/*.py") == ".hidden/z.py\na.py\nsrc/b.py\nsrc/deep/c.py"
    assert await desk.text("glob", pattern="*.py", path="src") == "src/b.py"
    assert await desk.text("glob", pattern="src/**/*.{py,txt}") == "src/b.py\nsrc/deep/c.py\nsrc/deep/c.txt"
    assert await desk.text("glob", pattern="*.rs") == "[no file matches]"


async def test_glob_stops_at_its_limit_and_says_so(desk: Desk) -> None:
    for number in range(1005):
        (desk.root / f"{number:05}").touch()
    lines = (await desk.text("glob", pattern="*")).splitlines()
    assert len(lines) == 1001
    assert "more than 1,000 files match" in lines[-1]


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("*.py", "a.py", True),
        ("*.py", "x/a.py", False),
        ("**/*.py", "a.py", True),
        ("**/*.py", "x/y/a.py", True),
        ("x/**", "x/y/z", True),
        ("x/**/z", "x/z", True),
        ("**/y/**", "x/y/z", True),
        ("a?c", "abc", True),
        ("a[bc]d", "acd", True),
        ("a[!b]d", "abd", False),
        ("{a,b}/*.{x,y}", "b/c.y", True),
        ("./a", "a", True),
        ("A.py", "a.py", False),
        ("a\nb", "a\nb", True),
    ],
)
def test_patterns_mean_what_shells_mean(pattern: str, path: str, matches: bool) -> None:
    assert GlobPattern(pattern).matches(path.split("/")) is matches


@pytest.mark.parametrize("pattern", ["../x", "/etc/*", "x" * 2000, "{a,b}" * 8])
def test_patterns_that_lead_out_or_never_end_are_refused(pattern: str) -> None:
    with pytest.raises(BadPatternError):
        GlobPattern(pattern)


def test_no_name_makes_a_pattern_slow() -> None:
    assert not GlobPattern("*a" * 60 + "b").matches(["a" * 250])
    assert not GlobPattern("**/" * 60 + "b").matches(["a"] * 100)


def test_a_walk_that_is_given_up_ends(desk: Desk) -> None:
    for number in range(50):
        desk.file(f"{number}/x")
    place, _ = walk.folder_or_file(".", desk.policy)
    short = walk.Walk(desk.policy, most=20)
    assert len(list(short.files(place))) < 20
    assert "stopped after 20 entries" in short.notes()[0]
    given_up = walk.Walk(desk.policy)
    given_up.abandoned.set()
    assert list(given_up.files(place)) == []


async def test_the_todo_list_is_kept_and_told(desk: Desk) -> None:
    told: list[tuple[Todo, ...]] = []
    context = BuiltinContext(desk.root, todos=TodoList(told.append))
    todos = [{"content": "first\nline", "status": "completed"}, {"content": "second", "status": "in_progress"}]
    written = await execute("write_todos", {"todos": todos}, context, lambda _: None)
    assert written.observation == "[x] first line\n[~] second\n[1 of 2 completed]"
    assert (await execute("read_todos", {}, context, lambda _: None)).observation == written.observation
    assert told == [(Todo("first line", "completed"), Todo("second", "in_progress"))]
    other = await execute("read_todos", {}, BuiltinContext(desk.root), lambda _: None)
    assert other.observation == "[the list is empty]"


@pytest.mark.parametrize(
    "todos",
    [
        "x",
        [1],
        [{"content": ""}],
        [{"content": "x", "status": "done"}],
        [{"content": "x" * 1001}],
        [{"content": "x"}] * 101,
    ],
)
async def test_a_list_that_is_none_is_refused_and_the_old_one_stays(desk: Desk, todos: object) -> None:
    context = BuiltinContext(desk.root)
    await execute("write_todos", {"todos": [{"content": "old"}]}, context, lambda _: None)
    assert (await execute("write_todos", {"todos": todos}, context, lambda _: None)).status == "error"
    assert context.todos.todos == (Todo("old", "pending"),)
