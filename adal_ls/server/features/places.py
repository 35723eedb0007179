"""Places between lsprotocol's types (the client's units) and lint's (code points)."""

from __future__ import annotations

from lsprotocol import types

from adal_ls.lint import Position, Range
from adal_ls.server.documents.documents import Document
from adal_ls.server.documents.positions import Encoding, from_units, to_units


def position(document: Document, given: types.Position, encoding: Encoding) -> Position:
    """A position of the client in code points; one past the end of its line means that end."""
    return Position(given.line, from_units(document.line(given.line), given.character, encoding))


def types_position(document: Document, place: Position, encoding: Encoding) -> types.Position:
    return types.Position(place.line, to_units(document.line(place.line), place.column, encoding))


def types_range(document: Document, span: Range, encoding: Encoding) -> types.Range:
    """A range of lint in the client's units."""
    return types.Range(types_position(document, span.start, encoding), types_position(document, span.end, encoding))
