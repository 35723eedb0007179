"""What a question about a call looks like at a terminal: the whole call, and nothing in it can pass for ours."""

from __future__ import annotations

import contextlib
import difflib
import os
import sys
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from adal_ls.agent.approvals.preview import pretty
from adal_ls.cli.output import printable, say
from adal_ls.cli.styles import bold
from adal_ls.protocol.approvals import ApprovalRequest
from adal_ls.workspace import uris

_GUTTER = "  │ "
"""Before every line that a model or a file wrote, so that none of them can pass for a line of ours."""

_NARROWEST, _WIDEST = 40, 100
"""Characters of a line of ours, however narrow or wide the terminal is."""


def show_request(
    request: ApprovalRequest,
    arguments: dict[str, Any],
    folder: str,
    question: str = "Run this?",
    details: Sequence[str] = (),
) -> None:
    """The call in full, with what is known about it; `details` come last."""
    show_call(request.tool, arguments, folder, question, [*_details(request, folder), *details])
    if request.preview is not None and request.preview.diff:
        say("  changes")
        quote(request.preview.diff)


def show_call(tool: str, arguments: dict[str, Any], folder: str, question: str, details: list[str]) -> None:
    """A call in full on standard error: the tool and folder last, because long arguments scroll."""
    click.echo("", err=True)
    click.echo(bold(f"{question} {printable(tool)}"), err=True)
    command = arguments.get("command")
    if tool == "bash" and isinstance(command, str) and len(arguments) == 1:
        quote(command)
    else:
        quote(pretty(arguments))
    for line in [f"in folder {folder}", *details]:
        say(f"  {line}")


def show_edited(tool: str, before: dict[str, Any], after: dict[str, Any], folder: str) -> None:
    """The call as the person edited it, and what they changed."""
    show_call(tool, after, folder, "Run this instead?", ["edited by you"])
    say("  changed")
    quote("\n".join(_changes(pretty(before).split("\n"), pretty(after).split("\n"))))


def show_choices(choices: Mapping[str, str]) -> None:
    """What each key stands for, as wide as the terminal; a rule is told word for word."""
    wrapper = textwrap.TextWrapper(_width(), subsequent_indent=" " * 6, expand_tabs=False, replace_whitespace=False)
    for key, text in choices.items():
        say(wrapper.fill(f"  [{key}] {text}"))


def _width() -> int:
    try:
        columns = os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, ValueError):  # no terminal, or none with a descriptor
        columns = 0
    return max(_NARROWEST, min(columns or 80, _WIDEST))


def quote(text: str) -> None:
    for line in printable(text).split("\n"):
        click.echo(f"{_GUTTER}{line}", err=True)


def _changes(before: Sequence[str], after: Sequence[str]) -> list[str]:
    return list(difflib.unified_diff(before, after, lineterm="", n=0))[2:]  # without the names of files


def _details(request: ApprovalRequest, folder: str) -> list[str]:
    lines = list(request.risk)
    if request.source is not None:
        path = uris.to_path(request.source.uri) or request.source.uri
        with contextlib.suppress(ValueError):  # elsewhere: the whole path
            path = str(Path(path).relative_to(folder))
        lines.append(f"defined at {path}:{request.source.range.start.line + 1}")
    return lines
