"""ADAL0xx: text that Python refuses, and files that give no text."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace

from adal_ls.lint.findings import Finding, Severity, as_words
from adal_ls.lint.reading.text import Range
from adal_ls.lint.rules.base import Rule, Unread, file_rule, reading_rule
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


@file_rule(
    code="ADAL004",
    name="newer-syntax",
    severity=Severity.INFORMATION,
    why="The file needs a newer Python than adal-ls runs on. Where it is known which Python runs the tools, that one"
    " judges: there is nothing to find, or an ADAL001.",
    failing="",
    passing="",
)
def newer_syntax(rule: Rule[Overview], file: Overview) -> Iterator[Finding]:
    for version in sorted({one.version for one in file.newer}):
        found = [one for one in file.newer if one.version == version]
        more = f" (and {len(found) - 1} more like it in this file)" if len(found) > 1 else ""
        needed, own = as_words(version), as_words(sys.version_info[:2])
        message = f"Python {needed} or later is needed for {found[0].what}{more}; checked with {own}"
        yield replace(rule.finding(message, found[0].range), needs=version)


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
