from __future__ import annotations

import pytest

from adal_ls.lint import Severity, check, read
from tests.lint.marks import F, G, codes, fixed, marked, only
from tests.lint.marks import check as check_marks


@pytest.mark.parametrize("source", ["", "\n\n", "# def f(): pass\n#\n# CUSTOM_TOOLS = [f]\n", '"""Docs."""\n', F])
def test_a_file_without_the_list_gets_one_mild_note(source: str) -> None:
    # https://github.com/Qaladid/bayana-analytics
    [finding] = check(read(source))
    assert (finding.code, finding.severity) == ("ADAL201", Severity.INFORMATION)
    assert "gives no tools" in finding.message
    assert "\n" not in marked(source, finding)


@pytest.mark.parametrize(
    ("source", "after"),
    [
        (F, F + "\n\nCUSTOM_TOOLS = [f]\n"),
        (F.rstrip("\n"), F.rstrip("\n") + "\n\n\nCUSTOM_TOOLS = [f]"),
        (F.replace("\n", "\r\n"), F.replace("\n", "\r\n") + "\r\n\r\nCUSTOM_TOOLS = [f]\r\n"),
        (F + "def _private():\n    pass\n" + G, F + "def _private():\n    pass\n" + G + "\n\nCUSTOM_TOOLS = [f, g]\n"),
    ],
)
def test_the_missing_list_is_added_with_the_public_functions(source: str, after: str) -> None:
    [fix] = only(source, "ADAL201").fixes
    assert fixed(source, fix) == after
    assert codes(after) == []


def test_a_long_list_is_added_one_function_a_line() -> None:
    source = "".join(f"def a_rather_long_name_{n}() -> None: ...\n" for n in range(6))
    [fix] = only(source, "ADAL201").fixes
    assert fixed(source, fix).endswith("    a_rather_long_name_4,\n    a_rather_long_name_5,\n]\n")


def test_nothing_is_added_where_no_function_is_public() -> None:
    assert only("import json\n\n\ndef _f():\n    pass\n", "ADAL201").fixes == ()


@pytest.mark.parametrize(
    "source",
    [
        "from pack import *\n",
        "from pack import CUSTOM_TOOLS\n",
        "globals()['CUSTOM_TOOLS'] = []\n",
        "def setup():\n    global CUSTOM_TOOLS\n    CUSTOM_TOOLS = []\n",
        "CUSTOM_TOOLS = [\n",
    ],
)
def test_a_list_that_may_come_from_elsewhere_is_not_missing(source: str) -> None:
    assert "ADAL201" not in codes(source)


@pytest.mark.parametrize(
    "value",
    [
        "[f, g]",
        "(f, g)",
        "f, g",
        "[f] + [g]",
        "[f] + [] + (g,)",
        "[]\nCUSTOM_TOOLS += [f]\nCUSTOM_TOOLS += (g,)",
        "{}\nCUSTOM_TOOLS = [f, g]",
    ],
)
@pytest.mark.parametrize("target", ["CUSTOM_TOOLS = ", "CUSTOM_TOOLS: tuple = ", "TOOLS = CUSTOM_TOOLS = "])
def test_lists_and_tuples_are_read_in_every_written_form(target: str, value: str) -> None:
    # https://github.com/SylphAI-Inc/adal-bootcamp-2
    file = read(F + G + target + value + "\n")
    assert check(file) == []
    assert [tool.name for tool in file.tools] == ["f", "g"]


@pytest.mark.parametrize(
    ("value", "after"),
    [
        ("{f, g}", "[f, g]"),
        ('{"f": f}', None),
        ("(t for t in [f])", "[t for t in [f]]"),
        ("{t for t in (f, g)}", "[t for t in (f, g)]"),
        ("None", None),
        ('"f"', None),
        ("5", None),
        ("-5", None),
        ("f", "[f]"),
        ("lambda: [f]", None),
        ('{"function": f}', None),
        ("set([f])", "list(set([f]))"),
        ("frozenset((f, g))", "list(frozenset((f, g)))"),
        ("map(print, [f])", "list(map(print, [f]))"),
        ("filter(None, [f])", "list(filter(None, [f]))"),
        ("reversed([f, g])", "list(reversed([f, g]))"),
        ("iter([f])", "list(iter([f]))"),
        ("dict(f=f)", None),
        ("range(3)", None),
        ("str(f)", None),
        ('{"f": f}.values()', 'list({"f": f}.values())'),
    ],
)
def test_a_value_that_is_no_list_is_one_error_on_the_value(value: str, after: str | None) -> None:
    source = F + G + f"CUSTOM_TOOLS = {value}\n"
    [finding] = check(read(source))
    assert (finding.code, finding.severity) == ("ADAL202", Severity.ERROR)
    assert "list or tuple" in finding.message
    assert marked(source, finding) == value
    assert [fixed(source, fix) for fix in finding.fixes] == (
        [] if after is None else [f"{F}{G}CUSTOM_TOOLS = {after}\n"]
    )


@pytest.mark.parametrize(
    ("before", "value", "words"),
    [
        ("class Tools:\n    pass\n", "Tools", "the class 'Tools'"),
        ("def tools():\n    yield f\n", "tools()", "a generator"),
        ("TABLE = {'f': f}\n", "TABLE.keys()", "a view of a dict"),
    ],
)
def test_what_the_file_says_of_a_value_tells_that_it_is_no_list(before: str, value: str, words: str) -> None:
    source = F + before + f"CUSTOM_TOOLS = {value}\n"
    finding = only(source, "ADAL202")
    assert finding.message == f"CUSTOM_TOOLS must be a list or tuple, not {words}"
    assert marked(source, finding) == value
    assert [tool.name for tool in read(source).tools] == []


@pytest.mark.parametrize(
    "statements",
    [
        "def map(*given):\n    return [f]\n\n\nCUSTOM_TOOLS = map(f)",
        "from pack import filter\nCUSTOM_TOOLS = filter(None, [f])",
        "import pack\nCUSTOM_TOOLS = pack.values()",
        "def tools():\n    def inner():\n        yield f\n\n    return list(inner())\n\n\nCUSTOM_TOOLS = tools()",
        "import functools\n\n\n@functools.partial(map, list)\ndef tools():\n    yield f\n\n\nCUSTOM_TOOLS = tools()",
    ],
)
def test_a_value_that_may_be_a_list_is_no_error(statements: str) -> None:
    assert "ADAL202" not in codes(F + statements + "\n")


def test_no_fix_uses_a_name_that_means_something_else_here() -> None:
    source = F + F.replace("def f(", "def list(") + "CUSTOM_TOOLS = map(list, [f])\n"
    assert only(source, "ADAL202").fixes == ()


@pytest.mark.parametrize("entry", ["'h'", "42", "None", "...", "True", "b'f'", "[f]", "(f, g)", "{f}", "f'{f}'", "-1"])
def test_an_entry_that_is_neither_function_nor_dict_is_an_error(entry: str) -> None:
    source = F + G + f"CUSTOM_TOOLS = [{entry}, f]\n"
    [finding] = check(read(source))
    assert (finding.code, marked(source, finding)) == ("ADAL203", entry)
    assert [tool.name for tool in read(source).tools] == ["f"]


def test_a_function_s_name_in_quotes_loses_its_quotes() -> None:
    source = F + "CUSTOM_TOOLS = ['f']\n"
    [fix] = only(source, "ADAL203").fixes
    assert fixed(source, fix) == F + "CUSTOM_TOOLS = [f]\n"


@pytest.mark.parametrize(
    ("statements", "tools", "computed"),
    [
        ("CUSTOM_TOOLS = [t for t in (f, g) if t]", ["f", "g"], ["t"]),
        ("CUSTOM_TOOLS = [t for t in load()]\nCUSTOM_TOOLS += [f]", ["f"], ["[t for t in load()]"]),
        ("CUSTOM_TOOLS = list(load())", [], ["list(load())"]),
        ("_ALL = load()\nCUSTOM_TOOLS = _ALL", [], ["load()"]),
        ("_ALL = load()\nCUSTOM_TOOLS = [f] + _ALL", ["f"], ["load()"]),
        ("CUSTOM_TOOLS = [f] + load()", ["f"], ["load()"]),
        ("CUSTOM_TOOLS = [f, *load()]", ["f"], ["*load()"]),
        ("CUSTOM_TOOLS = [f]\nCUSTOM_TOOLS.extend(load())", ["f"], ["load()"]),
        ("CUSTOM_TOOLS = [f]\nCUSTOM_TOOLS[len(f.__doc__)] = g", ["f"], ["CUSTOM_TOOLS[len(f.__doc__)] = g"]),
        ("CUSTOM_TOOLS = [f] if f else [g]", ["f", "g"], ["[f] if f else [g]"]),
        ("CUSTOM_TOOLS = [f]\nif f:\n    CUSTOM_TOOLS += [g]", ["f", "g"], ["CUSTOM_TOOLS += [g]"]),
        ("CUSTOM_TOOLS = []\nfor t in load():\n    CUSTOM_TOOLS.append(t)", [], ["CUSTOM_TOOLS.append(t)"]),
        ("CUSTOM_TOOLS = [load()]\n", [], ["load()"]),
        ("CUSTOM_TOOLS = [f if f else g]\n", ["f", "g"], ["f if f else g"]),
        ("h = load()\nCUSTOM_TOOLS = [f, h]\n", ["f"], ["h"]),
        ("for CUSTOM_TOOLS in [[f]]:\n    pass\n", [], ["for CUSTOM_TOOLS in [[f]]:\n    pass"]),
        ("CUSTOM_TOOLS, other = [f], 1\n", [], ["CUSTOM_TOOLS, other = [f], 1"]),
    ],
)
def test_what_is_computed_is_said_to_be_computed_and_the_rest_is_read(
    statements: str, tools: list[str], computed: list[str]
) -> None:
    # https://github.com/Mckenz31/Marvis/blob/b706f9aee2/main.py
    source = f"{F}{G}from pack import load\n\n{statements}\n"
    file = read(source)
    findings = check(file)
    assert {finding.code for finding in findings} == {"ADAL209"}
    assert [marked(source, finding) for finding in findings] == computed
    assert {finding.severity for finding in findings} == {Severity.INFORMATION}
    assert [tool.name for tool in file.tools] == tools


def test_the_last_assignment_wins() -> None:
    file = read(F + G + "CUSTOM_TOOLS = [f, 42]\nCUSTOM_TOOLS = [g]\n")
    assert check(file) == []
    assert [tool.name for tool in file.tools] == ["g"]


def test_names_of_functions_are_followed_through_aliases_and_imports() -> None:
    file = read(
        F + "h = f\nfrom pack import remote as r\nimport pack\nCUSTOM_TOOLS = [h, r, pack.other, pack.sub.deep]\n"
    )
    assert check(file) == []
    assert [tool.name for tool in file.tools] == ["f", "remote", "other", "deep"]


def test_a_star_import_can_bring_any_function() -> None:
    # https://github.com/Us3rname11/Thesis-Explainability-in-agentic-AI
    file = read("from pack import *\n\n\n" + F + "CUSTOM_TOOLS = [f, remote]\n")
    assert check(file) == []
    assert [tool.name for tool in file.tools] == ["f", "remote"]


def test_an_undefined_function_is_an_error_with_the_name_that_may_be_meant() -> None:
    [first, second] = check_marks(
        F.replace("def f(", "def deploy(")
        + """
CUSTOM_TOOLS = [deplyo, deploy, {"function": pack.nothing}]
#               ^^^^^^ ADAL207
#                                            ^^^^^^^^^^^^ ADAL207
"""
    )
    assert "'deploy'" in first.message
    assert "'pack'" in second.message


@pytest.mark.parametrize(
    "before",
    [
        "import h\n",
        "try:\n    import h\nexcept ImportError:\n    h = None\n",
        "with open('x') as h:\n    pass\n",
        "for h in ():\n    pass\n",
        "print(h := 1)\n",
        "def setup():\n    global g, h\n",
        "match 1:\n    case h:\n        pass\n",
        "class h:\n    pass\n\n\nh = h()\n",
        "[h, *rest] = 1, 2\n",
        "globals().update(h=1)\n",
    ],
)
def test_a_name_that_is_bound_in_any_way_is_defined(before: str) -> None:
    assert "ADAL207" not in codes(before + "CUSTOM_TOOLS = [h, print]\n")


@pytest.mark.parametrize("entry", ["lambda x: x", "partial(f, 'a')", "functools.partial(f)", '{"function": lambda: 1}'])
def test_what_has_no_name_of_its_own_needs_one(entry: str) -> None:
    source = f"import functools\nfrom functools import partial\n{F}CUSTOM_TOOLS = [f, {entry}]\n"
    [finding] = check(read(source))
    assert (finding.code, finding.severity) == ("ADAL211", Severity.WARNING)
    assert [tool.name for tool in read(source).tools] == ["f"]


@pytest.mark.parametrize("entry", ["Finder", '{"function": Finder, "name": "find"}'])
def test_a_class_is_no_tool(entry: str) -> None:
    source = f"class Finder:\n    pass\n\n\nCUSTOM_TOOLS = [{entry}]\n"
    [finding] = check(read(source))
    assert (finding.code, marked(source, finding)) == ("ADAL210", "Finder")


def test_a_list_above_its_functions_is_an_error() -> None:
    finding = only("CUSTOM_TOOLS = [f]\n\n\n" + F, "ADAL207")
    assert "further down" in finding.message
    assert finding.related[0][0].start.line == 3
