"""The settings in the manifest of the VS Code extension are those of the server, with the values that it takes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, get_args

import pytest

from adal_ls.agent.builtin.catalog import BUILTINS
from adal_ls.lint import RULES, Severity
from adal_ls.protocol.runs import PermissionMode
from adal_ls.server import settings

MANIFEST = Path(__file__).parents[2] / "vscode-client" / "package.json"
PROPERTIES: dict[str, dict[str, Any]] = {
    name.removeprefix("adal."): schema
    for name, schema in json.loads(MANIFEST.read_text(encoding="utf-8"))["contributes"]["configuration"][
        "properties"
    ].items()
}


def test_the_server_knows_every_setting() -> None:
    given = {name.partition(".")[0]: None for name in PROPERTIES}
    assert settings.read({**given, "lint": {}}, settings.Settings())[1] == []


@pytest.mark.parametrize("name", ["enabledDefaultTools", "disabledDefaultTools"])
def test_the_lists_of_built_in_tools_offer_the_groups_and_the_names(name: str) -> None:
    groups = {builtin.group for builtin in BUILTINS.values() if builtin.group}
    assert PROPERTIES[name]["items"]["enum"] == [*sorted(groups), *sorted(BUILTINS)]


def test_modes_and_severities_are_those_that_are_known() -> None:
    assert PROPERTIES["permissionMode"]["enum"] == list(get_args(PermissionMode))
    assert PROPERTIES["lint.severity"]["additionalProperties"]["enum"] == [severity.value for severity in Severity]


@pytest.mark.parametrize("name", ["lint.select", "lint.ignore"])
def test_the_lists_of_rules_take_every_code_and_family(name: str) -> None:
    pattern = PROPERTIES[name]["items"]["pattern"]
    assert PROPERTIES["lint.severity"]["propertyNames"]["pattern"] == pattern
    for code in RULES:
        assert all(re.match(pattern, code[:end]) for end in range(4, len(code) + 1))
    assert not re.match(pattern, "E501")


def test_every_setting_is_in_the_guide() -> None:
    guide = (MANIFEST.parents[1] / "docs" / "guides" / "configuration.md").read_text(encoding="utf-8")
    rows = "\n".join(line.rpartition(" | ")[0] for line in guide.splitlines() if line.startswith("| `adal."))
    assert set(re.findall(r"`adal\.([\w.]+)`", rows)) == PROPERTIES.keys()
