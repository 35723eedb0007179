from __future__ import annotations

from typing import Any

import pytest

from adal_ls.lint import FIXED, RULES, Config, Finding, Rule, Severity, check, check_agents, read
from adal_ls.lint.rules.base import AGENTS_RULES, LOAD_RULES, READING_RULES

SHOWN = {
    code: rule
    for code, rule in RULES.items()
    if rule not in READING_RULES and rule not in LOAD_RULES and code not in ("ADAL004", "ADAL217")
}
"""Those about a text alone. The others are about files that give none, what our Python is too old for, what another
module has, and what a load tells."""


@pytest.mark.parametrize("rule", SHOWN.values(), ids=SHOWN.keys())
def test_the_failing_example_of_a_rule_fails_and_the_passing_one_is_clean(rule: Rule[Any]) -> None:
    assert rule.code in [finding.code for finding in _found(rule, rule.failing)]
    assert _found(rule, rule.passing) == []


def _found(rule: Rule[Any], example: str) -> list[Finding]:
    return check_agents(example, Config()) if rule in AGENTS_RULES else check(read(example))


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES.keys())
def test_a_rule_says_why_in_one_line(rule: Rule[Any]) -> None:
    assert rule.why.endswith(".")
    assert "\n" not in rule.why
    assert rule.name == rule.name.lower().replace(" ", "-")


def test_what_cannot_be_silenced_is_an_error() -> None:
    assert {RULES[code].severity for code in FIXED} == {Severity.ERROR}


def test_names_of_rules_are_unique() -> None:
    assert len({rule.name for rule in RULES.values()}) == len(RULES)


def test_findings_come_in_the_order_of_their_places() -> None:
    source = "def bash(): ...\n\n\nCUSTOM_TOOLS = [bash, 'x', {'name': 'a-b', 'func': bash}, nothing, bash]\n"
    findings = check(read(source))
    assert [finding.range for finding in findings] == sorted(finding.range for finding in findings)
    assert len(findings) > 5
    assert check(read(source)) == findings
