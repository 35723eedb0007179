"""The lines of a text, which versions of it share: an edit copies those around it, not all."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

# The only line ends of LSP and of Python's tokenizer. `str.splitlines` knows more (form feed, U+2028, U+0085, U+001C
# to U+001E) and would move every position behind one of them.
_END = re.compile(r"\r\n|\n|\r")
_BLOCK = 512
"""Lines that are copied together."""


def split_lines(text: str) -> tuple[str, ...]:
    """The lines of `text` with their ends. There is always a last line, which has no end and may be empty."""
    if "\r" not in text:
        parts = text.split("\n")
        return (*[f"{part}\n" for part in parts[:-1]], parts[-1])
    starts = [0, *(found.end() for found in _END.finditer(text))]
    return tuple(text[a:b] for a, b in zip(starts, [*starts[1:], len(text)], strict=True))


class TextLines:
    """An unchangeable sequence of lines, never empty."""

    __slots__ = ("_blocks", "_starts")

    def __init__(self, blocks: Sequence[tuple[str, ...]], starts: Sequence[int] | None = None) -> None:
        """`starts`: how many lines stand before each block, and at last how many there are."""
        self._blocks = blocks
        self._starts = [*accumulate(map(len, blocks), initial=0)] if starts is None else starts

    @classmethod
    def of(cls, text: str) -> TextLines:
        return cls(_blocks(split_lines(text)))

    def __len__(self) -> int:
        return self._starts[-1]

    def __getitem__(self, number: int) -> str:
        if number < 0:
            number += len(self)
        if not 0 <= number < len(self):
            raise IndexError(number)
        block = bisect_right(self._starts, number) - 1
        return self._blocks[block][number - self._starts[block]]

    def __iter__(self) -> Iterator[str]:
        return (line for block in self._blocks for line in block)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TextLines) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def replaced(self, first: int, last: int, lines: tuple[str, ...]) -> TextLines:
        """These lines with others in the place of `first` to `last`."""
        begin, end = (bisect_right(self._starts, number) - 1 for number in (first, last))
        before = self._blocks[begin][: first - self._starts[begin]]
        behind = self._blocks[end][last + 1 - self._starts[end] :]
        blocks = [*self._blocks[:begin], *_blocks(before + lines + behind), *self._blocks[end + 1 :]]
        same = len(lines) == last + 1 - first and len(blocks) == len(self._blocks)
        return TextLines(blocks, self._starts if same and begin == end else None)

    @property
    def text(self) -> str:
        return "".join(["".join(block) for block in self._blocks])


def _blocks(lines: tuple[str, ...]) -> list[tuple[str, ...]]:
    if len(lines) <= 2 * _BLOCK:
        return [lines] if lines else []
    return [lines[at : at + _BLOCK] for at in range(0, len(lines), _BLOCK)]
