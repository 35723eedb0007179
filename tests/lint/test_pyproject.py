from __future__ import annotations

import pytest

from adal_ls.lint import Config, Severity
from adal_ls.lint.settings.pyproject import merge, parse

GOOD = """\
[project]
name = "shop"

[tool.adal-ls]
select = ["ADAL"]
ignore = ["ADAL303", "ADAL4"]

[tool.adal-ls.severity]
ADAL401 = "hint"
ADAL901 = "warning"
"""


def test_the_table_becomes_a_configuration() -> None:
    settings = parse(GOOD)
    assert (settings.found, settings.complaints) == (True, ())
    config = Config.parse(settings.values)
    assert (config.select, config.ignore) == (("ADAL",), ("ADAL303", "ADAL4"))
    assert config.severity == {"ADAL401": Severity.HINT, "ADAL901": Severity.WARNING}


@pytest.mark.parametrize("text", ["", "[project]\nname = 'adal-ls'\n", "not TOML at all", "[tool.ruff]\n"])
def test_a_file_without_the_table_says_nothing(text: str) -> None:
    assert not parse(text).found
    assert parse(text).complaints == ()


@pytest.mark.parametrize(
    ("line", "number", "words"),
    [
        ('selct = ["ADAL1"]', 3, "has no key 'selct'; did you mean 'select'?"),
        ("line-length = 88", 3, "the keys are select, ignore, severity"),
        ('ignore = "ADAL1"', 3, "'ignore' must be a list"),
        ('ignore = ["E501"]', 3, "there is no rule E501; codes look like ADAL107"),
        ('ignore = [\n  "ADAL1",\n  "ADAL3O3",\n]', 5, "there is no rule ADAL3O3; did you mean ADAL303?"),
        ("ignore = [3]", 3, "ignore: 3 is not a code"),
        ("severity = 3", 3, "'severity' must be a table"),
        ('severity.ADAL401 = "loud"', 3, "must be one of error, warning, information, hint"),
        ('severity.ADAL499 = "hint"', 3, "there is no rule ADAL499"),
    ],
)
def test_what_cannot_be_used_is_told_with_its_line_and_the_rest_holds(line: str, number: int, words: str) -> None:
    settings = parse(f'[tool.adal-ls]\nselect = ["ADAL"]\n{line}\n')
    [complaint] = settings.complaints
    assert complaint.line == number
    assert words in complaint.message
    assert settings.values["select"] == ["ADAL"]
    Config.parse(settings.values)


def test_one_bad_severity_leaves_the_others() -> None:
    settings = parse('[tool.adal-ls.severity]\nADAL401 = "loud"\nADAL303 = "warning"\n')
    assert settings.values == {"severity": {"ADAL303": "warning"}}


def test_one_bad_code_leaves_the_others_and_names_count_in_any_case() -> None:
    settings = parse('[tool.adal-ls]\nignore = ["ADAL4", "nonsense", "adal303", "Unlisted-Tool"]\n')
    assert settings.values == {"ignore": ["ADAL4", "ADAL303", "ADAL212"]}
    assert [complaint.message for complaint in settings.complaints] == [
        "[tool.adal-ls] ignore: there is no rule nonsense; codes look like ADAL107, or ADAL1 for a family"
    ]


def test_a_select_of_nothing_but_slips_does_not_silence_the_lint() -> None:
    assert parse('[tool.adal-ls]\nselect = ["E501"]\n').values == {}


def test_a_slip_in_the_file_is_told_at_its_line() -> None:
    settings = parse("[tool.adal-ls]\nignore = [\n\n[project]\n")
    [complaint] = settings.complaints
    assert complaint.message.startswith("not TOML")
    assert complaint.line == 4
    assert settings.values == {}
    assert settings.broken


def test_a_table_that_is_none_is_told() -> None:
    assert parse('[tool]\nadal-ls = "yes"\n').complaints[0].message == "[tool.adal-ls] must be a table"


def test_what_is_given_comes_before_the_file_and_severities_are_joined() -> None:
    file = {"ignore": ["ADAL3"], "select": ["ADAL1"], "severity": {"ADAL401": "hint", "ADAL303": "error"}}
    given = {"ignore": ["ADAL4"], "select": None, "severity": {"ADAL303": "hint"}}
    assert merge(file, given) == {
        "ignore": ["ADAL4"],
        "select": ["ADAL1"],
        "severity": {"ADAL401": "hint", "ADAL303": "hint"},
    }


def test_empty_lists_of_an_editor_leave_those_of_the_file() -> None:
    file = {"ignore": ["ADAL3"], "select": ["ADAL1"]}
    assert merge(file, {"ignore": [], "select": [], "severity": {}}) == {**file, "severity": {}}
