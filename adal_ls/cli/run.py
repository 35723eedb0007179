"""`adal-ls run`: one run of the agent without an editor."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from adal_ls.cli.output import is_terminal

if TYPE_CHECKING:
    from adal_ls.cli.run_output import Style
    from adal_ls.protocol.runs import PermissionMode


@click.command("run")
@click.option("-q", "--query", metavar="TEXT", help="What to do; else standard input is read.")
@click.option("-o", "--output", "style", type=click.Choice(["text", "json", "stream-json"]), default="text")
@click.option("-m", "--model", metavar="MODEL", help="Any litellm id, script:FILE.yaml, or offline (no model at all).")
@click.option("--yolo", is_flag=True, help="Run every tool without asking.")
@click.option("--permission-mode", type=click.Choice(["default", "acceptEdits", "yolo"]))
@click.option("--enabled-default-tools", metavar="CSV", help="Only these built-in tools (names or groups).")
@click.option("--disabled-default-tools", metavar="CSV", help="All built-in tools but these (names or groups).")
@click.option("--trust", "trusted", is_flag=True, help="Load the folder's tools this once; adal-ls trust remembers it.")
@click.option("-c", "--tool-context", metavar="JSON", help="Passed on to the tool providers.")
@click.option("--project", type=click.Path(path_type=Path, file_okay=False, exists=True), default=Path())
def command(
    query: str | None,
    style: str,
    model: str | None,
    yolo: bool,
    permission_mode: str | None,
    enabled_default_tools: str | None,
    disabled_default_tools: str | None,
    trusted: bool,
    tool_context: str | None,
    project: Path,
) -> int:
    """Run the agent once on a query, with the tools of a project and the built-in ones.

    At a terminal you are asked before a tool runs. Without one, a tool that must ask is not run, and the exit code
    says so. Exit code 0: done. 1: an error. 2: wrong usage. 3: a call was not run because nobody could be asked.
    """
    if yolo and permission_mode not in (None, "yolo"):
        raise click.UsageError(f"--yolo and --permission-mode {permission_mode} contradict each other: give one.")
    given: dict[str, Any] = {
        "prompt": _query(query),
        "project_root": str(project.resolve()),
        "model": model,
        "permission_mode": cast("PermissionMode | None", "yolo" if yolo else permission_mode),
        "enabled_default_tools": _names(enabled_default_tools),
        "disabled_default_tools": _names(disabled_default_tools),
    }
    if tool_context is not None:
        given["tool_context"] = _json(tool_context)

    from adal_ls.cli.headless import run_once
    from adal_ls.protocol.runs import RunStartParams

    return asyncio.run(run_once(RunStartParams(**given), cast("Style", style), trusted))


def _query(given: str | None) -> str:
    if given is None:
        if is_terminal(sys.stdin):
            raise click.UsageError("There is nothing to do: give -q TEXT, or pipe the query to standard input.")
        given = sys.stdin.read()
    if not given.strip():
        raise click.UsageError("The query is empty: give -q TEXT, or pipe it to standard input.")
    return given.strip()


def _names(csv: str | None) -> list[str] | None:
    return None if csv is None else [name.strip() for name in csv.split(",") if name.strip()]


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as fault:
        raise click.UsageError(f"Could not parse --tool-context as JSON: {fault}") from fault
