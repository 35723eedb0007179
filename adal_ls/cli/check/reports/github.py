"""`--format github`: workflow commands, which GitHub Actions shows as annotations at the lines of a pull request.

Source: GitHub's documentation of workflow commands, and `@actions/toolkit` for how they are escaped.
"""

from __future__ import annotations

from adal_ls.cli import output
from adal_ls.cli.check.reports.outcome import Outcome
from adal_ls.cli.check.reports.repository import inside, root
from adal_ls.cli.output import printable, say
from adal_ls.cli.sources import Source
from adal_ls.lint import Finding, Severity

_COMMANDS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "notice",
    Severity.HINT: "notice",
}


def give(outcome: Outcome) -> None:
    """Print a command for each finding; how many there are goes to standard error."""
    repository = root()
    for source in outcome.sources:
        file = inside(source.path, repository) or source.path
        for finding in source.findings:
            output.give(command(source, file, finding))
    if outcome.sources:
        say(outcome.summary)


def command(source: Source, file: str, finding: Finding) -> str:
    """The workflow command of one finding in `file`, as GitHub knows it."""
    start, end = finding.range.start, finding.range.end
    places = {"file": file, "line": start.line + 1, "endLine": end.line + 1}
    if start.line == end.line:  # GitHub refuses columns that belong to two lines
        places |= {"col": start.column + 1, "endColumn": end.column + 1}
    places["title"] = f"{finding.code} {finding.name}"
    properties = ",".join(f"{name}={_property(str(value))}" for name, value in places.items())
    # The place stands in the text too: the log shows the text alone.
    shown = f"{source.path}:{start.line + 1}:{start.column + 1}: {finding.code} {finding.message}"
    return f"::{_COMMANDS[finding.severity]} {properties}::{_text(shown)}"


def _text(value: str) -> str:
    return printable(value).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str) -> str:
    return _text(value).replace(":", "%3A").replace(",", "%2C")
