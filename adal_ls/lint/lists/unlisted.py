"""Functions that look like tools and are not listed, while the file is edited."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from adal_ls.lint.lists.listed import ListedTools
from adal_ls.lint.modules.bindings import Binding, Definition
from adal_ls.lint.modules.index import Index
from adal_ls.lint.reading.rows import Held, Row
from adal_ls.lint.reading.text import Range
from adal_ls.lint.rules.unlisted import looks_like_a_tool

_WORD = re.compile(r"\w+")


class Unlisted:
    """The functions of a row that look like tools and are not listed, and how often the text has their names.

    Most files have none. The words of a file are counted once it has one: a name being typed is one, key by key.
    """

    def __init__(self, row: Row, index: Index, listed: ListedTools) -> None:
        self._row = row
        self._index = index
        self._listed = listed
        self._names: set[str] = set()
        self._words: Counter[str] | None = None
        self._gone: Counter[str] = Counter()  # apart, as a counter adds in C and subtracts in Python

    def update(self, gone: Iterable[Held], came: Iterable[Held], relisted: Iterable[Range]) -> None:
        """Bring both in line with chunks that were exchanged and functions that are listed in another way."""
        gone, came = [*gone], [*came]
        names = {definition.name for held in (*gone, *came) for definition in held.chunk.bound.definitions}
        for place in relisted:
            if self._row.held and (node := self._row.at(place.start.line).chunk.functions.get(place)) is not None:
                names.add(node.name)
        for name in names:
            (self._names.add if self._is_candidate(name) else self._names.discard)(name)
        if self._words is not None:
            self._words.update(_words_of(came))
            self._gone.update(_words_of(gone))
        elif self._names:
            self._words = Counter(_words_of(self._row.held))

    def functions(self) -> tuple[Definition, ...]:
        found = (self._index.definitions.now(name) or () for name in self._names)
        return tuple(definition for definitions in found for definition in definitions)

    def uses(self, definition: Definition) -> int:
        """How often the text has the name of a function outside of its definition."""
        lines = definition.lines
        own = 0 if lines is None else _WORD.findall(lines.slice(definition.range)).count(definition.name)
        name = definition.name
        return 0 if self._words is None else self._words[name] - self._gone[name] - own

    def _is_candidate(self, name: str) -> bool:
        definitions = self._index.definitions.now(name) or ()
        if len(definitions) != 1 or definitions[0].kind is not Binding.FUNCTION:
            return False
        return definitions[0].name_range not in self._listed.listings and looks_like_a_tool(definitions[0])


def _words_of(chunks: Iterable[Held]) -> Iterator[str]:
    return (word for held in chunks for word in _WORD.findall(held.chunk.lines.text))
