"""Checklist D6: following the files of a project."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path, PurePosixPath

import pytest

from adal_ls.agent.inprocess.watch import counts
from adal_ls.sdk import load_project

FOLDER = PurePosixPath("/p/.adal")


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("tools.py", True),
        ("pkg/inner.py", True),
        ("tools.py.tmp", True),
        ("tools.py~", True),
        (".tools.py.swp", True),
        ("notes.txt", False),
        ("notes.txt.tmp", False),
        ("tools.pyc", False),
        ("__pycache__/tools.py", False),
        ("node_modules/x.py", False),
        (".data/x.py", False),
        ("dist/x.py", False),
        ("../src/x.py", False),
    ],
)
def test_d6_which_files_count(path: str, wanted: bool) -> None:
    assert counts(PurePosixPath(os.path.normpath(FOLDER / path)), FOLDER) is wanted


async def test_d6_a_change_reloads_also_by_rename_and_nothing_does_after_the_end(tmp_path: Path) -> None:
    tools = tmp_path / ".adal" / "tools.py"
    tools.parent.mkdir()
    tools.write_text("CUSTOM_TOOLS = []\n")
    project = load_project(tmp_path)
    watching = project.watch()
    told = asyncio.ensure_future(anext(watching))
    text = "def greet() -> str:\n    return 'x'\n\nCUSTOM_TOOLS = [greet]\n"
    while not told.done():  # the watcher takes a moment to begin
        temporary = tools.with_suffix(".py.tmp")
        temporary.write_text(text)
        temporary.replace(tools)
        await asyncio.wait({told}, timeout=1)
    assert told.result() is True
    assert list(project.tools) == ["greet"]
    tools.write_text("def (")
    while await asyncio.wait_for(anext(watching), 20):
        pass  # the rest of what was written above
    assert project.last_error is not None
    assert list(project.tools) == ["greet"]
    await project.dispose()
    with pytest.raises(StopAsyncIteration):
        await asyncio.wait_for(anext(watching), 20)
