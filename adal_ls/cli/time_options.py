"""The time limits of a project's code, as options of every command that runs it."""

from __future__ import annotations

import click

from adal_ls.cli.numbers import Amount

_SECONDS = Amount(86_400)

load_seconds_option = click.option(
    "--load-seconds",
    type=_SECONDS,
    metavar="N",
    envvar="ADAL_LOAD_SECONDS",
    help="How long loading the project's files may take; else ADAL_LOAD_SECONDS, or 10.",
)

tool_seconds_option = click.option(
    "--tool-seconds",
    type=_SECONDS,
    metavar="N",
    envvar="ADAL_TOOL_SECONDS",
    help="How long one call of a custom tool may take; else ADAL_TOOL_SECONDS, or 120.",
)
