"""Outline, names of tools, places to fold, lenses: what an editor shows of the structure of a file."""

from __future__ import annotations

import pytest

from adal_ls.lint import Lines, check, read
from adal_ls.lint.authoring.lenses import example_call, lenses, state
from adal_ls.lint.authoring.symbols import Kind, foldable, matches, outline, renamed, tool_symbols
from adal_ls.lint.lists.left_out import refused
from tests.lint.corpus import corpus

FILE = '''import os
import re
from json import dumps


def create_ticket(title: str) -> str:
    """Create a ticket.

    Args:
        title: A title.
    """
    if title:
        return title
    else:
        return ""


def _helper(x): return x


class Store:
    def get(self): ...


@decorated
def both(x: int) -> int: return x


CUSTOM_TOOLS = [
    {
        "function": create_ticket,
        "name": "ticket",
        "require_approval": False,
    },
    both,
    {"function": both, "name": "two"},
    {"function": dumps, "name": "bad-name"},
]
'''


def test_the_outline_has_tools_by_their_effective_names() -> None:
    found = [(symbol.name, symbol.detail, symbol.kind) for symbol in outline(read(FILE))]
    assert found == [
        ("ticket", "create_ticket · runs without asking", Kind.TOOL),
        ("_helper", "", Kind.FUNCTION),
        ("Store", "", Kind.CLASS),
        ("both", "tools both, two", Kind.TOOL),
        ("CUSTOM_TOOLS", "4 tools", Kind.LIST),
    ]


def test_the_entries_stand_below_the_list() -> None:
    listed = outline(read(FILE))[-1]
    assert [(entry.name, entry.detail) for entry in listed.children] == [
        ("ticket", "runs without asking"),
        ("both", "asks for approval"),
        ("two", "asks for approval"),
        ("bad-name", "asks for approval"),
    ]
    assert Lines(FILE).slice(listed.name_range) == "CUSTOM_TOOLS"


@pytest.mark.parametrize("file", [*(file.text for file in corpus(40)), FILE, "def f(\nCUSTOM_TOOLS = [f\n", ""])
def test_names_lie_inside_their_symbols(file: str) -> None:
    """VS Code refuses the whole outline otherwise."""
    for symbol in outline(read(file)):
        for one in (symbol, *symbol.children):
            assert one.range.contains(one.name_range)
            assert one.name


def test_each_tool_is_a_symbol_at_its_definition_or_else_at_its_entry() -> None:
    lines = Lines(FILE)
    found = {symbol.name: lines.slice(symbol.name_range) for symbol in tool_symbols(read(FILE))}
    assert found == {
        "ticket": "create_ticket",
        "both": "both",
        "two": "both",
        "bad-name": '{"function": dumps, "name": "bad-name"}',
    }


def test_only_functions_that_are_called_otherwise_as_tools_have_a_hint() -> None:
    lines = Lines(FILE)
    found = [(lines.slice(place), place.start.line, name) for place, name in renamed(read(FILE))]
    assert found == [
        ("create_ticket", 5, "ticket"),
        ("both", 25, "two"),
        ("create_ticket", 30, "ticket"),
        ("both", 35, "two"),
        ("dumps", 36, "bad-name"),
    ]
    assert list(renamed(read('def f(x): ...\nCUSTOM_TOOLS = [f, {"function": f, "name": "f"}]\n'))) == []


def test_lenses_stand_at_definitions_and_dict_entries() -> None:
    found = [(lens.place.start.line, lens.tool, lens.shared) for lens in lenses(read(FILE))]
    assert found == [
        (5, "ticket", False),
        (25, "both", True),
        (25, "two", True),
        (29, "ticket", False),
        (35, "two", False),
        (36, "bad-name", False),
    ]
    assert all(lens.place.start.line == lens.place.end.line for lens in lenses(read(FILE)))


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        ("ticket", "runs without asking"),
        ("two", "asks for approval"),
        ("bad-name", "left out: ADAL101"),
        ("gone", None),
    ],
)
def test_a_lens_says_how_the_tool_stands(tool: str, expected: str | None) -> None:
    file = read(FILE)
    assert state(file, check(file), tool) == expected


def test_an_example_call_has_a_place_for_each_required_argument() -> None:
    head = "from typing import Literal\n\n\n"
    file = read(
        f"{head}def f(a: str, b: int, c: list[str], d: Literal['x', 'y'], e, g: bool = True): ...\n\n\n"
        'CUSTOM_TOOLS = [{"function": f, "name": "n"}, {"function": print, "name": "p"}]\n'
    )
    assert example_call(file, "n") == 'n(a="", b=0, c=[], d=\'x\', e="")'
    assert example_call(file, "p") == "p()"


def test_both_tools_of_a_duplicated_name_are_left_out() -> None:
    file = read('def f(x): ...\ndef g(x): ...\nCUSTOM_TOOLS = [f, {"function": g, "name": "f"}]\n')
    assert state(file, check(file), "f") == "left out: ADAL103"


@pytest.mark.parametrize(
    ("entries", "left_out"),
    [
        pytest.param("[f, f]", {}, id="the same entry twice counts once"),
        pytest.param('[{"function": f, "require_aproval": False}, f]', {}, id="the same but for an unknown key"),
        pytest.param('[{"function": f, "require_approval": False}, f]', {"f": "ADAL103"}, id="one of two asks"),
        pytest.param('[f, {"function": g, "name": "f"}, g]', {"f": "ADAL103"}, id="two functions"),
        pytest.param('[{"function": "f", "name": "x"}, g]', {"x": "ADAL206"}, id="no function"),
        pytest.param('[{"function": f, "description": 5}]', {}, id="a description that is no text"),
        pytest.param('[{"name": "x"}]', {"x": "ADAL204"}, id="nothing to call"),
        pytest.param("[Desk.f, g]", {"f": "ADAL213"}, id="not bound"),
        pytest.param("[bash]", {"bash": "ADAL104"}, id="a function called like a built-in tool"),
        pytest.param('[{"function": bash, "name": "shell"}]', {}, id="the same under another name"),
        pytest.param('[{"function": f, "name": "ﬁ-x"}]', {"fi-x": "ADAL101"}, id="under its canonical name"),
    ],
)
def test_what_no_run_will_have_is_known_from_the_findings(entries: str, left_out: dict[str, str]) -> None:
    head = "def f(x): ...\ndef g(x): ...\ndef bash(x): ...\nclass Desk:\n    def f(self, x): ...\n"
    file = read(f"{head}CUSTOM_TOOLS = {entries}\n")
    assert refused(file, check(file)) == left_out


def test_what_spans_lines_can_be_folded() -> None:
    assert list(foldable(read(FILE))) == [
        (0, 2, "imports"),
        (5, 14, None),
        (6, 10, "comment"),
        (11, 12, None),
        (20, 21, None),
        (28, 36, None),
        (29, 32, None),
    ]


def test_broken_statements_can_be_folded_too() -> None:
    assert (0, 2, None) in list(foldable(read("def f(\r\n    x,\r\n    y\r\n\r\nCUSTOM_TOOLS = [f]\r\n")))
    assert list(foldable(read('x = ("\u2028\f"\n'))) == []  # those end no line


@pytest.mark.parametrize(
    ("query", "name", "fits"),
    [("", "a", True), ("ct", "create_ticket", True), ("CT", "create_ticket", True), ("tc", "cat", False)],
)
def test_a_query_is_a_subsequence_of_the_name(query: str, name: str, fits: bool) -> None:
    assert matches(query, name) is fits
