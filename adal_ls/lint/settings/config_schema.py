"""The JSON Schema of the table `[tool.adal-ls]`, for editors that complete and check TOML by one.

Made from the rules, like docs/rules.md, and written beside it by the same command. It lets through what
`adal_ls.lint.settings.pyproject` takes without a complaint, and nothing else.
"""

from __future__ import annotations

import json
from typing import Any

from adal_ls.lint.findings import Severity
from adal_ls.lint.rules import RULES
from adal_ls.lint.settings.config import FIXED


def config_schema() -> dict[str, Any]:
    """The schema of the table's content."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "adal-ls",
        "description": "What adal-ls says about .adal/tools.py: the table [tool.adal-ls] of pyproject.toml.",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "select": {
                "description": "Rules to check. Absent: all.",
                "type": "array",
                "items": {"$ref": "#/definitions/code"},
            },
            "ignore": {
                "description": "Rules to leave out. Where this list and the other one match a code, the longest entry "
                f"decides. {', '.join(sorted(FIXED))} cannot be left out.",
                "type": "array",
                "items": {"$ref": "#/definitions/code"},
            },
            "severity": {
                "description": "How loud a rule is.",
                "type": "object",
                "propertyNames": {"$ref": "#/definitions/code"},
                "additionalProperties": {"enum": [severity.value for severity in Severity]},
                "examples": [{"ADAL401": "hint"}],
            },
        },
        "definitions": {
            "code": {
                "description": "A rule by its code or its name, or the beginning of codes for a family.",
                "type": "string",
                "anyOf": [
                    *(
                        {"const": code, "description": f"{RULES[code].name}: {RULES[code].why}"}
                        for code in sorted(RULES)
                    ),
                    {"pattern": rf"^\s*[Aa][Dd][Aa][Ll]({'|'.join(_beginnings())})\s*$"},
                    {"pattern": rf"^\s*({'|'.join(_in_any_case(rule.name) for rule in RULES.values())})\s*$"},
                ],
            },
        },
    }


def json_text() -> str:
    """The schema as it is written, with a final line end."""
    return json.dumps(config_schema(), indent=2, ensure_ascii=False) + "\n"


def _beginnings() -> list[str]:
    """What may stand behind `ADAL`, from nothing to a whole number."""
    return sorted({code[4:end] for code in RULES for end in range(4, len(code) + 1)})


def _in_any_case(name: str) -> str:
    """A pattern of JSON Schema has no flag for it."""
    return "".join(f"[{letter.upper()}{letter}]" if letter.isalpha() else letter for letter in name)
