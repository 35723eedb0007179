"""The program `adal-ls` as click sees it: its subcommands, and what an error becomes."""

from __future__ import annotations

import importlib
import logging
import os
import sys
from dataclasses import dataclass
from typing import Any

import click

from adal_ls.version import __version__


@dataclass(frozen=True, slots=True)
class _Subcommand:
    """Where a subcommand lives: `module` has a click command `command`. `summary` spares `--help` the import."""

    module: str
    summary: str


_SUBCOMMANDS = {
    "agent": _Subcommand("adal_ls.cli.agent", "List the agents of a project, or run one."),
    "chat": _Subcommand("adal_ls.cli.chat.command", "Talk with the agent at the terminal."),
    "check": _Subcommand("adal_ls.cli.check.command", "Lint tools files; nothing in them is run."),
    "doctor": _Subcommand("adal_ls.cli.doctor", "Look whether everything is in place; no key is shown."),
    "grants": _Subcommand("adal_ls.cli.grants", "List remembered approvals, or take one back."),
    "rule": _Subcommand("adal_ls.cli.rule", "Explain a rule of the lint, or list them."),
    "run": _Subcommand("adal_ls.cli.run", "Run the agent once, without an editor."),
    "runs": _Subcommand("adal_ls.cli.runs", "List, replay, export and delete runs, or read what was decided."),
    "tools": _Subcommand("adal_ls.cli.tools", "List the tools of a project, or show one; nothing is run."),
    "trust": _Subcommand("adal_ls.cli.trust", "Allow the tools of a folder to be loaded and run."),
}


def _redact_logs() -> None:
    """Has no record of this process hold a secret. What that takes is imported when something is logged."""
    make = logging.getLogRecordFactory()

    def redacted(*args: Any, **kwargs: Any) -> logging.LogRecord:
        from adal_ls.agent.store.redacted_logs import without_secrets

        return without_secrets(make(*args, **kwargs))

    logging.setLogRecordFactory(redacted)


class _Program(click.Group):
    """A group that imports a subcommand when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(_SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        known = _SUBCOMMANDS.get(cmd_name)
        if known is None:
            return None
        command: click.Command = importlib.import_module(known.module).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        # click's own message for an unknown command ends without a way out.
        if args and args[0] not in _SUBCOMMANDS and not args[0].startswith("-"):
            known = ", ".join(_SUBCOMMANDS)
            raise click.UsageError(f"There is no command '{args[0]}'; the commands there are: {known}.", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in _SUBCOMMANDS.items()])


@click.group(
    name="adal-ls",
    cls=_Program,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Without a command adal-ls is a language server on standard input and output (--stdio is accepted).",
)
@click.version_option(__version__, "--version", prog_name="adal-ls", message="%(prog)s %(version)s")
def program() -> None:
    """Write tools for a coding agent: lint them, run an agent with them, approve what it is about to do."""


def run_program(arguments: list[str]) -> int:
    """Runs the program and turns whatever ends it into an exit code."""
    _redact_logs()
    try:
        code = program.main(arguments, prog_name="adal-ls", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as fault:
        fault.show()
        return fault.exit_code
    except (click.exceptions.Abort, KeyboardInterrupt) as fault:
        click.echo("Cancelled.", err=True)
        interrupted = isinstance(fault, KeyboardInterrupt) or isinstance(fault.__cause__, KeyboardInterrupt)
        return 130 if interrupted else 1
    except OSError as fault:
        if not isinstance(fault, BrokenPipeError):
            from adal_ls.cli.output import reason, say  # its imports would slow `--help`

            # Every command reads files and folders that can be anything; which one it was, the system says.
            say(f"Error: {reason(fault)}")
            return 1
        # Who read our output has seen enough. What is left goes nowhere, or Python complains when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code if isinstance(code, int) else 0
