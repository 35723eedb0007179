"""Static lint of `.adal/tools.py`: text → `ToolFile` → findings and fixes.

Pure: no input or output, no language server types, and no code of the file is ever run.

    text, findings = decode(data)
    file = read(text)
    findings += check(file)
    tools = tools_with_problems(file, findings)

Names arrive when they are first used (PEP 562): the server waits for its first diagnostics, not for what serves others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adal_ls.lint.agents import check_agents
    from adal_ls.lint.checker import check, check_beside, let_through
    from adal_ls.lint.findings import Finding, Fix, Severity, TextEdit
    from adal_ls.lint.model import Entry, EntryKind, StaticTool, ToolFile, ToolList
    from adal_ls.lint.modules.around import ModuleText, Resolve
    from adal_ls.lint.problems import tools_with_problems
    from adal_ls.lint.reader import read
    from adal_ls.lint.reading.encoding import decode
    from adal_ls.lint.reading.text import Lines, Position, Range
    from adal_ls.lint.rules import RULES, Rule
    from adal_ls.lint.rules.environment import finding as finding_of_load
    from adal_ls.lint.settings.config import FIXED, Config

_MODULES = {
    "check_agents": "agents",
    "ModuleText": "modules.around",
    "Resolve": "modules.around",
    "check": "checker",
    "check_beside": "checker",
    "let_through": "checker",
    "Config": "settings.config",
    "FIXED": "settings.config",
    "decode": "reading.encoding",
    "Finding": "findings",
    "Fix": "findings",
    "Severity": "findings",
    "TextEdit": "findings",
    "Entry": "model",
    "EntryKind": "model",
    "StaticTool": "model",
    "ToolFile": "model",
    "ToolList": "model",
    "tools_with_problems": "problems",
    "read": "reader",
    "RULES": "rules",
    "Rule": "rules",
    "Lines": "reading.text",
    "Position": "reading.text",
    "Range": "reading.text",
}

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
    "finding_of_load",
    "let_through",
    "read",
    "tools_with_problems",
]


def __getattr__(name: str) -> object:
    import importlib

    if name == "finding_of_load":
        module, attribute = "rules.environment", "finding"
    elif name in _MODULES:
        module, attribute = _MODULES[name], name
    else:
        raise AttributeError(f"module 'adal_ls.lint' has no attribute '{name}'")
    value: object = getattr(importlib.import_module(f"adal_ls.lint.{module}"), attribute)
    globals()[name] = value
    return value
