"""`adal-ls trust`: remember that a folder's tools may be loaded and run."""

from __future__ import annotations

import os
from pathlib import Path

import click

from adal_ls.cli.output import Failure, give, say
from adal_ls.cli.project import nearest, project_of
from adal_ls.workspace.projects import holds_project


@click.command("trust")
@click.argument("path", type=click.Path(path_type=Path, file_okay=False), default=Path())
@click.option("--revoke", is_flag=True, help="Forget it again.")
def command(path: Path, revoke: bool) -> None:
    """Allow the tools of the folder PATH (the current one if absent) to be loaded and run.

    What a tools file does at import happens then without a further question; each call still asks. The trust is kept
    with your own data, for exactly this folder. Tool files that changed while an agent ran, and so are not loaded until
    you say so, are loaded again after it.
    """
    from adal_ls.agent.projects import trust, unsaved

    path = real = project_of(path)
    if not (revoke or real.is_dir()):  # what was trusted once may be gone
        raise click.UsageError(f"There is no folder {path}.")
    try:
        if revoke:
            known = trust.revoke(path)
            give(f"{real} is no longer trusted." if known else f"{real} was not trusted.")
        else:
            trust.grant(path)
            unsaved.confirm(path)
            give(f"{real} is trusted: adal-ls may load and run the tools in its .adal folder.")
            if not holds_project(os.fspath(real)):
                say(_nothing_there(real))
    except ValueError as fault:
        raise Failure(str(fault)) from fault


def _nothing_there(folder: Path) -> str:
    found = nearest(folder)
    advice = f"; the nearest project above is {found}: trust counts for exactly one folder" if found else ""
    return f"There is no .adal/tools.py or agents.py in {folder} yet{advice}."
