"""The command line. Each subcommand is a module that is imported when it is called, so that `--help` stays quick."""

from __future__ import annotations

from collections.abc import Sequence


def main(arguments: Sequence[str]) -> int:
    """Runs the subcommand that `arguments` name and returns the exit code; 2 for wrong usage."""
    from adal_ls.cli.program import run_program

    return run_program(list(arguments))
