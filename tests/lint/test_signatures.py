"""Signatures at a cursor `$0`: the label with the active part in brackets."""

from __future__ import annotations

from pathlib import Path

import pytest

from adal_ls.lint import Position, read
from adal_ls.lint.authoring.signatures import signature
from tests.lint.corpus import corpus
from tests.lint.cursors import at_cursor

EXAMPLES = Path(__file__).parents[2] / "examples"

FUNCTIONS = '''\
from adalflow.core.types import ToolOutput


def find(query: str, limit: int = 5, *, order: str = "new") -> list[str]:
    """Find notes.

    Args:
        query: Words to look for.
        order: Which come first.
    """
    return []


async def log(a, /, b=1, *rest: int, **more): ...


'''


def shown(code: str) -> str | None:
    text, place = at_cursor(FUNCTIONS + code)
    found = signature(read(text), place)
    if found is None:
        return None
    if found.active is None:
        return found.label
    start, end = list(found.spans())[found.active]
    return f"{found.label[:start]}[{found.label[start:end]}]{found.label[end:]}"


FIND = "find(query: str, limit: int = 5, *, order: str = 'new') -> list[str]"


def active(part: str, label: str = FIND) -> str:
    return label.replace(part, f"[{part}]", 1)


@pytest.mark.parametrize(
    ("code", "part"),
    [
        ("x = find($0", "query: str"),
        ("x = find($0)", "query: str"),
        ("def f():\n    return find('a', $0\n", "limit: int = 5"),
        ("x = find(\n    'a,b(',\n    $0\n)", "limit: int = 5"),
        ("x = find(['a', 'b'], $0", "limit: int = 5"),
        ("x = find([1, 2, $0", "query: str"),
        ("x = find({'a': 1, $0", "query: str"),
        ("x = find('a', order=$0", "order: str = 'new'"),
        ("x = find(limit=2, $0", "query: str"),
        ("x = find('a', order='new', $0", "limit: int = 5"),
        ("x = find(a == b, $0", "limit: int = 5"),
        ("x = find(a <= b, $0", "limit: int = 5"),
        ("x = find((y := 1), $0", "limit: int = 5"),
        ("x = log(find('a', $0", "limit: int = 5"),
        ("@find('a', $0\ndef g(): ...", "limit: int = 5"),
    ],
)
def test_a_call_of_a_function_of_the_file_shows_the_parameter_that_is_next(code: str, part: str) -> None:
    assert shown(code) == active(part)


@pytest.mark.parametrize("code", ["x = find('a', 1, $0", "x = find('a', nonsense=$0"])
def test_nothing_is_marked_where_no_parameter_takes_it(code: str) -> None:
    assert shown(code) == FIND


@pytest.mark.parametrize(
    ("code", "part"),
    [
        ("log($0", "[a]"),
        ("log(1, $0", "[b=1]"),
        ("log(1, 2, $0", "[*rest: int]"),
        ("log(1, 2, 3, 4, $0", "[*rest: int]"),
        ("log(1, c=$0", "[**more]"),
    ],
)
def test_stars_take_what_is_left(code: str, part: str) -> None:
    label = "log(a, /, b=1, *rest: int, **more)"
    assert shown(code) == label.replace(part[1:-1], part, 1)


@pytest.mark.parametrize(
    ("code", "part"),
    [
        ("def f():\n    return ToolOutput($0", "[output: Any = None]"),
        ("def f():\n    return ToolOutput(1, 'x', $0)", "[display: str | None = None]"),
        ("def f():\n    return ToolOutput(1, 'x', 'y', $0)", "[is_streaming: bool | None = False]"),
        ("def f():\n    return ToolOutput(status=$0)", '[status: "success" | "error" | "cancelled" = "success"]'),
        ("def f():\n    return ToolOutput(output=1, $0)", "[observation: str | None = None]"),
    ],
)
def test_the_fields_of_a_result_are_shown_in_the_order_of_the_class(code: str, part: str) -> None:
    label = shown(code)
    assert label is not None
    assert part in label
    names = [one.split(":")[0].strip("[") for one in label.removeprefix("ToolOutput(").split(", ") if ":" in one]
    assert [name for name in names if name.isidentifier()] == [
        "output",
        "observation",
        "display",
        "is_streaming",
        "metadata",
        "status",
    ]


@pytest.mark.parametrize(
    ("code", "part"),
    [
        ("CUSTOM_TOOLS = [{$0", '["function": callable]'),
        ('CUSTOM_TOOLS = [find, {"function": find, $0}]', '["name": str]'),
        ('CUSTOM_TOOLS = [{"function": find, "require_approval": $0}]', '["require_approval": bool]'),
        ('CUSTOM_TOOLS = [{"function": find, "require_$0', '["name": str]'),
        ('CUSTOM_TOOLS = [{"function": find, "description"$0', '["description": str]'),
        ('CUSTOM_TOOLS += [\n    {\n        "function": find,\n        "description": $0', '["description": str]'),
    ],
)
def test_an_entry_of_the_list_shows_its_keys(code: str, part: str) -> None:
    label = shown(code)
    assert label is not None
    assert part in label


@pytest.mark.parametrize(
    "code",
    [
        "x = 1$0",
        "x = (1, $0",
        "x = unknown($0",
        "def find($0",
        "class find($0",
        "x = find()$0",
        "x = find('a$0",
        "# find($0",
        '"""\nfind($0\n"""',
        "x = {$0",
        "CUSTOM_TOOLS = [$0",
        'CUSTOM_TOOLS = [{"function": find}, $0]',
        "x = self.find($0",
    ],
)
def test_nothing_is_shown_where_nothing_known_is_written(code: str) -> None:
    assert shown(code) is None


def test_what_the_docstring_says_of_a_parameter_is_told() -> None:
    text, place = at_cursor(f"{FUNCTIONS}find($0")
    found = signature(read(text), place)
    assert found is not None
    assert found.about == "Find notes."
    assert {one.name: one.about for one in found.parameters if one.name} == {
        "query": "Words to look for.",
        "limit": "",
        "order": "Which come first.",
    }


@pytest.mark.parametrize("text", [FUNCTIONS, *(source.text for source in list(corpus())[:12])])
def test_no_place_of_any_text_raises(text: str) -> None:
    file = read(text)
    for number in range(0, len(text.split("\n")), 3):
        for column in range(0, 80, 5):
            signature(file, Position(number, column))


def test_no_beginning_of_the_example_raises() -> None:
    (example, *_) = sorted(EXAMPLES.rglob("tools.py"))
    text = example.read_text(encoding="utf-8")
    for end in range(0, len(text), 2):
        begun = text[:end]
        lines = begun.split("\n")
        signature(read(begun), Position(len(lines) - 1, len(lines[-1])))
