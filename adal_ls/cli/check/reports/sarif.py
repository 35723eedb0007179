"""`--format sarif`: one SARIF 2.1.0 log, as GitHub's code scanning and SARIF viewers read it.

Source: OASIS, Static Analysis Results Interchange Format 2.1.0.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from adal_ls.cli.check.reports.outcome import Outcome
from adal_ls.cli.check.reports.repository import inside, root
from adal_ls.cli.output import give_json
from adal_ls.cli.sources import Source
from adal_ls.lint import RULES, Finding, Fix, Range, Severity, rules
from adal_ls.version import __version__

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "SRCROOT"
_LEVELS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "note",
    Severity.HINT: "note",
}


def give(outcome: Outcome) -> None:
    """Print the log."""
    give_json(as_sarif(outcome))


def as_sarif(outcome: Outcome) -> dict[str, Any]:
    """The log. Paths count from the repository, columns in code points; a region ends before its last column."""
    repository = root()
    codes = sorted({finding.code for source in outcome.sources for finding in source.findings})
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "adal-ls",
                        "semanticVersion": __version__,
                        "rules": [_rule(code) for code in codes],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {_ROOT: {"uri": f"{repository.as_uri().rstrip('/')}/"}},
                "invocations": [{"executionSuccessful": all(source.readable for source in outcome.sources)}],
                "results": [result for source in outcome.sources for result in _results(source, repository, codes)],
            }
        ],
    }


def _rule(code: str) -> dict[str, Any]:
    rule = RULES[code]
    return {
        "id": code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": rule.name},
        "fullDescription": {"text": rule.why},
        "helpUri": rules.address(code),
        "help": {"text": f"{rule.why}\n\n{_example(rule.failing, rule.passing)}adal-ls rule {code} says more."},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _example(failing: str, passing: str) -> str:
    return f"Fails:\n\n{failing}\nPasses:\n\n{passing}\n" if failing else ""


def _results(source: Source, repository: Path, codes: list[str]) -> Iterator[dict[str, Any]]:
    file = _file(source.path, repository)
    for finding in source.findings:
        yield _result(finding, file, codes.index(finding.code))


def _result(finding: Finding, file: dict[str, str], rule: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": rule,
        "level": _LEVELS[finding.severity],
        "message": {"text": finding.message},
        "locations": [_location(file, finding.range)],
    }
    if finding.related:
        result["relatedLocations"] = [
            {"id": number, "message": {"text": message}, **_location(file, place)}
            for number, (place, message) in enumerate(finding.related, 1)
        ]
    if finding.fixes:
        result["fixes"] = [_fix(file, fix) for fix in finding.fixes]
    return result


def _location(file: dict[str, str], place: Range) -> dict[str, Any]:
    return {"physicalLocation": {"artifactLocation": file, "region": _region(place)}}


def _fix(file: dict[str, str], fix: Fix) -> dict[str, Any]:
    replacements = [
        {"deletedRegion": _region(edit.range), "insertedContent": {"text": edit.new_text}} for edit in fix.edits
    ]
    return {
        "description": {"text": fix.title},
        "artifactChanges": [{"artifactLocation": file, "replacements": replacements}],
    }


def _region(place: Range) -> dict[str, int]:
    return {
        "startLine": place.start.line + 1,
        "startColumn": place.start.column + 1,
        "endLine": place.end.line + 1,
        "endColumn": place.end.column + 1,
    }


def _file(path: str, repository: Path) -> dict[str, str]:
    shown = inside(path, repository)
    if shown is None:
        return {"uri": Path(os.path.abspath(path)).as_uri()}  # noqa: PTH100 - a link stays one
    return {"uri": quote(os.fsencode(shown)), "uriBaseId": _ROOT}
