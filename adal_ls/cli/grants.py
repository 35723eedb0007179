"""`adal-ls grants`: the approvals that are remembered for a project, and how to take one back."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from adal_ls.cli.output import Failure, give, give_json, is_terminal, say
from adal_ls.cli.project import project_option
from adal_ls.cli.tables import give_table

if TYPE_CHECKING:
    from adal_ls.agent.approvals.grants import Grant

_SHOWN = 8


@click.group("grants")
def command() -> None:
    """List the approvals that are remembered for a project, or take one back."""


@command.command("list")
@project_option
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", help="What to print.")
def list_grants(project: Path, style: str) -> None:
    """List the remembered approvals, oldest first. One counts as long as its tool's code is unchanged."""
    grants = _of(project)
    if style == "json":
        give_json([grant.told().wire() for grant in grants])
    elif is_terminal(sys.stdout):
        _give_table(grants)
    else:
        for grant in grants:
            told = grant.told()
            give("\t".join([told.grant_id, told.created, told.tool, told.rule, told.arguments or ""]))
    if not grants:
        say(f"No approvals are remembered for {project.resolve()}.")


@command.command("revoke")
@click.argument("grant_id", metavar="ID", required=False)
@click.option("--all", "every", is_flag=True, help="All of the project.")
@project_option
def revoke(grant_id: str | None, every: bool, project: Path) -> None:
    """Forget the approval ID (or the only one whose id begins so): the next such call asks again.

    Runs that are going on hear of it too.
    """
    if (grant_id is None) is not every:
        raise click.UsageError("Give the ID of one approval (see adal-ls grants list), or --all.")
    from adal_ls.agent.approvals.grants import Grants, GrantsError, forget

    try:
        if every:
            give(f"{forget(project)} approvals forgotten.")
            return
        (grant,) = _chosen(_of(project), str(grant_id), project)
        Grants().revoke(grant.grant_id)
    except GrantsError as fault:
        raise Failure(str(fault)) from fault
    told = grant.told()
    give(f"Forgotten: {told.rule}" + (f" {told.arguments}" if told.arguments else ""))


def _of(project: Path) -> list[Grant]:
    from adal_ls.agent.approvals.grants import Grants, GrantsError

    try:
        return Grants().listed([project])
    except GrantsError as fault:
        raise Failure(f"{fault}; adal-ls grants revoke --all removes it") from fault


def _chosen(grants: list[Grant], given: str, project: Path) -> list[Grant]:
    found = [grant for grant in grants if grant.grant_id.startswith(given)]
    if not found:
        raise Failure(f"no remembered approval of {project.resolve()} begins with '{given}'; see adal-ls grants list")
    if len(found) > 1:
        names = ", ".join(grant.grant_id for grant in found[:5])
        raise Failure(f"{len(found)} remembered approvals begin with '{given}': {names}; give more of the id")
    return found


def _give_table(grants: list[Grant]) -> None:
    told = [grant.told() for grant in grants]
    rows = [(one.grant_id[:_SHOWN], one.created[:16].replace("T", " "), one.rule, one.arguments or "") for one in told]
    give_table(("Grant", "Since", "Allows", "Arguments"), rows)
