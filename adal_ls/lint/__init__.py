"""Static lint of `.adal/tools.py`: text → `ToolFile` → findings and fixes.

Pure: no input or output, no language server types, and no code of the file is ever run.

    text, findings = decode(data)
    file = read(text)
    findings += check(file)
    tools = tools_with_problems(file, findings)
"""

from __future__ import annotations

from adal_ls.lint.agents import check_agents
from adal_ls.lint.around import ModuleText, Resolve
from adal_ls.lint.checker import check, check_beside, let_through
from adal_ls.lint.config import FIXED, Config
from adal_ls.lint.differences import differences
from adal_ls.lint.encoding import decode
from adal_ls.lint.findings import Finding, Fix, Severity, TextEdit
from adal_ls.lint.model import Entry, EntryKind, StaticTool, ToolFile, ToolList
from adal_ls.lint.problems import tools_with_problems
from adal_ls.lint.reader import read
from adal_ls.lint.rules import RULES, Rule
from adal_ls.lint.rules.environment import finding as finding_of_load
from adal_ls.lint.text import Lines, Position, Range

__all__ = [
    "FIXED",
    "RULES",
    "Config",
    "Entry",
    "EntryKind",
    "Finding",
    "Fix",
    "Lines",
    "ModuleText",
    "Position",
    "Range",
    "Resolve",
    "Rule",
    "Severity",
    "StaticTool",
    "TextEdit",
    "ToolFile",
    "ToolList",
    "check",
    "check_agents",
    "check_beside",
    "decode",
    "differences",
    "finding_of_load",
    "let_through",
    "read",
    "tools_with_problems",
]
