"""Files in real shapes, loaded by the real worker: it gets the tools that lint read, with the same schemas."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from adal_ls.lint import ToolFile, check, read
from adal_ls.lint.differences import differences
from adal_ls.worker.client import LoadedProject, WorkerClient
from tests.lint.corpus import ToolsFile, corpus
from tests.lint.test_real_shapes import FILES

CORPUS = [file for file in corpus(40) if not file.planted]


async def load(root: Path, text: str) -> LoadedProject:
    (root / ".adal").mkdir()
    (root / ".adal" / "tools.py").write_text(text, encoding="utf-8", newline="")
    worker = await WorkerClient.start(sys.executable, root)
    try:
        return await worker.load()
    finally:
        await worker.close()


def compare(file: ToolFile, project: LoadedProject) -> None:
    assert project.error is None
    assert [problem.message for problem in project.problems if problem.left_out] == []
    static = {tool.name: (tool.description, tool.parameters, tool.require_approval) for tool in file.tools}
    loaded = {tool.name: (tool.description, tool.parameters, tool.require_approval) for tool in project.tools}
    assert loaded == static
    told: list[dict[str, Any]] = [
        {
            "name": t.name,
            "description": t.description,
            "parameters": t.parameters,
            "requireApproval": t.require_approval,
        }
        for t in project.tools
    ]
    assert differences(file, check(file), told) == []


@pytest.mark.parametrize("file", CORPUS, ids=lambda file: str(file.number))
async def test_a_file_as_people_write_it_gives_the_tools_that_were_read(file: ToolsFile, tmp_path: Path) -> None:
    compare(read(file.text), await load(tmp_path, file.text))


@pytest.mark.parametrize("name", ["hotel", "services", "tickets"])
async def test_a_published_shape_gives_the_tools_that_were_read(name: str, tmp_path: Path) -> None:
    text = FILES[name][0]
    compare(read(text), await load(tmp_path, text))
