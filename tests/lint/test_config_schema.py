from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from adal_ls.lint import RULES
from adal_ls.lint.settings.config_schema import config_schema, json_text
from adal_ls.lint.settings.pyproject import parse

DOCUMENT = Path(__file__).parents[2] / "docs" / "adal-ls.schema.json"

GOOD: list[dict[str, Any]] = [
    {},
    {"select": [], "ignore": []},
    {"select": ["ADAL"], "ignore": ["ADAL303", "ADAL4", "adal30", " ADAL10 "]},
    {"ignore": ["untyped-parameter", "Untyped-Parameter"]},
    {"severity": {"ADAL401": "hint", "adal9": "warning", "untyped-parameter": "error"}},
]
BAD: list[dict[str, Any]] = [
    {"selct": ["ADAL1"]},
    {"line-length": 88},
    {"ignore": "ADAL1"},
    {"ignore": ["E501"]},
    {"ignore": ["ADAL3O3"]},
    {"ignore": ["ADAL999"]},
    {"ignore": ["ADAL1011"]},
    {"ignore": [3]},
    {"ignore": ["untyped"]},
    {"severity": 3},
    {"severity": {"ADAL401": "loud"}},
    {"severity": {"ADAL499": "hint"}},
]


def is_valid(table: dict[str, Any]) -> bool:
    Draft7Validator.check_schema(config_schema())
    return Draft7Validator(config_schema()).is_valid(table)


def is_taken(table: dict[str, Any]) -> bool:
    """Whether the reader of pyproject.toml has nothing to complain about."""
    lines = ["[tool.adal-ls]"]
    for key, value in table.items():
        if isinstance(value, dict):
            pairs = ", ".join(f"{json.dumps(name)} = {json.dumps(word)}" for name, word in value.items())
            lines.append(f"{key} = {{ {pairs} }}")
        else:
            lines.append(f"{key} = {json.dumps(value)}")
    return parse("\n".join(lines) + "\n").complaints == ()


def test_the_committed_schema_is_that_of_the_rules() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == json_text(), "run `python -m adal_ls.lint.document`"


@pytest.mark.parametrize("table", GOOD)
def test_what_is_taken_without_a_complaint_fits_the_schema(table: dict[str, Any]) -> None:
    assert is_taken(table)
    assert is_valid(table)


@pytest.mark.parametrize("table", BAD)
def test_what_is_complained_about_does_not_fit_the_schema(table: dict[str, Any]) -> None:
    assert not is_taken(table)
    assert not is_valid(table)


def test_an_editor_can_offer_every_rule_with_what_it_is_for() -> None:
    offered = {
        choice["const"]: choice["description"] for choice in config_schema()["definitions"]["code"]["anyOf"][:-2]
    }
    assert offered.keys() == RULES.keys()
    assert all(RULES[code].why in words for code, words in offered.items())
