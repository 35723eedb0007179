from __future__ import annotations

import asyncio
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from adal_ls.agent.builtin import BuiltinContext, execute
from adal_ls.agent.workspaces import reach
from adal_ls.agent.workspaces.workspace_policy import WorkspacePolicy
from adal_ls.worker.data import ToolResult


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    folder.mkdir()
    (folder / "poem.txt").write_bytes("eins\nzwei 😀\r\ndrei\nvier".encode())
    return folder


async def read(workspace: Path, path: Any, **more: Any) -> ToolResult:
    return await execute("read_file", {"path": path, **more}, BuiltinContext(workspace), lambda _: None)


async def refusal(workspace: Path, path: Any, **more: Any) -> str:
    result = await read(workspace, path, **more)
    assert result.status == "error"
    assert result.output is None
    return result.observation


async def test_the_text_of_a_file_is_given_as_it_is(workspace: Path) -> None:
    result = await read(workspace, "poem.txt")
    assert result.status == "success"
    assert result.observation == "eins\nzwei 😀\r\ndrei\nvier"


async def test_an_absolute_path_inside_the_workspace_is_taken(workspace: Path) -> None:
    assert (await read(workspace, str(workspace / "poem.txt"))).status == "success"


async def test_a_byte_order_mark_is_not_part_of_the_text(workspace: Path) -> None:
    (workspace / "bom.txt").write_bytes(b"\xef\xbb\xbfhello")
    assert (await read(workspace, "bom.txt")).observation == "hello"


async def test_an_empty_file_says_so(workspace: Path) -> None:
    (workspace / "empty").touch()
    result = await read(workspace, "empty")
    assert (result.status, result.observation) == ("success", "[the file is empty]")


@pytest.mark.parametrize(
    ("offset", "limit", "expected"),
    [
        (2, 1, "zwei 😀\r\n[lines 2 to 2; the file goes on at offset 3]"),
        (3, None, "drei\nvier"),
        (1, 4, "eins\nzwei 😀\r\ndrei\nvier"),
        (4, 100, "vier"),
        (1.0, 2.0, "eins\nzwei 😀\r\n[lines 1 to 2; the file goes on at offset 3]"),
    ],
)
async def test_parts_are_lines_and_say_how_to_go_on(
    workspace: Path, offset: float, limit: float | None, expected: str
) -> None:
    more = {} if limit is None else {"limit": limit}
    assert (await read(workspace, "poem.txt", offset=offset, **more)).observation == expected


async def test_a_line_after_the_last_is_an_error_that_tells_how_many_there_are(workspace: Path) -> None:
    assert "4 lines" in await refusal(workspace, "poem.txt", offset=5)


@pytest.mark.parametrize("wrong", [{"offset": 0}, {"limit": -1}, {"limit": "10"}, {"offset": True}, {"limit": 1.5}])
async def test_counts_that_are_none_are_refused(workspace: Path, wrong: dict[str, Any]) -> None:
    assert next(iter(wrong)) in await refusal(workspace, "poem.txt", **wrong)


@pytest.mark.parametrize("path", [None, "", 5, ["poem.txt"]])
async def test_a_path_must_be_text(workspace: Path, path: Any) -> None:
    assert "needs a path" in await refusal(workspace, path)


async def test_a_file_of_a_million_bytes_is_read_and_one_byte_more_is_not(workspace: Path) -> None:
    line = "x" * 99 + "\n"
    (workspace / "big").write_text(line * 10_000)
    assert len((await read(workspace, "big")).observation) == 1_000_000
    with (workspace / "big").open("a") as file:
        file.write("y")
    said = await refusal(workspace, "big")
    assert "1,000,001 bytes" in said
    assert "offset and limit" in said
    part = await read(workspace, "big", offset=10_000)
    assert part.observation == line + "y"
    first = await read(workspace, "big", offset=1, limit=20_000)
    assert first.observation.endswith("[lines 1 to 10000; the file goes on at offset 10001]")


async def test_a_line_longer_than_the_limit_counts_once_and_is_not_given(workspace: Path) -> None:
    (workspace / "long").write_text("x" * 2_500_000 + "\nsecond\n")
    assert "line 1 of 'long' is longer" in await refusal(workspace, "long", limit=1)
    assert (await read(workspace, "long", offset=2)).observation == "second\n"


@pytest.mark.parametrize(
    ("content", "why"), [(b"GIF89a\0\1", "binary"), (b"caf\xe9\n", "not UTF-8 text (byte 0xe9 at 3)")]
)
async def test_what_is_no_text_is_refused(workspace: Path, content: bytes, why: str) -> None:
    (workspace / "data").write_bytes(content)
    assert why in await refusal(workspace, "data")


async def test_missing_files_and_folders_are_told_apart(workspace: Path) -> None:
    (workspace / "folder").mkdir()
    assert "there is no file 'nothing.txt'" in await refusal(workspace, "nothing.txt")
    assert "is a folder" in await refusal(workspace, "folder")
    assert "is a folder" in await refusal(workspace, ".")
    assert "through a file as if it were a folder" in await refusal(workspace, "poem.txt/x")


async def test_pipes_and_sockets_are_refused_without_waiting(workspace: Path) -> None:
    os.mkfifo(workspace / "pipe")
    assert "no regular file" in await asyncio.wait_for(refusal(workspace, "pipe"), 5)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(workspace / "socket"))
        assert "cannot be read" in await asyncio.wait_for(refusal(workspace, "socket"), 5)


@pytest.mark.parametrize("path", ["../ws-evil/secret", "link/secret", "file-link", "a/../../ws-evil/secret", "nul\0"])
async def test_nothing_outside_is_read(workspace: Path, path: str) -> None:
    evil = workspace.parent / "ws-evil"
    evil.mkdir()
    (evil / "secret").write_text("canary")
    (workspace / "link").symlink_to(evil)
    (workspace / "file-link").symlink_to(evil / "secret")
    for spelled in (path, str(workspace / path)):
        said = await refusal(workspace, spelled)
        assert "canary" not in said
        assert "only files of the workspace" in said
    assert "only files of the workspace" in await refusal(workspace, str(evil / "secret"))


async def test_a_component_turned_into_a_link_after_the_check_is_not_followed(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evil = workspace.parent / "ws-evil"
    evil.mkdir()
    (evil / "poem.txt").write_text("canary")
    inner = workspace / "inner"
    inner.mkdir()
    (inner / "poem.txt").write_text("fine")

    resolve = reach.resolve

    def resolve_then_swap(policy: WorkspacePolicy, path: str, purpose: reach.Purpose) -> reach.Place:
        real = resolve(policy, path, purpose)
        inner.rename(workspace / "moved")
        inner.symlink_to(evil)
        return real

    monkeypatch.setattr(reach, "resolve", resolve_then_swap)
    said = await refusal(workspace, "inner/poem.txt")
    assert "canary" not in said


async def test_links_inside_the_workspace_are_followed(workspace: Path) -> None:
    (workspace / "alias").symlink_to("poem.txt")
    assert (await read(workspace, "alias")).status == "success"


async def test_unknown_arguments_are_named(workspace: Path) -> None:
    assert "lines" in await refusal(workspace, "poem.txt", lines=3)
