from __future__ import annotations

from collections.abc import Mapping

import pytest

from adal_ls.lint import Config, Severity, check, read
from tests.lint.marks import F

SOURCE = F + "\n".join(
    [
        "def match(x: str) -> str:",
        "    'Match it.'",
        "    return x",
        "CUSTOM_TOOLS = [",
        "    match,",
        '    {"function": f, "name": "Bash"},',
        '    {"function": f, "approve": True},',
        '    {"function": f, "name": "class"},',
        "]",
        "",
    ]
)


def found(config: Config) -> list[str]:
    return [finding.code for finding in check(read(SOURCE), config)]


def test_all_rules_speak_by_default() -> None:
    assert found(Config()) == ["ADAL107", "ADAL105", "ADAL205", "ADAL102"]


@pytest.mark.parametrize(
    ("config", "codes"),
    [
        (Config(ignore=("ADAL107",)), ["ADAL105", "ADAL205", "ADAL102"]),
        (Config(ignore=("ADAL1",)), ["ADAL205", "ADAL102"]),
        (Config(select=("ADAL2",)), ["ADAL205", "ADAL102"]),
        (Config(select=("ADAL2", "ADAL107"), ignore=("ADAL205",)), ["ADAL107", "ADAL102"]),
        (Config(select=("ADAL107",), ignore=("ADAL1",)), ["ADAL107", "ADAL102"]),
        (Config(select=("ADAL1",), ignore=("ADAL1",)), ["ADAL102"]),
        (Config(select=()), ["ADAL102"]),
    ],
)
def test_the_longest_matching_code_decides_and_names_that_are_refused_are_always_told(
    config: Config, codes: list[str]
) -> None:
    assert found(config) == codes


def test_severities_are_set_by_code_or_family_and_never_for_refused_names() -> None:
    config = Config(severity={"ADAL1": Severity.WARNING, "ADAL105": Severity.ERROR, "ADAL102": Severity.HINT})
    assert [(f.code, f.severity) for f in check(read(SOURCE), config)] == [
        ("ADAL107", Severity.WARNING),
        ("ADAL105", Severity.ERROR),
        ("ADAL205", Severity.WARNING),
        ("ADAL102", Severity.ERROR),
    ]


def test_a_comment_silences_its_line_except_for_refused_names() -> None:
    source = SOURCE.replace('"Bash"},', '"Bash"},  # adal: ignore[ADAL105]')
    source = source.replace('"class"},', '"class"},  # adal: ignore[ADAL102]')
    source = source.replace('"approve": True},', '"approve": True},  # why not  # adal:ignore[ADAL107, ADAL205]')
    assert [finding.code for finding in check(read(source), Config(ignore=("ADAL002",)))] == ["ADAL107", "ADAL102"]


def test_a_comment_silences_only_the_code_it_names() -> None:
    source = SOURCE.replace('"Bash"},', '"Bash"},  # adal: ignore[ADAL106]')
    assert [finding.code for finding in check(read(source))] == ["ADAL107", "ADAL105", "ADAL002", "ADAL205", "ADAL102"]


def test_syntax_errors_are_not_silenced() -> None:
    source = F + "x = = 1  # adal: ignore[ADAL001]\nCUSTOM_TOOLS = [f]\n"
    assert [f.code for f in check(read(source), Config(ignore=("ADAL0",)))] == ["ADAL001"]


def test_settings_become_a_configuration() -> None:
    settings = {"select": ["ADAL1"], "ignore": ["ADAL107"], "severity": {"ADAL2": "hint"}, "model": "other"}
    assert Config.parse(settings) == Config(("ADAL1",), ("ADAL107",), {"ADAL2": Severity.HINT})
    assert Config.parse({}) == Config()


def test_an_empty_selection_selects_all_as_an_editor_sends_it_while_nobody_has_set_it() -> None:
    assert Config.parse({"select": [], "ignore": [], "severity": {}}) == Config()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"select": "ADAL1"}, "'select' must be a list"),
        ({"ignore": 7}, "'ignore' must be a list"),
        ({"ignore": [7]}, "7, which is not a code"),
        ({"select": ["E501"]}, "'E501', which is not a code"),
        ({"severity": ["ADAL1"]}, "'severity' must be a table"),
        ({"severity": {"ADAL1": "loud"}}, "ADAL1 is 'loud'; it must be one of error, warning, information, hint"),
        ({"severity": {"ADAL1": None}}, "ADAL1 is None"),
    ],
)
def test_wrong_settings_say_which_one_and_what_it_must_be(settings: Mapping[str, object], words: str) -> None:
    with pytest.raises(ValueError) as error:
        Config.parse(settings)
    assert words in str(error.value)
