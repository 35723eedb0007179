"""ADAL002: `# adal: ignore[...]` that silences nothing. It looks at the findings of all other rules."""

from __future__ import annotations

from collections.abc import Iterator

from adal_ls.lint.findings import Finding, Severity
from adal_ls.lint.rules.base import Rule, Unused, ignore_rule

_TOOL = '    """Do f."""\n    return x\n\n\nCUSTOM_TOOLS = [f]\n'


@ignore_rule(
    code="ADAL002",
    name="unused-ignore",
    severity=Severity.HINT,
    why="The comment silences nothing here; left in place it would hide a finding that comes later.",
    failing=f"def f(x: str) -> str:  # adal: ignore[ADAL303]\n{_TOOL}",
    passing=f"def f(x) -> str:  # adal: ignore[ADAL303]\n{_TOOL}",
    fix="Remove the code, or the comment with its last one.",
)
def unused_ignore(rule: Rule[Unused], unused: Unused) -> Iterator[Finding]:
    yield rule.finding(unused.why, unused.place, fixes=(unused.removal,))
