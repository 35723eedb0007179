"""Renames, as a text with a cursor becomes another text."""

from __future__ import annotations

import random

import pytest

from adal_ls.lint import ToolFile, check, read
from adal_ls.lint.authoring.places import FunctionName, find
from adal_ls.lint.authoring.rename import RenameError, prepare, rename
from adal_ls.lint.fixes.fixing import apply
from tests.lint.corpus import corpus
from tests.lint.cursors import at_cursor
from tests.lint.marks import F, codes


def renamed(source: str, new: str, **others: str) -> dict[str, str]:
    """The changed modules after a rename at the cursor; `others` are the modules beside tools.py."""
    text, place = at_cursor(source)
    modules = {"tools": read(text), **{name: read(other) for name, other in others.items()}}
    return {name: apply(modules[name], edits) for name, edits in rename(modules, "tools", place, new).items()}


def refused(source: str, new: str, **others: str) -> str:
    with pytest.raises(RenameError) as caught:
        renamed(source, new, **others)
    return str(caught.value)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f$0(x): ...\n\nCUSTOM_TOOLS = [f]\n", "def g(x): ...\n\nCUSTOM_TOOLS = [g]\n"),
        ("def f(x): ...\n\nCUSTOM_TOOLS = [$0f]\n", "def g(x): ...\n\nCUSTOM_TOOLS = [g]\n"),
        (
            'def f(x): ...\nCUSTOM_TOOLS = [{"function": f$0, "name": "n"}]\n',
            'def g(x): ...\nCUSTOM_TOOLS = [{"function": g, "name": "n"}]\n',
        ),
        (
            'def f(x): ...\nCUSTOM_TOOLS = [{"function": f, "name": "n$0"}]\n',
            'def f(x): ...\nCUSTOM_TOOLS = [{"function": f, "name": "g"}]\n',
        ),
        (
            "async def f$0(x):\n\treturn await f(x)\r\nCUSTOM_TOOLS = (f,)\r\n",
            "async def g(x):\n\treturn await g(x)\r\nCUSTOM_TOOLS = (g,)\r\n",
        ),
        (
            'def h(): return "🎫", f$0(1), "f"  # f\ndef f(x): ...\nCUSTOM_TOOLS = [f, h]\n',
            'def h(): return "🎫", g(1), "f"  # f\ndef g(x): ...\nCUSTOM_TOOLS = [g, h]\n',
        ),
        (
            "if True:\n    def f$0(x): ...\nelse:\n    def f(x): ...\nCUSTOM_TOOLS = [f]\n",
            "if True:\n    def g(x): ...\nelse:\n    def g(x): ...\nCUSTOM_TOOLS = [g]\n",
        ),
        (
            '__all__ = ["f"]\ndef f$0(x): ...\nCUSTOM_TOOLS = [f]\n',
            '__all__ = ["g"]\ndef g(x): ...\nCUSTOM_TOOLS = [g]\n',
        ),
        (
            "def f$0(x): ...\ndef h():\n    global f\n    f = 1\nCUSTOM_TOOLS = [f]\n",
            "def g(x): ...\ndef h():\n    global g\n    g = 1\nCUSTOM_TOOLS = [g]\n",
        ),
        (
            'def f$0(x): ...\ns = f"é {f(1)} f {x!r:>{f(2)}}"\nCUSTOM_TOOLS = [f]\n',
            'def g(x): ...\ns = f"é {g(1)} f {x!r:>{g(2)}}"\nCUSTOM_TOOLS = [g]\n',
        ),
        (
            'def f$0(x): ...\ns = f"{f\'{f(1)} f\'} {{f}}" f"""\n f {\nf(2)}"""\nCUSTOM_TOOLS = [f]\n',
            'def g(x): ...\ns = f"{f\'{g(1)} f\'} {{f}}" f"""\n f {\ng(2)}"""\nCUSTOM_TOOLS = [g]\n',
        ),
    ],
)
def test_all_that_means_the_name_changes_and_nothing_else(before: str, after: str) -> None:
    assert renamed(before, "g") == {"tools": after}


def test_names_of_inner_scopes_are_other_names() -> None:
    source = """def f$0(x): ...
def h(f): return f
def i():
    f = 1
    return f
class A:
    f = 2
    at = f
    def method(self): return f
j = [f for f in (1,)] + [f]
k = lambda f: f
l = lambda x=f: x
CUSTOM_TOOLS = [f]
"""
    after = renamed(source, "tool_one")["tools"]
    assert after.split("\n")[8] == "    def method(self): return tool_one"
    assert after.split("\n")[9] == "j = [f for f in (1,)] + [tool_one]"
    assert after.split("\n")[11] == "l = lambda x=tool_one: x"
    assert after.count("tool_one") == 5


def test_modules_beside_the_file_that_import_the_name_follow() -> None:
    found = renamed(
        "def f$0(x): ...\nCUSTOM_TOOLS = [f]\n",
        "g",
        plain="from tools import f\nf(1)\n",
        dotted="from .tools import (\n    f as other,\n)\nother(1); f = 2\n",
        whole="import tools\nimport tools as t\ntools.f(t.f)\nother.f()\n",
        foreign="from toolsmith import f\nf(1)\n",
    )
    assert found == {
        "tools": "def g(x): ...\nCUSTOM_TOOLS = [g]\n",
        "plain": "from tools import g\ng(1)\n",
        "dotted": "from .tools import (\n    g as other,\n)\nother(1); f = 2\n",
        "whole": "import tools\nimport tools as t\ntools.g(t.g)\nother.f()\n",
    }


def test_a_function_of_another_module_is_renamed_where_it_is_defined() -> None:
    tools = "from helpers import f\nCUSTOM_TOOLS = [f$0]\n"
    assert renamed(tools, "g", helpers="def f(x): ...\n") == {
        "helpers": "def g(x): ...\n",
        "tools": "from helpers import g\nCUSTOM_TOOLS = [g]\n",
    }


def test_a_function_from_elsewhere_is_not_renamed() -> None:
    assert "outside" in refused("from json import dumps\nCUSTOM_TOOLS = [dumps$0]\n", "g")


@pytest.mark.parametrize(
    ("new", "words"),
    [
        ("create-ticket", "not a valid Python identifier"),
        ("", "not a valid Python identifier"),
        ("class", "Python keyword"),
        ("read_file", "built-in tool"),
        ("other", "already has a meaning in this file (line 2)"),
        ("print", "already has a meaning in this file (line 2)"),
        ("x", "local name in a function that uses this one"),
        ("taken", "'taken' is already"),
    ],
)
def test_a_name_that_breaks_a_rule_is_refused_with_the_rule(new: str, words: str) -> None:
    source = (
        'def f$0(y): ...\ndef other(x): return print(f(x))\nCUSTOM_TOOLS = [f, {"function": other, "name": "taken"}]\n'
    )
    assert words in refused(source, new)


@pytest.mark.parametrize(
    ("new", "words"),
    [
        ("create-ticket", "'create-ticket' is not a valid Python identifier"),
        ('a", "b', "not a valid Python identifier"),
        ("return", "'return' is a Python keyword"),
        ("bash", "'bash' is reserved for a built-in tool"),
        ("f", "'f' is already"),
    ],
)
def test_the_name_of_an_entry_keeps_to_the_rules(new: str, words: str) -> None:
    source = f'{F}CUSTOM_TOOLS = [f, {{"function": f, "name": "n$0", "require_approval": False}}]\n'
    assert words in refused(source, new)


def test_a_bad_name_can_be_renamed_to_a_good_one() -> None:
    source = f'{F}CUSTOM_TOOLS = [{{"function": f, "name": "create-$0ticket"}}]\n'
    assert '"name": "create_ticket"' in renamed(source, "create_ticket")["tools"]


def test_a_function_under_another_name_may_be_called_like_a_built_in_tool() -> None:
    source = 'def f$0(x): ...\nCUSTOM_TOOLS = [{"function": f, "name": "n"}]\n'
    assert renamed(source, "bash")["tools"].startswith("def bash(x)")


def test_nothing_is_renamed_while_the_name_stands_in_broken_code() -> None:
    assert "line 2" in refused("def f$0(x): ...\nx = (f +\ndef g(): ...\nCUSTOM_TOOLS = [f]\n", "h")


@pytest.mark.parametrize(
    "source",
    [
        "def f(x$0): ...\n",
        "x$0 = 1\n",
        '"""f$0"""\ndef f(x): ...\n',
        "# f$0\ndef f(x): ...\n",
        "def f(x): ...\ndef g(f): return f$0\n",
        "$0",
        "import js$0on\n",
    ],
)
def test_what_is_no_function_cannot_be_renamed(source: str) -> None:
    text, place = at_cursor(source)
    assert prepare(read(text), place) is None
    assert "Only functions" in refused(source, "new")


def test_the_range_to_edit_is_the_name_without_its_quotes() -> None:
    text, place = at_cursor('def f(x): ...\nCUSTOM_TOOLS = [{"function": f, "name": \'na$0me\'}]\n')
    found = prepare(read(text), place)
    assert found is not None
    assert found[1] == "name"
    assert found[0].start.column == text.split("\n")[1].index("'name'") + 1


def seen_by_models(file: ToolFile, without: str) -> list[object]:
    """The tools but for one name."""
    return [
        (tool.name if tool.name != without else "*", tool.description, tool.parameters, tool.require_approval)
        for tool in file.tools
    ]


@pytest.mark.parametrize("file", list(corpus(60)), ids=lambda file: str(file.number))
def test_a_rename_leaves_the_findings_of_a_real_file_as_they_were(file: object) -> None:
    text = file.text  # type: ignore[attr-defined]
    before = read(text)
    names = [definition for definition in before.bindings.functions() if definition.readable]
    for definition in random.Random(1).sample(names, min(3, len(names))):
        found = find(before, definition.name_range.start)
        assert isinstance(found, FunctionName), definition.name
        edits = rename({"tools": before}, "tools", definition.name_range.start, "renamed_by_the_test")
        after = apply(before, edits["tools"])
        assert read(after).syntax == before.syntax
        assert sorted(codes(after)) == sorted(finding.code for finding in check(before))
        renamed_file = read(after)
        assert seen_by_models(renamed_file, "renamed_by_the_test") == seen_by_models(before, definition.name)
        place = next(d for d in renamed_file.bindings.functions() if d.name == "renamed_by_the_test").name_range.start
        back = rename({"tools": renamed_file}, "tools", place, definition.name)
        assert apply(renamed_file, back["tools"]) == text
