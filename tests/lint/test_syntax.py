"""A slip in one statement leaves the others as they were, and is told once."""

from __future__ import annotations

import warnings

import pytest

from adal_ls.lint import Position, check, read
from adal_ls.lint.rules.syntax import syntax
from tests.lint.marks import F, G, codes, only

BEFORE = 'def before(a: int) -> str:\n    """Before.\n\nA sentence at the margin.\n    """\n    return str(a)\n\n\n'
AFTER = 'async def after(b: int) -> str:\n    """After."""\n    return str(b)\n\n\n'
LIST = "CUSTOM_TOOLS = [before, broken, after]\n"
BROKEN = 'def broken(x: str) -> str:\n    """Do it.\n\nSome prose, for example.\n    """\n    return x\n\n\n'

SLIPS = {
    "a colon is missing": ("str:\n", "str\n"),
    "a bracket is not opened": ("(x", " x"),
    "a bracket is not closed": ("return x", "return (x"),
    "a wrong bracket": ("return x", "return (x]"),
    "a string is not closed": ("return x", 'return "x'),
    "a docstring is not closed": ('    """\n    return', "    return"),
    "a docstring is not opened": ('"""Do', "Do"),
    "stray triple quotes": ("return x", 'return """x'),
    "stray quotes of the other kind": ("return x", "return '''x"),
    "an indented line": ("return x", "return x\n        y = 1"),
    "a block without a body": ("return x", "if x:\n    return x"),
    "a half-typed def": ("return x\n", "return x\n\n\ndef \n"),
    "a half-typed class": ("return x\n", "return x\n\n\nclass\n"),
    "a half-typed import": ("return x\n", "return x\n\n\nfrom json import\n"),
    "a half-typed decorator": ("def broken", "@\ndef broken"),
    "an unclosed decorator": ("def broken", "@cache(\ndef broken"),
    "a conflict marker": ("def broken", "<<<<<<< HEAD\ndef broken"),
    "await in a plain function": ("return x", "return await x"),
    "the same parameter twice": ("(x: str)", "(x: str, x: int)"),
    "break outside a loop": ("return x", "break"),
}


@pytest.mark.parametrize(("old", "new"), SLIPS.values(), ids=SLIPS.keys())
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_a_slip_is_one_error_in_its_function_and_hides_no_other_tool(old: str, new: str, end: str) -> None:
    broken = BROKEN.replace(old, new, 1)
    assert broken != BROKEN
    text = (BEFORE + broken + AFTER + LIST).replace("\n", end)
    file = read(text)
    findings = check(file)
    assert [finding.code for finding in findings] == ["ADAL001"]
    first = BEFORE.count("\n")
    assert first <= findings[0].range.start.line < first + broken.count("\n")
    assert [tool.name for tool in file.tools] == ["before", "broken", "after"]
    assert [tool.parameters.get("required") for tool in file.tools][::2] == [["a"], ["b"]]


def test_a_body_at_the_margin_is_one_error() -> None:
    assert codes(BEFORE + "def broken(x: str) -> str:\nreturn x\n\n\n" + AFTER + LIST) == ["ADAL001"]


def test_two_slips_are_two_errors() -> None:
    broken = BROKEN.replace("str:\n", "str\n")
    assert codes(broken + BEFORE + broken.replace("broken", "wrecked") + AFTER + LIST) == ["ADAL001", "ADAL001"]


def test_a_broken_function_is_listed_without_a_schema() -> None:
    file = read(BROKEN.replace("(x", "x") + LIST.replace("before, ", "").replace(", after", ""))
    [tool] = file.tools
    assert (tool.name, tool.parameters, tool.description) == ("broken", {"type": "object"}, "")


def test_a_broken_list_is_not_said_to_be_missing() -> None:
    assert codes(F + "CUSTOM_TOOLS = [f g]\n") == ["ADAL001"]


def test_the_names_that_a_broken_import_may_bind_are_not_undefined() -> None:
    assert codes("from pack import (remote, other\n\n" + F + "CUSTOM_TOOLS = [f, remote]\n") == ["ADAL001"]


def test_prose_in_place_of_code_is_one_error() -> None:
    assert codes(F + "This file has some\nprose in it that is\nno code at all\n\n\nCUSTOM_TOOLS = [f]\n") == ["ADAL001"]


def test_line_numbers_in_messages_are_those_of_the_file() -> None:
    finding = only(BEFORE + "def broken(x: str) -> str:\nreturn x\n" + AFTER, "ADAL001")
    assert f"on line {BEFORE.count(chr(10)) + 1}" in finding.message


@pytest.mark.parametrize(
    ("line", "start"),
    [
        ("é = '🎫' + foo bar\n", Position(5, 15 - 1)),
        ("é = '🎫'; return 1\n", Position(5, 9)),  # told by the compiler, which counts in bytes
    ],
)
def test_the_place_counts_code_points(line: str, start: Position) -> None:
    finding = only(F + line + "CUSTOM_TOOLS = [f]\n", "ADAL001")
    assert finding.range.start == start


def test_an_error_in_an_f_string_is_located_inside_of_it() -> None:
    assert only(F + "x = f'{f} {a b}'\n", "ADAL001").range.start == Position(5, 11)


@pytest.mark.parametrize(
    "line",
    [
        "x = " + "-" * 100_000 + "1",
        "x = a" + ".b" * 100_000,
        "x = " + "(" * 1000,
        "x = [" * 1000,
        "x = 1" + "+1" * 100_000,
    ],
    ids=["unary", "attributes", "brackets", "lists", "sum"],
)
def test_nesting_that_python_cannot_read_is_one_error(line: str) -> None:
    source = F + line + "\n" + G + "CUSTOM_TOOLS = [f, g]\n"
    assert only(source, "ADAL001").range.start.line == 5
    assert [tool.name for tool in read(source).tools] == ["f", "g"]


def test_a_long_chain_of_elif_is_read() -> None:
    chain = "if a == 0:\n    pass\n" + "".join(f"elif a == {n}:\n    b = {n}\n" for n in range(400))
    assert codes(F + "a = 1\n" + chain + "CUSTOM_TOOLS = [f]\n") == []


@pytest.mark.parametrize("character", ["\0", "\ud800"])
def test_a_character_that_no_file_can_hold_is_one_error_where_it_is(character: str) -> None:
    source = F + f"x = '{character}'\ny = {character}\n" + "CUSTOM_TOOLS = [f]\n"
    finding = only(source, "ADAL001")
    assert finding.range.start == Position(5, 5)
    assert "1 more" in finding.message
    assert [tool.name for tool in read(source).tools] == ["f"]


def test_a_byte_order_mark_is_a_character_of_the_first_line() -> None:
    file = read("\ufeffCUSTOM_TOOLS = ['f']\n")
    [finding] = check(file)
    assert (finding.code, finding.range.start) == ("ADAL203", Position(0, 17))


def test_warnings_of_python_are_neither_findings_nor_printed(recwarn: pytest.WarningsRecorder) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert codes('def f(x: str) -> str:\n    """A \\w."""\n    return x is 1\n\n\nCUSTOM_TOOLS = [f]\n') == []
    assert list(recwarn) == []


def test_an_unfinished_line_at_the_end_is_marked_on_a_character() -> None:
    finding = only(F + "CUSTOM_TOOLS = [f]\ndef ", "ADAL001")
    assert finding.range.end > finding.range.start
    assert finding.name == syntax.name
