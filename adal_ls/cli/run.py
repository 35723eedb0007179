"""`adal-ls run`: one run of the agent without an editor."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from adal_ls.cli.output import is_terminal
from adal_ls.cli.project import project_option

if TYPE_CHECKING:
    from adal_ls.cli.run_output import Style
    from adal_ls.protocol.runs import PermissionMode


class _Run(click.Command):
    """Tells also a program that the command line is wrong, in the format that it asked for."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        style = _style(args)  # before click takes the arguments out of the list
        try:
            return super().make_context(info_name, args, parent, **extra)
        except click.UsageError as fault:
            _give_usage_error(style, fault)
            raise

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.UsageError as fault:
            _give_usage_error(ctx.params["style"], fault)
            raise


def _style(arguments: Sequence[str]) -> str:
    """The output format that the arguments ask for, whatever else is wrong with them."""
    for option, value in zip_longest(arguments, arguments[1:], fillvalue=""):
        if option in ("-o", "--output"):
            return value
        if option.startswith(("-o", "--output=")):
            return option.removeprefix("--output=").removeprefix("-o").removeprefix("=")
    return "text"


def _give_usage_error(style: str, fault: click.UsageError) -> None:
    if style not in ("json", "stream-json"):
        return
    from adal_ls.cli.run_output import Ending, output_of
    from adal_ls.cli.screen import Screen

    output_of(cast("Style", style), Screen()).end(Ending(fault.exit_code, error=fault.format_message()))


@click.command("run", cls=_Run)
@click.option("-q", "--query", metavar="TEXT", help="What to do; else standard input is read.")
@click.option("-o", "--output", "style", type=click.Choice(["text", "json", "stream-json"]), default="text")
@click.option("-m", "--model", metavar="MODEL", help="Any litellm id, script:FILE.yaml, or offline (no model at all).")
@click.option("--yolo", is_flag=True, help="Run every tool without asking.")
@click.option("--permission-mode", type=click.Choice(["default", "acceptEdits", "yolo"]))
@click.option("--enabled-default-tools", metavar="CSV", help="Only these built-in tools (names or groups).")
@click.option("--disabled-default-tools", metavar="CSV", help="All built-in tools but these (names or groups).")
@click.option("--trust", "trusted", is_flag=True, help="Load the folder's tools this once; adal-ls trust remembers it.")
@click.option("-c", "--tool-context", metavar="JSON", help="Passed on to the tool providers.")
@project_option
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
    if model is not None and not model.strip():
        raise click.UsageError("--model is empty: give a model such as openai/gpt-4o, or leave the option out.")
    given: dict[str, Any] = {
        "prompt": _query(query),
        "project_root": str(project),
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
