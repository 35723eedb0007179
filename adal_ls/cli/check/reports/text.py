"""`--format text`: a line a finding, with the line of the file at a terminal."""

from __future__ import annotations

import sys

import click

from adal_ls.cli import output
from adal_ls.cli.check.fix import give_fixed
from adal_ls.cli.check.reports.outcome import Outcome
from adal_ls.cli.output import is_terminal, printable
from adal_ls.cli.sources import Source
from adal_ls.cli.styles import bold
from adal_ls.lint import Finding, Lines, Range, Severity

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFORMATION: "blue", Severity.HINT: "cyan"}


def give(outcome: Outcome) -> None:
    """Print the fixes, the findings and how many there are."""
    give_fixed(outcome.fixed or ())
    for source in outcome.sources:
        lines = Lines(source.text) if source.readable and is_terminal(sys.stdout) else None
        for finding in source.findings:
            _give_finding(source, finding, lines)
    if outcome.sources:
        output.give(outcome.summary)
    if outcome.fixes is not None:
        output.say(outcome.fixes)


def _give_finding(source: Source, finding: Finding, lines: Lines | None) -> None:
    place = bold(printable(_place(source, finding.range)))
    code = bold(f"{finding.severity.value} {finding.code}", _COLOURS[finding.severity])
    # Styled here, where every other control character is already gone; click drops the styles where there is no
    # terminal.
    click.echo(f"{place}: {code} {finding.name}: {printable(finding.message)}")
    if lines is not None:
        output.give(_excerpt(lines, finding.range))
    for related, message in finding.related:
        output.give(printable(f"{_place(source, related)}: note: {message}"))


def _place(source: Source, place: Range) -> str:
    return f"{source.path}:{place.start.line + 1}:{place.start.column + 1}"


def _excerpt(lines: Lines, place: Range) -> str:
    """The line of a finding with a marker under its range, as wide as the terminal shows the characters."""
    from rich.cells import cell_len

    line = lines.line(place.start.line)
    end = place.end.column if place.end.line == place.start.line else len(line)
    before, marked = (_flat(part) for part in (line[: place.start.column], line[place.start.column : end]))
    marker = " " * cell_len(before) + "^" * max(1, cell_len(marked))
    return f"    {_flat(line)}\n    {marker}"


def _flat(text: str) -> str:
    return printable(text).replace("\t", "    ")
