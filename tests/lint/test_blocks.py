"""CUSTOM_TOOLS is cut element by element, and means what it means as one statement."""

from __future__ import annotations

import ast
import random

import pytest

from adal_ls.lint import check, read
from adal_ls.lint.reading.blocks import Part
from adal_ls.lint.reading.chunks import read_chunks
from adal_ls.lint.session import open_text
from tests.lint.edits import random_edits, split_lines
from tests.lint.test_session import EDITS, texts

FUNCTIONS = "".join(f'def {name}(x: str) -> str:\n    """Do it."""\n    return x\n\n\n' for name in "fghk")
LISTS = {
    "names": "CUSTOM_TOOLS = [\n    f,\n    g,\n]\n",
    "no last comma": "CUSTOM_TOOLS = [\n    f,\n    g\n]\n",
    "dicts on several lines": (
        'CUSTOM_TOOLS = [\n    {\n        "function": f,\n        "name": "a",\n    },\n    g,\n'
        '    {\n        "function": h, "name": "b"},\n]\n'
    ),
    "comments": "CUSTOM_TOOLS = [  # all\n    # one, two\n    f,  # one,\n\n    # more\n    g,\n    # end\n]  # done\n",
    "several on a line": "CUSTOM_TOOLS = [\n    f, g,\n    h, {'function': k, 'name': 'a,'}, ]\n",
    "the bracket behind an element": "CUSTOM_TOOLS = [\n    f,\n    g]\nx = 1\n",
    "no elements": "CUSTOM_TOOLS = [\n]\n",
    "only a comment": "CUSTOM_TOOLS = [\n    # none yet\n]\n",
    "more is added": "CUSTOM_TOOLS = [\n    f,\n] + [g] + more\n",
    "nothing is added to": "more = [f]\nCUSTOM_TOOLS = [\n] + more\n",
    "repeated": "CUSTOM_TOOLS = [\n    f,\n    g,\n] * 2\n",
    "indexed": "CUSTOM_TOOLS = [\n    [f],\n    g,\n][0]\n",
    "copied": "CUSTOM_TOOLS = [\n    f,\n].copy()\n",
    "conditional": "CUSTOM_TOOLS = [\n    f,\n] if DEBUG else [\n    g,\n]\n",
    "a tuple of a list": "CUSTOM_TOOLS = [\n    f,\n], g\n",
    "compared": "CUSTOM_TOOLS = [\n    f,\n] == other or g\n",
    "a comprehension": "CUSTOM_TOOLS = [\n    tool\n    for tool in (f, g)\n]\n",
    "annotated": "CUSTOM_TOOLS: list[object] = [\n    f,\n]\n",
    "extended": "CUSTOM_TOOLS = [\n    f,\n]\nCUSTOM_TOOLS += [\n    g,\n]\n",
    "assigned again": "CUSTOM_TOOLS = [\n    f,\n]\nCUSTOM_TOOLS = [\n    g,\n]\n",
    "deleted": "CUSTOM_TOOLS = [\n    f,\n]\ndel CUSTOM_TOOLS\n",
    "another statement on its line": "CUSTOM_TOOLS = [\n    f,\n]; CUSTOM_TOOLS.append(g)\n",
    "not indented": "CUSTOM_TOOLS = [\nf,\ng,\n*[\nh,\nk,\n],\n]\n",
    "starred": "CUSTOM_TOOLS = [\n    *others,\n    f,\n]\n",
    "a comma of its own line": "CUSTOM_TOOLS = [\n    f\n    ,\n    g,\n]\n",
    "strings on several lines": (
        'CUSTOM_TOOLS = [\n    {"function": f, "description": """One.\n\n    Two,\n    """},\n'
        "    {'function': g, 'description': 'a' \\\n     'b,'},\n]\n"
    ),
    "calls on several lines": (
        "CUSTOM_TOOLS = [\n    tool(\n        f,\n        name='a',\n    ),\n    tool(g,\nx=1),\n]\n"
    ),
    "operators": "CUSTOM_TOOLS = [\n    f\n    if DEBUG\n    else g,\n    (h := k),\n    lambda x: x,\n]\n",
    "other line ends": "CUSTOM_TOOLS = [\r\n    f,\r\n    g,\r\n]\r\n",
    "old line ends": "CUSTOM_TOOLS = [\r    f,\r    g,\r]\r",
    "not ASCII": "CUSTOM_TOOLS = [\n    f,  # é🎫\n    {'function': g, 'name': 'é🎫é'}, h,\n]\n",
    "behind a statement in brackets": "x = (1,\n2)\nCUSTOM_TOOLS = [\n    f,\n]\n",
    "no end of line": "CUSTOM_TOOLS = [\n    f,\n]",
}


@pytest.mark.parametrize("tools", LISTS.values(), ids=LISTS.keys())
def test_a_list_that_is_cut_is_the_statement_that_python_reads(tools: str) -> None:
    for text in (tools, FUNCTIONS + tools, f"{tools}\n{FUNCTIONS}"):
        file = read(text)
        assert any(chunk.part is Part.OPENING for chunk in file.chunks)
        assert "".join(chunk.text for chunk in file.chunks) == text
        assert ast.dump(file.module, include_attributes=True) == ast.dump(ast.parse(text), include_attributes=True)
        assert not file.syntax


@pytest.mark.parametrize("tools", LISTS.values(), ids=LISTS.keys())
def test_a_list_that_is_cut_is_read_as_one_that_is_not(tools: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = FUNCTIONS + tools
    cut = read(text)
    found = [finding.code for finding in check(cut)]
    monkeypatch.setattr("adal_ls.lint.reading.chunks.opening_end", lambda *_: None)
    whole = read(text)
    assert not any(chunk.part for chunk in whole.chunks)
    assert [entry.range for entry in cut.entries][1:] == [entry.range for entry in whole.entries][1:]
    assert [(entry.kind, entry.name) for entry in cut.entries] == [(e.kind, e.name) for e in whole.entries]
    assert [part.what for part in cut.tool_list.computed] == [part.what for part in whole.tool_list.computed]
    assert (cut.tool_list.range, cut.tool_list.wrong) == (whole.tool_list.range, whole.tool_list.wrong)
    assert found == [finding.code for finding in check(whole)]


def test_each_element_on_lines_of_its_own_is_a_part_of_its_own() -> None:
    parts = [chunk.text for chunk in read_chunks(LISTS["dicts on several lines"])]
    assert parts == [
        "CUSTOM_TOOLS = [\n",
        '    {\n        "function": f,\n        "name": "a",\n    },\n',
        "    g,\n",
        '    {\n        "function": h, "name": "b"},\n',
        "]\n",
    ]


@pytest.mark.parametrize(
    ("slip", "kept", "column"),
    [
        ('    {"function": g, "name": "b,\n', "fhk", None),  # a string
        ('    {"function": g, "name": "b"\n', "fhk", 4),  # a dict on one line
        ('    {"function": g, "name": "}\n', "fhk", None),
        ('    {\n        "function": g,\n        "name": "b"\n', "fhk", 4),
        ("    g h,\n", "fhk", 4),
        ("    g(,\n", "fhk", None),
        ("    g for g in x,\n", "fhk", None),
        ("    g = 1,\n", "fhk", 4),
        ("    ,\n", "fhk", 4),
        ('    """,\n', "fhk", 4),
        ("    g),\n", "f", None),  # a bracket that closes the list
    ],
)
def test_a_slip_in_one_element_leaves_the_others_readable(slip: str, kept: str, column: int | None) -> None:
    text = f"{FUNCTIONS}CUSTOM_TOOLS = [\n    f,\n{slip}    h,\n    k,\n]\n"
    file = read(text)
    line = text[: text.index(slip, len(FUNCTIONS))].count("\n")
    assert [entry.name for entry in file.entries if entry.name in {*kept}] == list(kept)
    assert len(file.syntax) == 1
    start = file.syntax[0].range.start
    assert line <= start.line < line + slip.count("\n")
    assert column is None or start.column == column
    assert [finding.code for finding in check(file)].count("ADAL001") == 1


@pytest.mark.parametrize(
    "rest", ["", FUNCTIONS.replace("f(", "z("), "x = 1\n", "import os\n", "@cache\ndef z(): ...\n"]
)
def test_a_list_without_its_last_bracket_is_told_at_the_first(rest: str) -> None:
    text = f"{FUNCTIONS}CUSTOM_TOOLS = [  # [\n    f,\n    g,\n\n{rest}"
    file = read(text)
    assert [entry.name for entry in file.entries] == ["f", "g"]
    (problem,) = file.syntax
    assert problem.message == "Syntax error: '[' was never closed"
    assert file.lines.slice(problem.range) == "["
    assert problem.range.start.line == FUNCTIONS.count("\n")


def test_a_list_that_something_is_assigned_to_is_one_syntax_error() -> None:
    file = read(f"{FUNCTIONS}CUSTOM_TOOLS = [\n    f,\n] = x\n")
    assert [entry.name for entry in file.entries] == ["f"]
    assert [problem.range.start.line for problem in file.syntax] == [FUNCTIONS.count("\n") + 2]


def test_the_line_in_a_message_about_brackets_is_that_of_the_file() -> None:
    file = read("x = 1\nCUSTOM_TOOLS = [\n    f,\n    g(\n        1],\n    h,\n]\n")
    assert file.syntax[0].message.endswith("does not match opening parenthesis '(' on line 4")


def test_an_element_goes_on_where_the_statement_that_ended_it_is_gone() -> None:
    text = f"CUSTOM_TOOLS = [\n    f\nasync def g(y: list):,\n    g,\n]\n\n\n{FUNCTIONS}"
    linted = open_text(text)
    linted.replace(2, 2, "x(y: list):,\n")
    assert linted.findings() == check(read(linted.text))


@pytest.mark.timeout(max(120, EDITS // 10))
@pytest.mark.parametrize("seed", range(6))
def test_random_edits_of_lists_say_what_a_fresh_read_says(seed: int) -> None:
    rng = random.Random(seed)
    sources = [
        FUNCTIONS + tools + (FUNCTIONS.replace("def f", "def z") if n % 2 else "")
        for n, tools in enumerate(LISTS.values())
    ]
    for _ in range(max(EDITS // 150, 1)):
        text = rng.choice(sources)
        linted = open_text(text)
        done = []
        for first, last, new in random_edits(text, rng, 12):
            done.append((first, last, new))
            lines = split_lines(text)
            text = "".join([*lines[:first], new, *lines[last + 1 :]])
            linted.replace(first, last, new)
            assert linted.findings() == check(read(text)), (done, text)


@pytest.mark.parametrize("text", texts()[:40])
def test_real_files_are_the_statements_that_python_reads(text: str) -> None:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    assert ast.dump(read(text).module, include_attributes=True) == ast.dump(tree, include_attributes=True)
