"""`adal-ls run`: one run of the agent without an editor."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from adal_ls.cli.output import is_terminal
from adal_ls.cli.project import project_option
from adal_ls.cli.run_options import RunOptions, run_options

if TYPE_CHECKING:
    from adal_ls.cli.run_output import Style


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


def _one(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> str | None:  # noqa: ARG001
    """The one value of an option; click would take the last one without a word."""
    if len(given) > 1:
        raise click.BadParameter("it was given more than once; a run has one query")
    return given[0] if given else None


@click.command("run", cls=_Run)
@click.option(
    "-q", "--query", metavar="TEXT", multiple=True, callback=_one, help="What to do; else standard input is read."
)
@click.option("-o", "--output", "style", type=click.Choice(["text", "json", "stream-json"]), default="text")
@click.option(
    "-r",
    "--resume",
    metavar="[RUN]",
    is_flag=False,
    flag_value="",
    help="Go on with a run: its id, or the beginning of it; without a value the last one.",
)
@click.option("--continue", "last", is_flag=True, help="Go on with the last run of the project.")
@run_options
@project_option
def command(query: str | None, style: str, resume: str | None, last: bool, project: Path, **given: Any) -> int:
    """Run the agent on a query, with the tools of a project and the built-in ones; or go on with an earlier run.

    At a terminal you are asked before a tool runs. Without one, a tool that must ask is not run, and the exit code
    says so. Exit code 0: done. 1: an error. 2: wrong usage. 3: a call was not run because nobody could be asked.
    130: cancelled by Ctrl-C.
    """
    options = RunOptions(**given)
    if last and resume:
        raise click.UsageError(f"--continue and --resume {resume} contradict each other: give one.")
    resumed = "" if last else resume
    if resumed is not None and (fixed := options.only_for_new_runs()):
        raise click.UsageError(
            f"A run keeps what it was started with: {', '.join(fixed)} cannot be given with --resume."
        )
    params = options.start_params(_query(query, resumed=resumed is not None), project)

    from adal_ls.cli.headless import Task, run_once

    return asyncio.run(run_once(Task(params, resumed, options.trusted, options.settings()), cast("Style", style)))


def _query(given: str | None, *, resumed: bool) -> str:
    """The query; empty where an earlier run just goes on."""
    if given is None and is_terminal(sys.stdin):
        if resumed:
            return ""
        raise click.UsageError("There is nothing to do: give -q TEXT, or pipe the query to standard input.")
    text = sys.stdin.read() if given is None else given
    if not text.strip() and not (resumed and given is None):
        raise click.UsageError("The query is empty: give -q TEXT, or pipe it to standard input.")
    return text.strip()
