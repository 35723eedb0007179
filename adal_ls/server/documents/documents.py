"""Texts as the editor has them: immutable snapshots, and edits by LSP's line rules."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from adal_ls.server.documents.lines import TextLines, split_lines
from adal_ls.server.documents.positions import Encoding, from_units
from adal_ls.server.transport.rpc import INVALID_PARAMS, Json, RpcError
from adal_ls.workspace import uris

_SURROGATE = re.compile("[\ud800-\udfff]")


class Edit(NamedTuple):
    """`text` in the place of the lines `first` to `last`, line ends included."""

    first: int
    last: int
    text: str

    def then(self, later: Edit) -> Edit | None:
        """Both edits as one, where the later replaces just the lines that this one put there."""
        lines = len(split_lines(self.text)) - self.text.endswith(("\n", "\r"))
        same = later.first == self.first and later.last == self.first + lines - 1
        return Edit(self.first, self.last, later.text) if same else None


class Trail:
    """How versions of a text came out of each other, since someone last followed it."""

    def __init__(self) -> None:
        self._steps: list[tuple[int, Edit, int]] = []

    def add(self, before: int, edit: Edit, after: int) -> None:
        """Version number `after` is `before` with an edit."""
        if self._steps and self._steps[-1][2] == before:
            start, last, _ = self._steps[-1]
            if (merged := last.then(edit)) is not None:
                self._steps[-1] = (start, merged, after)
                return
        self._steps.append((before, edit, after))

    def follow(self, before: int, after: int) -> list[Edit] | None:
        """The edits from one version to another, which are then forgotten; None where they do not lead there."""
        steps, self._steps = self._steps, []
        at, edits = before, list[Edit]()
        for start, edit, end in steps:
            if at == after or start != at:
                break
            edits.append(edit)
            at = end
        return edits if at == after else None


_numbers = itertools.count(1)


@dataclass(frozen=True)
class Document:
    """One version of one text.

    `uri` is spelled as the client spells it, `identity` is the file behind it (`uris.identity`). `version` is None for
    a text read from disk. `number` tells all texts of this process apart.
    """

    uri: str
    identity: str
    version: int | None
    lines: TextLines
    trail: Trail = field(default_factory=Trail, compare=False, repr=False)
    number: int = field(default_factory=lambda: next(_numbers), compare=False, repr=False)

    @cached_property
    def text(self) -> str:
        return self.lines.text

    def line(self, number: int) -> str:
        """Line `number` without its end; empty past the last one."""
        return self.lines[number].rstrip("\r\n") if 0 <= number < len(self.lines) else ""


def opened(uri: str, version: int | None, text: str) -> Document:
    return Document(uri, uris.identity(uri), version, TextLines.of(text))


def edit(document: Document, version: int | None, change: Json, encoding: Encoding) -> Document:
    """`document` after one entry of `contentChanges`.

    Costs what the change costs: the other lines stay as they are.

    Raises:
        RpcError: the change is not one (invalid params).
    """
    try:
        text = _text(change)
        span = change.get("range")
        if span is None:
            return Document(document.uri, document.identity, version, TextLines.of(text))
        first, start = _place(document, span["start"], encoding)
        last, end = _place(document, span["end"], encoding)
    except (KeyError, TypeError, AttributeError) as fault:
        raise RpcError(INVALID_PARAMS, f"not a content change: {fault}") from None
    if (last, end) < (first, start):
        (first, start), (last, end) = (last, end), (first, start)
    return _splice(document, version, (first, start), (last, end), text)


def _text(change: Json) -> str:
    text = change["text"]
    if not isinstance(text, str):
        raise TypeError("text is not a string")
    return text


def _place(document: Document, position: Json, encoding: Encoding) -> tuple[int, int]:
    line, character = position["line"], position["character"]
    if not isinstance(line, int) or not isinstance(character, int):
        raise TypeError("a position needs whole numbers")
    if line < 0:
        return 0, 0
    if line >= len(document.lines):
        return len(document.lines) - 1, len(document.lines[-1])
    return line, from_units(document.line(line), character, encoding)


def _splice(
    document: Document, version: int | None, start: tuple[int, int], end: tuple[int, int], text: str
) -> Document:
    lines = document.lines
    first, last = start[0], end[0]
    middle = lines[first][: start[1]] + text + lines[last][end[1] :]
    # A lone \r and a \n that come to stand side by side are one line end, so the neighbours are split anew as well.
    if first > 0 and middle.startswith("\n") and lines[first - 1].endswith("\r"):
        first -= 1
        middle = lines[first] + middle
    if last + 1 < len(lines) and not middle.endswith("\n"):
        last += 1
        middle += lines[last]
    if _SURROGATE.search(middle):
        middle = _paired(middle)
    anew = split_lines(middle)
    if last + 1 < len(lines):
        anew = anew[:-1]  # the empty rest behind the last line end: the next line stands there
    edited = Document(document.uri, document.identity, version, lines.replaced(first, last, anew), document.trail)
    document.trail.add(document.number, Edit(first, last, middle), edited.number)
    return edited


def _paired(text: str) -> str:
    """Joins surrogate halves that arrived in separate edits; halves that stay alone stay as they are."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


class Documents:
    """The open documents, by URI in any spelling."""

    def __init__(self) -> None:
        self._open: dict[str, Document] = {}

    def get(self, uri: str) -> Document | None:
        return self._open.get(uris.spelling(uri))

    def put(self, document: Document) -> None:
        self._open[uris.spelling(document.uri)] = document

    def drop(self, uri: str) -> Document | None:
        """Forgets a document. Returns what it was; None if it was not open."""
        return self._open.pop(uris.spelling(uri), None)

    def of_file(self, identity: str) -> list[Document]:
        """The open documents of one file on disk (more than one where a client opened it through a link as well)."""
        return [document for document in self._open.values() if document.identity == identity]

    def __iter__(self) -> Iterator[Document]:
        return iter(list(self._open.values()))
