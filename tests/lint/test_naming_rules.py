from __future__ import annotations

import pytest

from adal_ls import lint
from adal_ls.lint import Severity
from tests.lint.marks import F, G, check, codes, fixed, marked, only


def test_an_invalid_identifier_is_marked_on_its_string() -> None:
    # https://github.com/anthropics/claude-code/issues/985
    [finding] = check(
        F
        + """
CUSTOM_TOOLS = [{"function": f, "name": "create-ticket"}]
#                                       ^^^^^^^^^^^^^^^ ADAL101
"""
    )
    assert "valid Python identifier" in finding.message
    assert finding.severity is Severity.ERROR


def test_columns_count_code_points_before_a_name() -> None:
    # https://github.com/astral-sh/ruff-lsp/issues/358
    finding = only(F + 'CUSTOM_TOOLS = [{"function": f, "description": "🎫 é", "name": "bad-name"}]\n', "ADAL101")
    assert (finding.range.start.column, finding.range.end.column) == (62, 72)


def test_keywords_are_errors_and_soft_keywords_are_not() -> None:
    check(
        F
        + """
def match(x: str) -> str:
#   ^^^^^ ADAL107
    'Match it.'
    return x


CUSTOM_TOOLS = [
    {"function": f, "name": "return"},
#                           ^^^^^^^^ ADAL102
    {"function": f, "name": "None"},
#                           ^^^^^^ ADAL102
    {"function": f, "name": "async"},
#                           ^^^^^^^ ADAL102
    {"function": f, "name": "case"},
#                           ^^^^^^ ADAL107
    {"function": f, "name": "type_"},
    match,
]
"""
    )


def test_duplicates_are_marked_in_the_list_and_point_to_the_first() -> None:
    # https://github.com/openai/openai-agents-python/pull/4653
    source = F + G + 'CUSTOM_TOOLS = [f, f, {"function": g, "name": "f"}]\n'
    second, third = check(
        source
        + """
#                  ^ ADAL103
#                                             ^^^ ADAL103
""".lstrip("\n")
    )
    for finding in (second, third):
        [(place, _)] = finding.related
        assert (place.start.line, place.start.column) == (10, 16)
    assert "remove" in second.message
    assert second.fixes == ()
    assert fixed(source, third.fixes[0]).endswith('"name": "f_2"}]\n')


def test_names_that_python_takes_for_the_same_are_duplicates() -> None:
    check(
        F
        + """
CUSTOM_TOOLS = [{"function": f, "name": "find"}, {"function": f, "name": "ﬁnd"}]
#                                                                        ^^^^^ ADAL103
#                                                                        ^^^^^ ADAL106
"""
    )


def test_one_function_in_both_branches_is_no_duplicate() -> None:
    # https://github.com/ollama/ollama-python/blob/25b93290d8/examples/web-search-mcp.py
    check(
        """
try:
    import fancy_http_that_is_missing

    def fetch(url: str) -> str:
        'Fetch with fancy.'
        return url
except ImportError:

    def fetch(url: str, retries: int = 1) -> str:
        'Fetch simply.'
        return url


CUSTOM_TOOLS = [fetch]
"""
    )


def test_lists_in_two_branches_are_no_duplicates() -> None:
    source = F + "import os\n\nif os.name:\n    CUSTOM_TOOLS = [f]\nelse:\n    CUSTOM_TOOLS = [f, f]\n"
    assert codes(source) == ["ADAL209", "ADAL209"]


def test_a_built_in_s_name_is_refused_at_the_definition_or_at_the_string() -> None:
    # https://github.com/earendil-works/pi/issues/3553
    first, second = check(
        """
def bash(command: str) -> str:
#   ^^^^ ADAL104
    'Run it.'
    return "intercepted"


def peek(path: str) -> str:
    'Look into a file.'
    return path


CUSTOM_TOOLS = [bash, {"function": peek, "name": "read_file"}]
#                                                ^^^^^^^^^^^ ADAL104
"""
    )
    for finding in (first, second):
        assert "is reserved for a built-in tool" in finding.message
        assert "left out" in finding.message
    assert "'bash_tool'" in first.message


def test_a_clash_of_a_function_from_elsewhere_is_marked_in_the_list() -> None:
    check(
        """
from shell import bash
from shell import run as grep
from search import grep as find

CUSTOM_TOOLS = [bash, grep, find]
#               ^^^^ ADAL104
#                           ^^^^ ADAL104
"""
    )


def test_only_letter_case_apart_from_a_built_in_is_a_warning() -> None:
    findings = check(
        F
        + """
CUSTOM_TOOLS = [{"function": f, "name": "Read_File"}, {"function": f, "name": "web"}]
#                                       ^^^^^^^^^^^ ADAL105
#                                                                             ^^^^^ ADAL105
"""
    )
    assert [finding.severity for finding in findings] == [Severity.WARNING] * 2
    assert "'read_file'" in findings[0].message
    assert "group" in findings[1].message


def test_a_name_in_another_script_is_valid_but_models_take_ascii_only() -> None:
    # https://github.com/TencentCloud/Octop/pull/308
    [finding] = check(
        """
def 查询天气(城市: str) -> str:
#   ^^^^ ADAL106
    'Query the weather.'
    return 城市


CUSTOM_TOOLS = [查询天气]
"""
    )
    assert finding.severity is Severity.WARNING
    assert "ASCII only" in finding.message


def test_the_64th_character_is_the_last_that_models_take() -> None:
    # https://github.com/microsoft/vscode/issues/243602
    source = "".join(f"def {c * n}(x: str) -> str:\n    return x\n\n\n" for c, n in (("a", 64), ("b", 65)))
    source += f"CUSTOM_TOOLS = [{'a' * 64}, {'b' * 65}]\n"
    finding = only(source, "ADAL106")
    assert marked(source, finding) == "b" * 65
    assert "65" in finding.message
    assert "64" in finding.message


def test_a_hidden_builtin_is_a_hint_only_where_something_is_hidden() -> None:
    [finding] = check(
        """
def credits(x: str) -> str:
#   ^^^^^^^ ADAL107
    'Who made it.'
    return x


CUSTOM_TOOLS = [credits, {"function": credits, "name": "list"}]
"""
    )
    assert finding.severity is Severity.HINT


def test_a_definition_is_marked_once_however_often_it_is_listed() -> None:
    source = "def bash() -> str:\n    'Run.'\n    return ''\n\n\nCUSTOM_TOOLS = [bash, bash]\n"
    assert codes(source) == ["ADAL104", "ADAL103"]


@pytest.mark.parametrize(
    ("literal", "after"),
    [
        ('"bad-name"', '"bad_name"'),
        ("'bad-name'", "'bad_name'"),
        ('r"bad-name"', 'r"bad_name"'),
        ('"""bad-name"""', '"""bad_name"""'),
        ('("bad" "-name")', '("bad_name")'),
        ("'bad-' 'name'", "'bad_name'"),
        ('"bad\\x2dname"', '"bad_name"'),
        ('"2nd"', '"tool_2nd"'),
        ('"class"', '"class_"'),
        ('"grep"', '"grep_tool"'),
        ('""', '"tool"'),
    ],
)
def test_the_rename_changes_the_content_of_the_string_and_nothing_else(literal: str, after: str) -> None:
    # CRLF, tabs and no final line break: https://github.com/KrushnaD0/crewai-for-soc-automation
    before = 'def f(x: str) -> str:\r\n\t"""Do f."""\r\n\treturn x\r\n\r\nCUSTOM_TOOLS = [{"function": f,\t"name": '
    source = f"{before}{literal}}}]"
    [code] = codes(source)
    [fix] = only(source, code).fixes
    assert fixed(source, fix) == f"{before}{after}}}]"
    assert codes(fixed(source, fix)) == []


def test_a_function_gets_another_name_by_turning_its_entry_into_dict_form() -> None:
    source = "from shell import bash\n\nCUSTOM_TOOLS = [\n    bash,  # the shell\n]\n"
    [fix] = only(source, "ADAL104").fixes
    assert fixed(source, fix) == source.replace("bash,", '{"function": bash, "name": "bash_tool"},')
    assert codes(fixed(source, fix)) == []


def test_no_fix_renames_several_tools_that_one_expression_names() -> None:
    source = F + 'CUSTOM_TOOLS = [{"function": f, "name": f"do-{n}"} for n in ("a", "b")]\n'
    findings = [finding for finding in lint.check(lint.read(source)) if finding.code == "ADAL101"]
    assert [finding.fixes for finding in findings] == [(), ()]
    alone = F + 'CUSTOM_TOOLS = [{"function": f, "name": "do" + "-a"}]\n'
    [fix] = only(alone, "ADAL101").fixes
    assert fixed(alone, fix) == F + 'CUSTOM_TOOLS = [{"function": f, "name": "do_a"}]\n'
