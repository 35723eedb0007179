from __future__ import annotations

import pytest

from adal_ls.lint import Severity, check, read
from tests.lint.marks import F, codes, fixed, marked, only
from tests.lint.marks import check as check_marks


def test_wrong_entries_are_told_one_by_one() -> None:
    # https://github.com/github/copilot-cli/issues/1528
    name, missing, string, approve = check_marks(
        F
        + """
CUSTOM_TOOLS = [
    {"function": f, "name": 42},
#                           ^^ ADAL206
    {"func": f},
#    ^^^^^^ ADAL204
    {"function": "f"},
#                ^^^ ADAL206
    {"function": f, "name": "ok", "approve": False},
#                                 ^^^^^^^^^ ADAL205
]
"""
    )
    assert "must be a string" in name.message
    assert "'func'" in missing.message
    assert "must be callable, got the string 'f'" in string.message
    assert '"require_approval"' in approve.message
    assert approve.severity is Severity.WARNING


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("'func'", "'function'"),
        ('"fuction"', '"function"'),
        ('"desc"', '"description"'),
        ('"requires_approval"', '"require_approval"'),
        ('"require-approval"', '"require_approval"'),
        ('"NAME"', '"name"'),
        ("name", '"name"'),
    ],
)
def test_a_mistaken_key_is_renamed_and_keeps_its_quotes(key: str, meant: str) -> None:
    entry = "{{{}: {}}}" if "function" in meant else '{{"function": f, {}: {}}}'
    value = {"f": "f", "n": "'b'", "d": "'b'", "r": "True"}[meant[1]]
    source = F + f"CUSTOM_TOOLS = [{entry.format(key, value)}]\n"
    # Where "function" is meant, missing-function says it: one finding for one slip.
    (finding,) = check(read(source))
    assert finding.code == ("ADAL204" if "function" in meant else "ADAL205")
    [fix] = finding.fixes
    assert fixed(source, fix) == source.replace(f"{key}: ", f"{meant}: ")
    assert codes(fixed(source, fix)) == []


def test_a_key_is_not_renamed_unseen_to_one_that_can_switch_approval_off() -> None:
    [fix] = only(F + 'CUSTOM_TOOLS = [{"function": f, "approve": False}]\n', "ADAL205").fixes
    assert not fix.preferred


def test_a_key_is_not_renamed_to_one_that_is_there() -> None:
    assert only(F + 'CUSTOM_TOOLS = [{"function": f, "func": f}]\n', "ADAL205").fixes == ()


def test_a_key_that_is_near_to_none_gets_the_list_of_keys() -> None:
    finding = only(F + 'CUSTOM_TOOLS = [{"function": f, "timeout": 3}]\n', "ADAL205")
    assert "function, name, description, require_approval" in finding.message
    assert codes(F + 'CUSTOM_TOOLS = [{"function": f, 7: 8}]\n') == ["ADAL205"]


def test_a_dict_without_a_function_is_an_error() -> None:
    source = F + 'CUSTOM_TOOLS = [{"name": "g"}]\n'
    assert marked(source, only(source, "ADAL204")) == '{"name": "g"}'


@pytest.mark.parametrize("entry", ['{**base, "name": "g"}', '{KEY: f, "name": "g"}'])
def test_a_dict_with_computed_keys_may_have_a_function(entry: str) -> None:
    assert codes(f"base, KEY = {{}}, 'function'\n{F}CUSTOM_TOOLS = [{entry}]\n") == ["ADAL209"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("name", "None"),
        ("name", "b'f'"),
        ("name", "['f']"),
        ("description", "42"),
        ("description", "{}"),
        ("function", "42"),
        ("function", "None"),
        ("function", "[f]"),
        ("function", "f'x'"),
    ],
)
def test_values_of_the_wrong_type_are_errors_on_the_value(key: str, value: str) -> None:
    other = "" if key == "function" else '"function": f, '
    source = F + f'CUSTOM_TOOLS = [{{{other}"{key}": {value}}}]\n'
    [finding] = check(read(source))
    assert (finding.code, finding.severity, marked(source, finding)) == ("ADAL206", Severity.ERROR, value)


@pytest.mark.parametrize("value", ["f'{f}'", "NAME", "make()", "'a' + NAME", "f.__qualname__"])
def test_a_computed_name_is_neither_an_error_nor_guessed(value: str) -> None:
    source = f"NAME = str(1)\n\n\ndef make(): ...\n\n\n{F}CUSTOM_TOOLS = [{{'function': f, 'name': {value}}}]\n"
    file = read(source)
    [finding] = check(file)
    assert (finding.code, marked(source, finding)) == ("ADAL209", value)
    assert file.tools == ()


@pytest.mark.parametrize("value", ["DESCRIPTION", "f'{DESCRIPTION}'", "DESCRIPTION.strip()", "'a' 'b'"])
def test_a_description_may_be_computed(value: str) -> None:
    assert codes(f"DESCRIPTION = ''\n{F}CUSTOM_TOOLS = [{{'function': f, 'description': {value}}}]\n") == []


@pytest.mark.parametrize("value", ["lambda x: x", "partial(f, 1)", "client.search", "f"])
def test_anything_that_can_be_called_may_be_a_function_with_a_name(value: str) -> None:
    source = f"from functools import partial\nimport client\n{F}CUSTOM_TOOLS = [{{'function': {value}, 'name': 'g'}}]\n"
    assert codes(source) == []
    assert [tool.name for tool in read(source).tools] == ["g"]


def test_a_function_in_quotes_loses_them() -> None:
    source = F + 'CUSTOM_TOOLS = [{"function": "f"}]\n'
    [fix] = only(source, "ADAL206").fixes
    assert fixed(source, fix) == source.replace('"f"', "f")


@pytest.mark.parametrize("value", ['"False"', "0", "None", "''", "[]", "1", "-1", "f''", "lambda: False"])
def test_approval_is_switched_off_by_the_literal_false_alone(value: str) -> None:
    # https://github.com/microsoft/vscode/issues/284980
    source = F + f'CUSTOM_TOOLS = [{{"function": f, "require_approval": {value}}}]\n'
    file = read(source)
    [finding] = check(file)
    assert (finding.code, finding.severity, marked(source, finding)) == ("ADAL208", Severity.ERROR, value)
    assert "the tool will ask" in finding.message
    assert file.tools[0].require_approval is True
    assert [fix.preferred for fix in finding.fixes] == [False, False]


@pytest.mark.parametrize(("value", "asks"), [("True", True), ("False", False), ("ASK", False)])
def test_approval_that_is_not_a_wrong_literal_is_no_finding(value: str, asks: bool) -> None:
    file = read(f"ASK = False\n{F}CUSTOM_TOOLS = [{{'function': f, 'require_approval': {value}}}]\n")
    assert check(file) == []
    assert file.tools[0].require_approval is asks


@pytest.mark.parametrize("value", ["not True", "os.environ.get('X')", "ASK"])
def test_approval_that_only_the_run_tells_counts_as_asking_and_is_said_to_be_computed(value: str) -> None:
    source = f"import os\n\nASK = bool(os)\n{F}CUSTOM_TOOLS = [{{'function': f, 'require_approval': {value}}}]\n"
    file = read(source)
    [finding] = check(file)
    assert (finding.code, finding.severity, marked(source, finding)) == ("ADAL209", Severity.INFORMATION, value)
    assert file.tools[0].require_approval is True


HOW = (
    "import json\nimport os.path\nimport pack.deep as deep\n"
    'async def look(q: str) -> str:\n    "Look."\n\n\ndef find(q: str = "") -> list[str]:\n    "Find."\n\n\n'
)


@pytest.mark.parametrize(
    ("value", "words", "instead"),
    [
        ("json", "the module 'json'", None),
        ("os", "the module 'os'", None),
        ("deep", "the module 'deep'", None),
        ("find()", "what 'find' returns (list[str])", "find"),
        ('look("a")', "what 'look' returns (a coroutine)", "look"),
    ],
)
def test_a_module_and_what_a_tool_returns_are_no_functions(value: str, words: str, instead: str | None) -> None:
    for code, entry in (("ADAL203", value), ("ADAL206", f'{{"function": {value}, "name": "f"}}')):
        source = f"{HOW}CUSTOM_TOOLS = [{entry}]\n"
        finding = only(source, code)
        assert marked(source, finding) == value
        assert words in finding.message
        assert "ADAL209" not in codes(source)
        mended = [fixed(source, fix) for fix in finding.fixes]
        assert mended == ([] if instead is None else [source.replace(f"[{entry}", f"[{entry.replace(value, instead)}")])


@pytest.mark.parametrize(
    "source",
    [
        "try:\n    import h\nexcept ImportError:\n    h = None\nCUSTOM_TOOLS = [h]\n",
        "from pack import h\nCUSTOM_TOOLS = [h]\n",
        "def make() -> dict:\n    return {'function': print}\nCUSTOM_TOOLS = [make()]\n",
        "def make():\n    return print\nCUSTOM_TOOLS = [make(), {'function': make(), 'name': 'p'}]\n",
        "@tool\ndef make() -> str: ...\nCUSTOM_TOOLS = [make()]\n",
        "from pack import *\nimport h\nCUSTOM_TOOLS = [h]\n",
        "import h\nCUSTOM_TOOLS = [h.find]\n",
    ],
)
def test_what_may_be_a_function_is_no_error(source: str) -> None:
    assert not {"ADAL203", "ADAL206"} & {*codes(source)}
