from __future__ import annotations

import json

from adal_ls.lint import RULES
from tests.cli.conftest import Run


def test_a_rule_is_explained_by_its_code_or_its_name(adal_ls: Run) -> None:
    by_code = adal_ls("rule", "adal103")
    assert by_code.returncode == 0
    assert by_code.stdout.startswith("ADAL103 duplicate (error)\n")
    assert "Cannot be silenced" in by_code.stdout
    assert adal_ls("rule", "duplicate").stdout == by_code.stdout


def test_all_rules_are_listed(adal_ls: Run) -> None:
    listed = adal_ls("rule").stdout.splitlines()
    assert [line.partition(" ")[0] for line in listed] == sorted(RULES)


def test_a_program_gets_json(adal_ls: Run) -> None:
    one = json.loads(adal_ls("rule", "ADAL307", "--format", "json").stdout)
    assert (one["code"], one["name"], one["severity"], one["silenceable"]) == (
        "ADAL307",
        "implicit-optional",
        "hint",
        True,
    )
    assert one["fix"] == RULES["ADAL307"].fix
    assert "fix" not in json.loads(adal_ls("rule", "ADAL301", "--format", "json").stdout)
    assert [rule["code"] for rule in json.loads(adal_ls("rule", "--format", "json").stdout)] == sorted(RULES)


def test_an_unknown_rule_is_wrong_usage_and_the_nearest_is_named(adal_ls: Run) -> None:
    wrong = adal_ls("rule", "duplicates")
    assert wrong.returncode == 2
    assert "There is no rule 'duplicates'; did you mean duplicate?" in wrong.stderr
    assert wrong.stdout == ""
    assert "did you mean ADAL3" in adal_ls("rule", "ADAL3O1").stderr
