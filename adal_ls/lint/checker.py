"""Runs the rules over a file."""

from __future__ import annotations

import re

from adal_ls.lint.config import FIXED, Config
from adal_ls.lint.findings import Finding
from adal_ls.lint.model import ToolFile
from adal_ls.lint.rules import RULES

_DEFAULT = Config()
_IGNORE = re.compile(r"#\s*adal:\s*ignore\[([A-Za-z0-9,\s]*)\]")


def check(file: ToolFile, config: Config = _DEFAULT) -> list[Finding]:
    """All findings of a file that the configuration lets through, sorted by place, then by code.

    `# adal: ignore[CODE, CODE]` on the line where a finding starts silences it, except for the codes in `FIXED`.
    """
    found: dict[tuple[object, ...], Finding] = {}
    for rule in RULES.values():
        for finding in rule(file):
            configured = config.apply(finding)
            if configured is not None and not _ignored(file, configured):
                # Two entries of one function say the same about its name.
                found.setdefault((finding.range, finding.code, finding.message), configured)
    return sorted(found.values(), key=lambda finding: (finding.range, finding.code))


def _ignored(file: ToolFile, finding: Finding) -> bool:
    if finding.code in FIXED:
        return False
    codes = _IGNORE.findall(file.lines.line(finding.range.start.line))
    return any(code.strip() == finding.code for found in codes for code in found.split(","))
