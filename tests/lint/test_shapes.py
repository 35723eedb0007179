"""CUSTOM_TOOLS as lint reads it is CUSTOM_TOOLS as the worker gets it, however a file makes it."""

from __future__ import annotations

import ast
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from adal_ls.lint import Finding, Severity, check, read, tools_with_problems
from adal_ls.worker.client import WorkerClient
from adal_ls.worker.listing import ABSENT, read_custom_tools
from tests.lint.shapes import BRANCHES, COMPUTED, HEAD, WRITTEN, Shape

ALL = {**WRITTEN, **BRANCHES, **COMPUTED}

Tool = tuple[str, str, str, bool]


def at_run_time(shape: Shape) -> list[Tool]:
    """The tools that the worker's code makes of a file, run here."""
    module = types.ModuleType("shape")
    sys.modules["shape"] = module
    try:
        exec(compile(shape.source, "tools.py", "exec"), vars(module))
        tools, _ = read_custom_tools(vars(module).get("CUSTOM_TOOLS", ABSENT), "tools.py")
    finally:
        del sys.modules["shape"]
    return [_tool(tool.loaded) for tool in tools]


def _tool(tool: Any) -> Tool:
    parameters = ast.unparse(ast.parse(repr(tool.parameters)))
    return tool.name, tool.description, parameters, tool.require_approval


def as_read(source: str) -> tuple[list[Tool], list[Finding]]:
    """The tools that lint expects to run, and what it says."""
    file = read(source)
    findings = check(file)
    left_out = {"ADAL101", "ADAL102", "ADAL104", "ADAL211"}
    tools = [
        _tool(tool)
        for tool in tools_with_problems(file, findings)
        if not left_out & {*tool.problems} and not _clashes(tool.name, findings)
    ]
    return tools, findings


def _clashes(name: str, findings: list[Finding]) -> bool:
    return any(f.code == "ADAL103" and f"'{name}' is already used" in f.message for f in findings)


@pytest.mark.parametrize("shape", WRITTEN.values(), ids=WRITTEN.keys())
def test_a_list_that_is_written_down_is_read_as_it_runs(shape: Shape) -> None:
    tools, findings = as_read(shape.source)
    assert [finding for finding in findings if finding.code == "ADAL209"] == []
    assert tools == at_run_time(shape)


@pytest.mark.parametrize("shape", BRANCHES.values(), ids=BRANCHES.keys())
def test_of_branches_all_that_may_run_is_read_and_said_to_be_uncertain(shape: Shape) -> None:
    tools, findings = as_read(shape.source)
    assert "ADAL209" in [finding.code for finding in findings]
    assert {*at_run_time(shape)} <= {*tools}


@pytest.mark.parametrize("shape", COMPUTED.values(), ids=COMPUTED.keys())
def test_what_only_the_run_tells_is_said_to_be_so_and_nothing_is_made_up(shape: Shape) -> None:
    tools, findings = as_read(shape.source)
    assert [finding.code for finding in findings if finding.code == "ADAL209"]
    assert {tool[0] for tool in tools} <= {"f", "g", "k"}
    assert {name for name, *_ in tools} <= {name for name, *_ in at_run_time(shape)}


@pytest.mark.parametrize("shape", ALL.values(), ids=ALL.keys())
def test_an_error_is_where_the_worker_leaves_something_out(shape: Shape) -> None:
    _, findings = as_read(shape.source)
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    if errors:
        refused = {"same tool twice", "same name twice", "set", "set in a name"}
        refused |= {"bad names put together", "generator", "generator function", "iterator", "view"}
        assert shape in [ALL[name] for name in refused]


async def test_the_worker_itself_gets_the_same_list(tmp_path: Path) -> None:
    """A few shapes at once, each as a module that `tools.py` takes its tools from one after the other."""
    folder = tmp_path / ".adal"
    folder.mkdir()
    for name in ("comprehension into dicts", "registered", "partial by position"):
        shape = WRITTEN[name]
        (folder / "tools.py").write_text(shape.source, encoding="utf-8")
        worker = await WorkerClient.start(sys.executable, tmp_path)
        try:
            loaded = await worker.load()
        finally:
            await worker.close()
        assert loaded.error is None
        assert [_tool(tool) for tool in loaded.tools] == as_read(shape.source)[0]


def test_every_shape_has_the_functions_that_it_speaks_of() -> None:
    assert [tool for tool, *_ in as_read(HEAD + "CUSTOM_TOOLS = [f, g, h]\n")[0]] == ["f", "g", "h"]
