"""`adal-ls tools`: what a model is told about a project's tools, read without running anything; and `tools call`."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from adal_ls import lint
from adal_ls.cli import call, sources
from adal_ls.cli.output import Failure, give, give_json, is_terminal, say
from adal_ls.cli.project import project_option
from adal_ls.cli.tables import give_table
from adal_ls.lint.lists import left_out
from adal_ls.lint.tools import UNREAD
from adal_ls.workspace.modules import FolderModules


@dataclass(frozen=True, slots=True)
class _Tools:
    """A tools file as it was read, and what lint says of it."""

    path: str
    file: lint.ToolFile
    findings: tuple[lint.Finding, ...]


_FORMAT = click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", help="What to print.")


@click.group("tools")
def command() -> None:
    """List the tools of a project's .adal/tools.py, show one, or run one.

    To list and to show, the file is read and not run: no trust is needed.
    """


command.add_command(call.command)


@command.command("list")
@project_option
@_FORMAT
def list_tools(project: Path, style: str) -> None:
    """List the custom tools, each with its description, approval and problems."""
    source = _read(project)
    found = _tools(source)
    if style == "json":
        give_json(found)
    elif is_terminal(sys.stdout) and found:
        give_table(("Tool", "Approval", "Problems", "Description"), [_row(source, tool) for tool in found])
    else:
        for tool in found:
            give("\t".join(_row(source, tool)))
    _say_what_is_not_listed(source, found)


@command.command("show")
@click.argument("name")
@project_option
@_FORMAT
def show(name: str, project: Path, style: str) -> None:
    """Show one tool as a model will see it."""
    source = _read(project)
    found = _tools(source)
    tool = next((tool for tool in found if tool["name"] == name), None)
    if tool is None:
        known = ", ".join(tool["name"] for tool in found) or "none"
        raise Failure(f"there is no custom tool '{name}' in {source.path}; the tools there: {known}")
    if style == "json":
        give_json(tool)
        return
    give(f"{tool['name']}  ({_approval(source, tool)})")
    if tool["parameters"] == UNREAD:
        give(tool["description"] or "(its text and what it takes are known once the file is loaded, as for a run)")
    else:
        give(tool["description"] or "(no description: a model cannot know what it is for)")
        give(json.dumps(tool["parameters"], ensure_ascii=False, indent=2))
    if tool["problems"]:
        give(f"Problems: {', '.join(tool['problems'])} (see adal-ls check)")
    _say_not_loaded(source)


def _read(project: Path) -> _Tools:
    path = project / ".adal" / "tools.py"
    if not path.exists():
        raise Failure(f"{project.resolve()} is no project with tools: there is no {path.relative_to(project)} in it")
    source = sources.read(str(path), lint.Config())
    if not source.readable:
        raise Failure(f"{path}: {source.findings[0].message}")
    return _Tools(source.path, lint.read(source.text, FolderModules(os.fspath(path.parent))), source.findings)


def _tools(source: _Tools) -> list[dict[str, Any]]:
    """The tools as `adal/tools/list` has them: positions from 0, characters in UTF-16 units."""
    uri = Path(source.path).resolve().as_uri()
    return [
        {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.parameters,
            "requireApproval": tool.require_approval,
            "kind": "custom",
            "location": {"uri": uri, "range": _lsp_range(source.file, tool.name_range)},
            "problems": list(tool.problems),
        }
        for tool in lint.tools_with_problems(source.file, source.findings)
    ]


def _lsp_range(file: lint.ToolFile, place: lint.Range) -> dict[str, Any]:
    return {"start": _lsp_position(file, place.start), "end": _lsp_position(file, place.end)}


def _lsp_position(file: lint.ToolFile, position: lint.Position) -> dict[str, int]:
    before = file.lines.line(position.line)[: position.column]
    return {"line": position.line, "character": len(before.encode("utf-16-le", "surrogatepass")) // 2}


def _row(source: _Tools, tool: dict[str, Any]) -> list[str]:
    return [tool["name"], _approval(source, tool), " ".join(tool["problems"]), _summary(tool)]


def _approval(source: _Tools, tool: dict[str, Any]) -> str:
    if left_out.not_loaded(source.findings) is not None:
        return "not loaded"
    codes = left_out.codes(source.file, tool["name"], tool["problems"])
    if codes:
        return f"left out: {' '.join(codes)}"
    return "asks before it runs" if tool["requireApproval"] else "runs unasked"


def _say_not_loaded(source: _Tools) -> None:
    """Why no run will have any of the tools, where that is so; once, not for each tool."""
    why = left_out.not_loaded(source.findings)
    if why is not None:
        say(f"{source.path}: none is loaded: line {why.range.start.line + 1}, {why.message} ({why.code})")


def _summary(tool: dict[str, Any]) -> str:
    return str(tool["description"]).strip().split("\n")[0]


def _say_what_is_not_listed(source: _Tools, found: list[dict[str, Any]]) -> None:
    """Why the list is shorter than a reader may expect; on standard error."""
    _say_not_loaded(source)
    nameless = [entry for entry in source.file.entries if entry.name is None]
    broken = [entry for entry in nameless if not left_out.is_computed(entry)]
    if broken:
        lines = ", ".join(dict.fromkeys(str(entry.range.start.line + 1) for entry in broken))
        say(f"{source.path}: entries that are no tools are left out: line {lines} (adal-ls check says more).")
    if source.file.tool_list.computed or len(broken) < len(nameless):
        say(f"{source.path}: {'more' if found else 'the'} tools are computed when the file is loaded, as for a run.")
    elif not found:
        say(f"{source.path} gives no tools. The built-in tools are always there.")
