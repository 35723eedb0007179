"""docs/rules.md and docs/adal-ls.schema.json: `python -m adal_ls.lint.document` writes them, from the rules themselves.

Tests compare them.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from adal_ls.lint.rules import RULES, Rule, anchor
from adal_ls.lint.settings.config import FIXED
from adal_ls.lint.settings.config_schema import json_text

FAMILIES = {
    "ADAL0": "The text",
    "ADAL1": "Names",
    "ADAL2": "The list",
    "ADAL3": "Signatures",
    "ADAL4": "Docstrings",
    "ADAL5": "Results",
    "ADAL6": "Safety",
    "ADAL7": "Agents",
    "ADAL9": "Environment",
}

_HEAD = """\
<!-- Generated from adal_ls/lint/rules by `python -m adal_ls.lint.document`. Do not edit. -->

# Rules

What the lint says about `.adal/tools.py`, and about `.adal/agents.py` ([Agents](#agents)). No code of the file is run
to find it, but for [Environment](#environment): that is told where the tools are loaded anyway, in a trusted workspace,
and by `adal-ls check --load`.
`adal-ls rule CODE` shows one rule at the terminal.

An error: Python or the runtime refuses the file, the entry or the tool. A warning: it runs, and does not do what it
seems to. Information: what can be told only once the file is loaded. A hint: it works, and could work better.

Silence a finding with a comment on the line where it starts:

```python
def f(x) -> str:  # adal: ignore[ADAL303]
```

A rule stands there by its code, by its name (`untyped-parameter`) or with its family (`ADAL3`), in any case.

or rules in `pyproject.toml`, next to the `.adal` folder or above it in the same repository. A code, or the beginning of
codes, stands for a rule or a family; where several match, the longest decides. Settings of the editor and options of
the command line come before the file.

```toml
[tool.adal-ls]
ignore = ["ADAL303", "ADAL4"]

[tool.adal-ls.severity]
ADAL401 = "hint"
```
"""


def markdown() -> str:
    """docs/rules.md, with a final line end."""
    rules = [RULES[code] for code in sorted(RULES)]
    table = ["| code | name | severity | fix |", "|---|---|---|---|"]
    table += [
        f"| [{rule.code}](#{anchor(rule.code)}) | `{rule.name}` | {rule.severity.value} | {'yes' if rule.fix else ''} |"
        for rule in rules
    ]
    parts = [_HEAD.rstrip("\n"), "\n".join(table)]
    for family, title in FAMILIES.items():
        parts.append(f"## {title}")
        parts += [_section(rule) for rule in rules if rule.code.startswith(family)]
    return "\n\n".join(parts) + "\n"


def silencing(rule: Rule[Any]) -> str:
    """How a finding of a rule is silenced, or why it cannot be."""
    if rule.code in FIXED:
        return "Cannot be silenced: Python or the runtime refuses it, whatever the lint says."
    if rule.code == "ADAL002":
        return f'Silence it in pyproject.toml: `ignore = ["{rule.code}"]`.'
    return (
        f"Silence it with `# adal: ignore[{rule.code}]` on the line where it starts, or for all files with "
        f'`ignore = ["{rule.code}"]` in pyproject.toml.'
    )


def _section(rule: Rule[Any]) -> str:
    return "\n\n".join(
        [
            f"### {rule.code} {rule.name}",
            f"{rule.severity.value.capitalize()}. {rule.why}",
            *([f"Fails:\n\n{_code(rule.failing)}", f"Passes:\n\n{_code(rule.passing)}"] if rule.failing else []),
            *([f"Fix: {rule.fix}"] if rule.fix else []),
            silencing(rule),
        ]
    )


def _code(source: str) -> str:
    return f"```python\n{source.rstrip()}\n```"


def main() -> int:
    """Writes the documents below the folder given as the argument, `docs` by default."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs")
    (folder / "rules.md").write_text(markdown(), encoding="utf-8", newline="\n")
    (folder / "adal-ls.schema.json").write_text(json_text(), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
