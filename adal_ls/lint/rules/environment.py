"""ADAL9xx: what only a load of the file tells, and whoever loaded it says. Lint itself never finds any of it."""

from __future__ import annotations

from collections.abc import Iterator

from adal_ls.lint.findings import Finding, Severity
from adal_ls.lint.reading.text import Range
from adal_ls.lint.rules.base import RULES, Rule, Told, load_rule


@load_rule(
    code="ADAL901",
    name="import-failed",
    severity=Severity.ERROR,
    why="The file, or a module that it imports, ended with an error while it was loaded, so none of its tools can run.",
    failing="",
    passing="",
)
def import_failed(rule: Rule[Told], told: Told) -> Iterator[Finding]:
    yield rule.finding(told.message, told.place)


@load_rule(
    code="ADAL902",
    name="missing-package",
    severity=Severity.ERROR,
    why="The file imports what is not installed in the Python that runs the tools; the message says how to install it.",
    failing="",
    passing="",
)
def missing_package(rule: Rule[Told], told: Told) -> Iterator[Finding]:
    yield rule.finding(told.message, told.place)


@load_rule(
    code="ADAL903",
    name="load-timeout",
    severity=Severity.ERROR,
    why="The file was not loaded in time: what takes long belongs into a tool, not to the top level of a module.",
    failing="",
    passing="",
)
def load_timeout(rule: Rule[Told], told: Told) -> Iterator[Finding]:
    yield rule.finding(told.message, told.place)


@load_rule(
    code="ADAL904",
    name="no-interpreter",
    severity=Severity.ERROR,
    why="There is no Python to load the file with: it does not start, is too old, or has no pydantic.",
    failing="",
    passing="",
)
def no_interpreter(rule: Rule[Told], told: Told) -> Iterator[Finding]:
    yield rule.finding(told.message, told.place)


@load_rule(
    code="ADAL905",
    name="runtime-difference",
    severity=Severity.WARNING,
    why="Once it is loaded the file gives other tools than its text shows. What is loaded counts. An error where a tool"
    " is missing then, information where there are more.",
    failing="",
    passing="",
)
def runtime_difference(rule: Rule[Told], told: Told) -> Iterator[Finding]:
    yield rule.finding(told.message, told.place)


def finding(code: str, message: str, place: Range) -> Finding:
    """What a load told, under the code of a rule; one that no rule has is that of a failed import."""
    rule = RULES.get(code, RULES["ADAL901"])
    return rule.finding(message, place)
