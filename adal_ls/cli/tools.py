"""`adal-ls tools`: what a model is told about a project's tools, read without running anything."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from adal_ls import lint
from adal_ls.cli import sources
from adal_ls.cli.output import Failure, give, give_json, is_terminal, printable, say

_FORMAT = click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", help="What to print.")
_PROJECT = click.option(
    "--project",
    type=click.Path(path_type=Path),
    default=Path(),
    help="The project's folder; the current one if absent.",
)


@click.group("tools")
def command() -> None:
    """List the tools of a project's .adal/tools.py, or show one. The file is read, not run: no trust is needed."""


@command.command("list")
@_PROJECT
@_FORMAT
def list_tools(project: Path, style: str) -> None:
    """List the custom tools, each with its description, approval and problems."""
    found = read_tools(project)
    if style == "json":
        give_json(found)
    elif is_terminal(sys.stdout):
        _give_table(found)
    else:
        for tool in found:
            give("\t".join([tool["name"], _approval(tool), " ".join(tool["problems"]), _summary(tool)]))
    if not found:
        say(f"{project / '.adal' / 'tools.py'} gives no tools. The built-in tools are always there.")


@command.command("show")
@click.argument("name")
@_PROJECT
@_FORMAT
def show(name: str, project: Path, style: str) -> None:
    """Show one tool as a model will see it."""
    found = read_tools(project)
    tool = next((tool for tool in found if tool["name"] == name), None)
    if tool is None:
        known = ", ".join(tool["name"] for tool in found) or "none"
        raise Failure(f"there is no custom tool '{name}' in {project / '.adal' / 'tools.py'}; the tools there: {known}")
    if style == "json":
        give_json(tool)
        return
    give(f"{tool['name']}  ({_approval(tool)})")
    give(tool["description"] or "(no description: a model cannot know what it is for)")
    give(json.dumps(tool["parameters"], ensure_ascii=False, indent=2))
    if tool["problems"]:
        give(f"Problems: {', '.join(tool['problems'])} (see adal-ls check)")


def read_tools(project: Path) -> list[dict[str, Any]]:
    """The tools as `adal/tools/list` has them: positions from 0, characters in UTF-16 units.

    Raises:
        Failure: there is no tools file, or it cannot be read.
    """
    path = project / ".adal" / "tools.py"
    source = sources.read(str(path), lint.Config())
    if not source.readable:
        raise Failure(f"{path}: {source.findings[0].message}")
    uri = path.resolve().as_uri()
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


def _approval(tool: dict[str, Any]) -> str:
    return "asks before it runs" if tool["requireApproval"] else "runs unasked"


def _summary(tool: dict[str, Any]) -> str:
    return str(tool["description"]).strip().split("\n")[0]


def _give_table(found: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("Tool", "Approval", "Problems", "Description")
    for tool in found:
        cells = (tool["name"], _approval(tool), " ".join(tool["problems"]), _summary(tool))
        # Text, not str: what a file says is never markup.
        table.add_row(*(Text(printable(cell)) for cell in cells))
    Console().print(table)
