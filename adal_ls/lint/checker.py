"""Runs the rules over a file."""

from __future__ import annotations

from collections.abc import Iterator

from adal_ls.lint.config import Config
from adal_ls.lint.findings import Finding
from adal_ls.lint.ignores import Ignores
from adal_ls.lint.model import ToolFile
from adal_ls.lint.rules.base import FILE_RULES, FUNCTION_RULES, IGNORE_RULES, STATEMENT_RULES

_DEFAULT = Config()


def check(file: ToolFile, config: Config = _DEFAULT) -> list[Finding]:
    """All findings of a file that the configuration lets through, sorted by place, then by code.

    `# adal: ignore[CODE, NAME]` on the line where a finding starts silences it, except for the codes in `FIXED`.
    """
    found: dict[tuple[object, ...], Finding] = {}
    ignores = Ignores(file.lines)
    for finding in _findings(file):
        configured = config.apply(finding)
        if configured is not None and not ignores.silences(configured):
            # Two entries of one function say the same about its name.
            found.setdefault((finding.range, finding.code, finding.message), configured)
    for unused in ignores.unused(config):
        for rule in IGNORE_RULES:
            for finding in rule(unused):
                configured = config.apply(finding)
                if configured is not None:
                    found[finding.range, finding.code, finding.message] = configured
    return sorted(found.values(), key=lambda finding: (finding.range, finding.code))


def _findings(file: ToolFile) -> Iterator[Finding]:
    for rule in FILE_RULES:
        yield from rule(file)
    for function in file.functions:
        for local in FUNCTION_RULES:
            yield from local(function)
    for statement in file.subjects.statements:
        for at_top in STATEMENT_RULES:
            yield from at_top(statement)
