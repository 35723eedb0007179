"""What all subcommands share about output: where it goes, and that no text can steer the terminal."""

from __future__ import annotations

import json
import sys
from typing import Any, TextIO

import click

from adal_ls.workspace.visible import escaped

PLAIN = "\n\t"
"""The control characters that may reach a terminal."""


def printable(text: str) -> str:
    """`text` with control, bidirectional and invisible characters visible; newlines and tabs stay."""
    return escaped(text, keep=PLAIN)


def say(text: str) -> None:
    """One line or more on standard error, for the person."""
    click.echo(printable(text), err=True)


def give(text: str) -> None:
    """The result, on standard output: as it is for a program, safe to look at for a person."""
    if is_terminal(sys.stdout):
        text = printable(text)
    # Half a surrogate pair cannot be encoded, and must not end a command that did its work.
    encoding = sys.stdout.encoding or "utf-8"
    click.echo(text.encode(encoding, "backslashreplace").decode(encoding))


def give_json(value: Any) -> None:
    """`value` as JSON on standard output: indented for a person, one line for a program."""
    give(json.dumps(value, ensure_ascii=False, indent=2 if is_terminal(sys.stdout) else None))


def give_json_line(value: Any) -> None:
    """`value` as one line of JSON on standard output, at once."""
    give(json.dumps(value, ensure_ascii=False))


def is_terminal(stream: TextIO) -> bool:
    return stream.isatty()


def reason(fault: OSError) -> str:
    """What the system says, and about which file."""
    about = f": {fault.filename}" if fault.filename else ""
    return f"{fault.strerror or fault}{about}"


class Failure(click.ClickException):
    """An error that ends the command with exit code 1; the text says what, where, and the way out."""

    def show(self, file: Any = None) -> None:  # noqa: ARG002 - click's signature
        say(f"Error: {self.message}")


class Misuse(Failure):
    """A `Failure` for which the command line, or a file that configures it, is to blame."""

    exit_code = 2
