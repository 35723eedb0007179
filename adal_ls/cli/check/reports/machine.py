"""`--format json`: one object, version 1. Lines and columns count from 1, columns in code points."""

from __future__ import annotations

from typing import Any

from adal_ls.cli.check import fix
from adal_ls.cli.check.reports.outcome import Outcome
from adal_ls.cli.output import give_json
from adal_ls.cli.sources import Source
from adal_ls.lint import Finding, Range, Severity
from adal_ls.lint.fixes.fixing import choices, mended_unasked


def give(outcome: Outcome) -> None:
    """Print the object."""
    fixed = {} if outcome.fixed is None else {"fixed": fix.as_json(outcome.fixed)}
    give_json({**as_json(outcome), **fixed})


def as_json(outcome: Outcome) -> dict[str, Any]:
    """The findings and how many there are."""
    return {
        "version": 1,
        "diagnostics": [_diagnostic(source, finding) for source in outcome.sources for finding in source.findings],
        "summary": {
            "files": outcome.files,
            "errors": outcome.count(Severity.ERROR),
            "warnings": outcome.count(Severity.WARNING),
            "informations": outcome.count(Severity.INFORMATION),
            "hints": outcome.count(Severity.HINT),
        },
    }


def _diagnostic(source: Source, finding: Finding) -> dict[str, Any]:
    return {
        "path": source.path,
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity.value,
        "message": finding.message,
        "range": _range(finding.range),
        "related": [
            {"path": source.path, "message": message, "range": _range(place)} for place, message in finding.related
        ],
        "fixable": mended_unasked(finding) is not None,
        "choices": [fix.title for fix in choices(finding)],
    }


def _range(place: Range) -> dict[str, Any]:
    return {
        "start": {"line": place.start.line + 1, "column": place.start.column + 1},
        "end": {"line": place.end.line + 1, "column": place.end.column + 1},
    }
