from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types

from adal_ls.schema import from_ast
from adal_ls.server.documents.snapshot import Snapshot
from adal_ls.server.features.hover import hover, type_text

TOOLS = '''def create_ticket(title: str, tags: list[str] | None = None, priority: str = "Medium") -> str:
    """Create a ticket.

    Args:
        title: Short summary | with a bar.
        tags: Labels.
        priority: Low or High.
    """
    return title


def other(x: int) -> int:
    """Other."""
    return x


CUSTOM_TOOLS = [
    other,
    {"function": create_ticket, "name": "ticket", "require_approval": False},
]
'''


def at(marked: Any, before: str, after: str, **options: Any) -> types.Hover | None:
    """The hover between `before` and `after` in the text."""
    assert TOOLS.count(before + after) == 1
    place = marked(TOOLS.replace(before + after, before + "$0" + after), **options)
    return hover(place.snapshot, types.HoverParams(types.TextDocumentIdentifier(place.uri), place.position))


def value(found: types.Hover | None) -> str:
    assert found is not None
    assert isinstance(found.contents, types.MarkupContent)
    return found.contents.value


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def create_t", "icket(title"),
        ('"function": create', "_ticket"),
        ('"name": "tic', 'ket"'),
    ],
)
def test_the_card_shows_on_definition_entry_and_name(marked: Any, before: str, after: str) -> None:
    card = value(at(marked, before, after))
    assert "**ticket** — runs without asking" in card
    assert "Create a ticket." in card
    assert "| title | string | required |  | Short summary \\| with a bar. |" in card
    assert '| priority | string | optional | "Medium" | Low or High. |' in card


def test_no_schema_is_made_but_that_of_the_tool_under_the_cursor(marked: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def counted(function: Any, *given: Any, **options: Any) -> Any:
        made.append(function.name)
        return from_ast(function, *given, **options)

    monkeypatch.setattr("adal_ls.lint.tools.from_ast", counted)
    assert "Create a ticket." in value(at(marked, "def create_t", "icket(title"))
    assert made == ["create_ticket"]


def test_a_tool_that_asks_says_so(marked: Any) -> None:
    assert "asks for approval" in value(at(marked, "def oth", "er(x"))
    assert "asks for approval" in value(at(marked, "    oth", "er,"))


def test_there_is_no_card_elsewhere(marked: Any) -> None:
    assert at(marked, "retu", "rn title") is None
    assert at(marked, "CUSTOM", "_TOOLS") is None


def test_a_client_without_markdown_gets_plain_text(marked: Any) -> None:
    found = at(marked, "def oth", "er(x", client={})
    assert found is not None
    assert isinstance(found.contents, types.MarkupContent)
    assert found.contents.kind == types.MarkupKind.PlainText
    assert "**" not in found.contents.value
    assert "x | integer | required" in found.contents.value


def test_the_range_is_the_name_in_the_clients_units(marked: Any) -> None:
    text = 'def f(x: str) -> str:\n    """Do f."""\n    return x\n\n\n'
    text += 'CUSTOM_TOOLS = [{"function": f, "description": "🎫 é", "name": "bad$0-name"}]\n'
    place = marked(text)
    found = hover(place.snapshot, types.HoverParams(types.TextDocumentIdentifier(place.uri), place.position))
    assert found is not None
    assert found.range == types.Range(types.Position(5, 63), types.Position(5, 73))
    assert "ADAL101" in value(found)


def test_markdown_in_a_description_shows_as_it_is(marked: Any) -> None:
    text = 'def f(x: str) -> str:\n    """[Click](command:evil) <img src=x> `code`"""\n    return x\n\n\n'
    place = marked(text + "CUSTOM_TOOLS = [$0f]\n")
    card = value(hover(place.snapshot, types.HoverParams(types.TextDocumentIdentifier(place.uri), place.position)))
    assert "\n[Click]" not in card
    assert " <img" not in card


def test_a_position_outside_the_text_has_no_card(marked: Any) -> None:
    place = marked(TOOLS + "$0")
    far = types.HoverParams(types.TextDocumentIdentifier(place.uri), types.Position(9999, 9999))
    assert hover(place.snapshot, far) is None
    assert hover(Snapshot(place.snapshot.client, None), far) is None


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"type": "string"}, "string"),
        ({}, "any"),
        ({"type": "array", "items": {"type": "integer"}}, "list of integer"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "string or null"),
        ({"enum": ["a", 1]}, '"a" or 1'),
        ({"const": "a"}, '"a"'),
        ({"type": ["string", "null"]}, "string or null"),
        ({"$ref": "#/$defs/Point"}, "Point"),
        ({"type": "integer", "minimum": 1, "maximum": 9}, "integer (≥ 1, ≤ 9)"),
        ({"type": "string", "format": "date"}, "string (date)"),
        ({"type": "string", "pattern": "^a", "maxLength": 3}, "string (at most 3 characters, matching ^a)"),
        ({"type": "array", "items": {"type": "string"}, "minItems": 2}, "list of string (at least 2 items)"),
        ({"type": "object", "properties": {"x": {}, "y": {}}}, "object with x, y"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "object of integer"),
        ({"type": "object", "additionalProperties": {}}, "object"),
        ({"type": "object", "properties": {"x": {}}, "additionalProperties": False}, "object with x"),
    ],
)
def test_types_read_as_words(schema: dict[str, Any], text: str) -> None:
    assert type_text(schema) == text


def test_of_a_function_that_is_not_read_nothing_is_made_up(marked: Any) -> None:
    place = marked("from pack import find\n\n\nCUSTOM_TOOLS = [fi$0nd]\n")
    card = value(hover(place.snapshot, types.HoverParams(types.TextDocumentIdentifier(place.uri), place.position)))
    assert "No parameters" not in card
    assert "known once the file is loaded" in card
