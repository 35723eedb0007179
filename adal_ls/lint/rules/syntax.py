"""ADAL0xx: text that Python refuses, and files that give no text."""

from __future__ import annotations

from collections.abc import Iterator

from adal_ls.lint.findings import Finding, Severity
from adal_ls.lint.rules.base import Rule, Unread, file_rule, reading_rule
from adal_ls.lint.text import Range
from adal_ls.lint.view import Overview


@file_rule(
    code="ADAL001",
    name="syntax",
    severity=Severity.ERROR,
    why="Python refuses the whole file, so none of its tools can run. Everything else in it is still read and checked.",
    failing="def f(x: str -> str:\n    return x\n\n\nCUSTOM_TOOLS = [f]\n",
    passing="CUSTOM_TOOLS = [f]\n",
)
def syntax(rule: Rule[Overview], file: Overview) -> Iterator[Finding]:
    for problem in file.syntax:
        yield rule.finding(problem.message, problem.range)


def finding(message: str, place: Range) -> Finding:
    """An ADAL001 for what is wrong before there is a text to parse: the bytes of the file."""
    return syntax.finding(message, place)


@reading_rule(
    code="ADAL003",
    name="unreadable",
    severity=Severity.ERROR,
    why="There is no text to check: no such file, no permission, a folder or a device, or more than 8 MiB.",
    failing="",
    passing="",
)
def unreadable_file(rule: Rule[Unread], unread: Unread) -> Iterator[Finding]:
    yield rule.finding(unread.reason, unread.place)


def unreadable(reason: str, place: Range) -> Finding:
    """The ADAL003 of a file that could not be read."""
    (found,) = unreadable_file(Unread(place, reason))
    return found
