"""`adal-ls agent`: the agents of a project's .adal/agents.py, and a run of one of them."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adal_ls.cli.output import Failure, give, give_json, is_terminal, say
from adal_ls.cli.project import project_option
from adal_ls.cli.run_options import RunOptions, agent_run_options
from adal_ls.cli.tables import give_table
from adal_ls.cli.time_options import load_seconds_option

if TYPE_CHECKING:
    from adal_ls.protocol.agents import AgentInfo

TOOL_CONTEXT = " (tool-context)"
"""Stands behind the id of an agent whose tools come from a provider."""

_TRUST = click.option(
    "--trust", "trusted", is_flag=True, help="Load the folder's files this once; adal-ls trust remembers it."
)


@click.group("agent")
def command() -> None:
    """List the agents of a project's .adal/agents.py, or run one.

    Both load the project's files, which runs their code, so the folder must be trusted.
    """


@command.command("list")
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", help="What to print.")
@_TRUST
@load_seconds_option
@project_option
def list_agents(style: str, trusted: bool, load_seconds: float | None, project: Path) -> int:
    """List the agents. "(tool-context)" behind an id says that the agent's tools depend on --tool-context."""
    from adal_ls.agent.projects import trust, unsaved
    from adal_ls.cli.headless import not_trusted

    if not (trusted or trust.is_trusted(project)):
        raise Failure(not_trusted(project))
    if trusted:
        unsaved.confirm(project)
    agents, error = asyncio.run(_agents(project, load_seconds))
    if style == "json":
        give_json([agent.wire() for agent in agents])
    elif is_terminal(sys.stdout) and agents:
        _give_table(agents)
    else:
        for agent in agents:
            give(agent.id + TOOL_CONTEXT * agent.tool_context)
    for agent in agents:
        for problem in agent.problems:
            say(f"{agent.id}: {problem}")
    if error is not None:
        raise Failure(error)
    return 0


@command.command("run")
@click.argument("agent", metavar="ID")
@click.option("--input", "given", metavar="TEXT", help="What to do; else standard input is read.")
@click.option("-o", "--output", "style", type=click.Choice(["text", "json", "stream-json"]), default="text")
@agent_run_options
@project_option
def run_agent(agent: str, given: str | None, style: str, project: Path, **options: Any) -> int:
    """Run the agent ID once: its call id and its memory scope are printed, then what it answers.

    Approvals and exit codes are those of adal-ls run.
    """
    chosen = RunOptions(agent=agent, **options)
    if given is None and is_terminal(sys.stdin):
        raise click.UsageError("There is nothing to do: give --input TEXT, or pipe it to standard input.")
    text = (sys.stdin.read() if given is None else given).strip()
    if not text:
        raise click.UsageError("The input is empty: give --input TEXT, or pipe it to standard input.")
    params = chosen.start_params(text, project)

    from adal_ls.cli.headless import Task, run_once

    shown: Any = "agent" if style == "text" else style
    return asyncio.run(run_once(Task(params, trusted=chosen.trusted, settings=chosen.settings()), shown))


async def _agents(project: Path, load_seconds: float | None) -> tuple[list[AgentInfo], str | None]:
    """The agents, and why the newest ones are not there."""
    from adal_ls.agent.projects.agent_infos import infos
    from adal_ls.agent.projects.projects import Projects
    from adal_ls.protocol.host import HostSettings

    projects = Projects(HostSettings(load_seconds=load_seconds), lambda _: None)
    try:
        snapshot, told = await projects.known(project)
        if told.error is not None and (snapshot is None or snapshot.agents_failure is not None):
            return [], told.error
        return infos(snapshot, told.root), told.error
    finally:
        await projects.close()


def _give_table(agents: list[AgentInfo]) -> None:
    rows = []
    for agent in agents:
        names = ", ".join(tool.name for tool in agent.tools or ())
        more = "" if agent.complete is not False else f"{', ' if names else ''}others, as the context says"
        name = agent.id + TOOL_CONTEXT * agent.tool_context
        rows.append((name, agent.description or "", agent.model or "", names + more))
    give_table(("Agent", "Does", "Model", "Tools of its own"), rows)
