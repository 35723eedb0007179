"""`adal-ls trust`: remember that a folder's tools may be loaded and run."""

from __future__ import annotations

from pathlib import Path

import click

from adal_ls.cli.output import Failure, give


@click.command("trust")
@click.argument("path", type=click.Path(path_type=Path), default=Path())
@click.option("--revoke", is_flag=True, help="Forget it again.")
def command(path: Path, revoke: bool) -> None:
    """Allow the tools of the folder PATH (the current one if absent) to be loaded and run.

    What a tools file does at import happens then without a further question; each call still asks. The trust is kept
    with your own data, for exactly this folder.
    """
    from adal_ls.agent import trust

    real = path.resolve()
    try:
        if revoke:
            known = trust.revoke(path)
            give(f"{real} is no longer trusted." if known else f"{real} was not trusted.")
        else:
            trust.grant(path)
            give(f"{real} is trusted: adal-ls may load and run the tools in its .adal folder.")
    except (OSError, ValueError) as fault:
        raise Failure(str(fault)) from fault
