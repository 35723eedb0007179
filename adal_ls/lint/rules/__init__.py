"""The rules, one module per family. Importing this package registers all of them in `RULES`."""

from __future__ import annotations

from adal_ls.lint.rules import (
    agent_contexts,
    agents,
    callables,
    docstrings,
    entries,
    environment,
    ignores,
    imports,
    misnamed,
    naming,
    output,
    safety,
    secrets,
    shape,
    signature,
    syntax,
    unlisted,
)
from adal_ls.lint.rules.base import RULES, Rule

__all__ = [
    "RULES",
    "Rule",
    "address",
    "agent_contexts",
    "agents",
    "anchor",
    "callables",
    "docstrings",
    "entries",
    "environment",
    "ignores",
    "imports",
    "misnamed",
    "naming",
    "output",
    "safety",
    "secrets",
    "shape",
    "signature",
    "syntax",
    "unlisted",
]


DOCUMENT = "https://github.com/adal-ls/adal-ls/blob/main/docs/rules.md"


def address(code: str) -> str:
    """The web page that speaks of a rule, for editors and SARIF viewers.

    Raises:
        KeyError: there is no rule of that code.
    """
    return f"{DOCUMENT}#{anchor(code)}"


def anchor(code: str) -> str:
    """Where docs/rules.md speaks of a rule: the fragment of its heading, "adal103-duplicate".

    Raises:
        KeyError: there is no rule of that code.
    """
    return f"{code.lower()}-{RULES[code].name}"
