"""Static lint of `.adal/agents.py`."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from adal_ls.lint.agents_file import AgentsFile
from adal_ls.lint.checker import check, let_through
from adal_ls.lint.findings import Finding, Severity
from adal_ls.lint.modules.around import Resolve
from adal_ls.lint.reader import read
from adal_ls.lint.rules.base import AGENTS_RULES
from adal_ls.lint.settings.config import Config

_FAMILY = "ADAL7"
_AS_IN_TOOLS = ("ADAL001", "ADAL004", "ADAL216", "ADAL217", "ADAL605", "ADAL606")
"""What holds for any module that is loaded: its syntax, its imports, its end, its secrets."""


def check_agents(text: str, config: Config, resolve: Resolve | None = None) -> list[Finding]:
    """All findings of an agents file that the configuration lets through, sorted by place, then by code.

    `resolve` gives the texts of the modules beside it.
    """
    file = read(text, resolve)
    agents = AgentsFile(file)
    found = [finding for rule in AGENTS_RULES for finding in rule(agents)]
    general = [finding for finding in check(file, config) if finding.code in _AS_IN_TOOLS]
    return sorted([*general, *let_through(found, file.lines, config)], key=lambda one: (one.range, one.code))


def tells(findings: Iterable[Finding], code: str, line: int, text: str) -> bool:
    """Whether they say already what a load of `text` told, at its line: then theirs has the exact range.

    What is wrong with AGENTS itself a load tells without a line, which is then 0. Of a call over several lines Python
    names the first.
    """
    last = _last_line(text, line)
    for finding in findings:
        if finding.code == code == "ADAL001":
            return True
        certain = finding.code.startswith(_FAMILY) and finding.severity is Severity.ERROR
        if certain and (line == 0 or line <= finding.range.start.line <= last):
            return True
    return False


def _last_line(text: str, line: int) -> int:
    """The last line of the longest call that begins on a line; lines count from 0."""
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return line
    calls = (node for node in ast.walk(module) if isinstance(node, ast.Call) and node.lineno == line + 1)
    return max(((node.end_lineno or node.lineno) - 1 for node in calls), default=line)
