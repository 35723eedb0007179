"""Findings about syntax in the light of what the Python says that will run the file."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from adal_ls.lint.findings import Finding, Severity, as_words
from adal_ls.lint.reading.text import Lines, Position
from adal_ls.lint.rules.syntax import newer_syntax, syntax

_OWN = sys.version_info[:2]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a Python says of a text: `message` is None where it takes it. Line and column count from 1, 0 for none."""

    version: tuple[int, int]
    message: str | None = None
    line: int = 0
    column: int = 0


def for_version(findings: Iterable[Finding], version: tuple[int, int]) -> list[Finding]:
    """`findings` where it is known which Python will run the file: what needs a newer one is an error, else nothing."""
    kept: list[Finding] = []
    for finding in findings:
        if finding.needs is None:
            kept.append(finding)
        elif finding.needs > version:
            message = f"Syntax error: {finding.message.partition(';')[0]}; {as_words(version)} runs the tools"
            kept.append(syntax.finding(message, finding.range))
    return kept


def needs_judgement(findings: Sequence[Finding], version: tuple[int, int]) -> bool:
    """Whether another Python could differ from ours: an older one always, a newer one over what ours refuses."""
    return version < _OWN or (version > _OWN and any(finding.code == syntax.code for finding in findings))


def judged(findings: Sequence[Finding], lines: Lines, judgement: Judgement) -> list[Finding]:
    """`findings` of a text whose bytes are right, as the Python judges that will run it. Sorted by place.

    What our own Python refuses, and that one takes, is information: nothing more is known of that statement.
    """
    version = as_words(judgement.version)
    if judgement.message is None:
        return [_taken(finding, version) for finding in findings if finding.needs is None]
    findings = for_version(findings, judgement.version)
    if any(finding.code == syntax.code for finding in findings):
        return findings
    line = min(max(judgement.line - 1, 0), len(lines.starts) - 1)
    text = lines.line(line)
    start = Position(line, max(min(judgement.column - 1, len(text) - 1), 0))
    message = f"Syntax error: {judgement.message} (says Python {version}, which runs the tools)"
    found = syntax.finding(message, lines.span(start, 1 if text else 0))
    return sorted([*findings, found], key=lambda finding: finding.range)


def _taken(finding: Finding, version: str) -> Finding:
    if finding.code != syntax.code:
        return finding
    message = f"Python {version} reads this, but adal-ls runs on {as_words(_OWN)}, which does not: it is not checked"
    code, name = newer_syntax.code, newer_syntax.name
    return replace(finding, code=code, name=name, severity=Severity.INFORMATION, message=message)
