"""`adal-ls tools call`: run one tool with arguments of one's own, without a model."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adal_ls.cli.output import Failure, give, give_json, is_terminal, say
from adal_ls.cli.project import project_option
from adal_ls.cli.time_options import load_seconds_option, tool_seconds_option

if TYPE_CHECKING:
    import asyncio

    from adal_ls.protocol.host import HostSettings
    from adal_ls.protocol.tools import ToolsTryResult

INTERRUPTED = 130


@click.command("call")
@click.argument("name")
@click.option("--args", "given", metavar="JSON", default="{}", help="The arguments, an object; - reads standard input.")
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", help="What to print.")
@click.option("--trust", "trusted", is_flag=True, help="Load the folder's tools this once; adal-ls trust remembers it.")
@load_seconds_option
@tool_seconds_option
@project_option
def command(
    name: str,
    given: str,
    style: str,
    trusted: bool,
    load_seconds: float | None,
    tool_seconds: float | None,
    project: Path,
) -> int:
    """Run the tool NAME once and show what it gives: what a model would read, what a person would see, its output.

    Calling it is your consent: nothing asks. What the tool prints goes to standard error as it comes. Exit code 0: the
    tool succeeded. 1: it did not, or could not be run. 2: wrong usage. 130: cancelled by Ctrl-C.
    """
    arguments = _object(sys.stdin.read() if given == "-" else given)

    import asyncio  # here, because `tools list` needs none of it

    from adal_ls.agent.projects import trust, unsaved
    from adal_ls.agent.runs.registry import RegistryError
    from adal_ls.protocol.host import HostSettings

    settings = HostSettings(load_seconds=load_seconds, tool_seconds=tool_seconds)
    try:
        if not (trusted or trust.is_trusted(project)):
            raise Failure(
                f"{project} is not trusted, so its tools are not loaded and nothing was run. Look at the Python files "
                f"in its .adal folder, then trust it once with --trust or for good with: adal-ls trust {project}"
            )
        if trusted:
            unsaved.confirm(project)
        result = asyncio.run(_call(name, arguments, project, settings))
    except (ValueError, RegistryError) as fault:
        raise Failure(str(fault)) from fault
    if result is None:
        say("Cancelled.")
        return INTERRUPTED
    if style == "json":
        give_json(result.wire())
    else:
        _show(result)
    return 0 if result.status == "success" else 1


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as fault:
        raise click.UsageError(f"Could not parse --args as JSON: {fault}") from fault
    if not isinstance(value, dict):
        raise click.UsageError(f"--args must be a JSON object of arguments by name, not {text[:40]}.")
    return value


async def _call(name: str, arguments: dict[str, Any], project: Path, settings: HostSettings) -> ToolsTryResult | None:
    """The result, or None where a person cancelled it."""
    import asyncio

    from adal_ls.agent.projects.projects import Projects
    from adal_ls.agent.runs.trying import try_tool
    from adal_ls.protocol.tools import ToolsTryParams

    projects = Projects(settings, lambda _: None)
    params = ToolsTryParams(tool=name, arguments=arguments)
    trying = asyncio.ensure_future(try_tool(params, project, projects, settings, _print))
    try:
        with _cancelling(trying):
            await asyncio.wait({trying})
    finally:
        await projects.close()
    return None if trying.cancelled() else trying.result()


@contextmanager
def _cancelling(task: asyncio.Future[Any]) -> Iterator[None]:
    """Ctrl-C cancels `task`, which ends the tool with its children; a second one ends the process."""
    import asyncio

    loop = asyncio.get_running_loop()
    before = signal.getsignal(signal.SIGINT)

    def cancel(*_: object) -> None:
        signal.signal(signal.SIGINT, before)
        loop.call_soon_threadsafe(task.cancel)

    signal.signal(signal.SIGINT, cancel)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _print(text: str) -> None:
    # Without a line end of our own: it is the tool's text, in pieces.
    say(text.rstrip("\n"))


def _show(result: ToolsTryResult) -> None:
    """The four parts of a ToolOutput. A program that wants them apart asks for JSON."""
    if not is_terminal(sys.stdout):
        give(result.observation)
    else:
        give(f"status       {result.status} ({result.duration_ms:.0f} ms)")
        if result.display:
            give(f"display      {result.display}")
        give(f"observation  {result.observation}")
        output = json.dumps(result.output, ensure_ascii=False, indent=2)
        if result.output is not None and result.output != result.observation:
            give(f"output       {output}")
    if result.trace:
        say(result.trace)
