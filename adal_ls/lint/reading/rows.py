"""The chunks of a text that is being edited."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Callable, Iterable

from adal_ls.lint.findings import Finding
from adal_ls.lint.reading.blocks import Part, Place
from adal_ls.lint.reading.chunks import BYTE_ORDER_MARK, Chunk, Cut, cut, read_chunks
from adal_ls.lint.reading.pieces import Head, head_at
from adal_ls.lint.reading.text import Position, Range, count_line_ends

_ROOM = 1 << 16
"""Line numbers that a chunk gets when it is made anew: as long as it fits in, its numbers stay when it changes."""


class Held:
    """A chunk in its row. `first` is the line on which it begins now.

    `findings` are what they say of it, as it is configured, with all places in this chunk; `told` the same with the
    lines of the file, as it was when the chunk began `told_at` lines below its own numbers. `far` is what the rules say
    that has places in other chunks.
    """

    __slots__ = ("chunk", "dense", "far", "findings", "first", "reach", "room", "told", "told_at")

    def __init__(self, chunk: Chunk, first: int, reach: int | None, room: int) -> None:
        self.chunk = chunk
        self.first = first
        self.reach = reach
        self.room = room
        self.findings: tuple[Finding, ...] = ()
        self.far: tuple[Finding, ...] = ()
        self.told: tuple[Finding, ...] = ()
        self.told_at: int | None = None
        self.dense = chunk

    @property
    def moved(self) -> int:
        """How many lines further down it begins than its numbers say."""
        return self.first - self.chunk.lines.first

    def is_affected_by(self, line: int) -> bool:
        """Whether a change of a line may change where the chunk ends, or what is in it."""
        return self.reach is None or self.first + self.reach > line

    @property
    def sees_far(self) -> bool:
        return self.reach is None or self.reach > self.chunk.size + 2

    def as_numbered(self, first: int) -> Chunk:
        """The chunk with the line numbers of the file in which it begins on line `first`."""
        if self.dense.lines.first != first:
            self.dense = Chunk(self.chunk.cut(self.reach), first)
        return self.dense


class Row:
    """Chunks in order. Places in them are told by numbers that no two chunks share and that stay when text above them
    changes; `absolute` gives the lines of the file."""

    def __init__(self, chunks: Iterable[Chunk] = ()) -> None:
        self.fill(chunks)

    def fill(self, chunks: Iterable[Chunk]) -> None:
        """Take the chunks of a file, numbered as its lines are, in the place of all others."""
        self.held = [Held(chunk, chunk.lines.first, chunk.reach, _lines_in(chunk.text)) for chunk in chunks]
        self._firsts = [held.first for held in self.held]
        self._by_number = {held.chunk.lines.first: held for held in self.held}
        self._numbers = sorted(self._by_number)
        last = self.held[-1] if self.held else None
        self._free = last.first + last.room + 1 if last is not None else 0
        self._far = {held for held in self.held if held.sees_far}

    def reader(self) -> Callable[[], tuple[Chunk, ...]]:
        """Gives the chunks as they are now, numbered as the lines of the file, whenever it is called."""
        held, firsts = tuple(self.held), tuple(self._firsts)
        return lambda: tuple(one.as_numbered(first) for one, first in zip(held, firsts, strict=True))

    @property
    def text(self) -> str:
        return "".join([held.chunk.text for held in self.held])

    def before(self, held: Held) -> Held | None:
        """The chunk before one."""
        index = self._index(held.first)
        return self.held[index - 1] if index else None

    def at(self, number: int) -> Held:
        """The chunk that has a numbered line."""
        return self._by_number[self._numbers[bisect_right(self._numbers, number) - 1]]

    def numbered(self, position: Position) -> Position:
        """A place of the file as the chunk there numbers it."""
        if not self.held:
            return position
        held = self.held[self._index(position.line)]
        return Position(position.line - held.moved, position.column)

    def absolute(self, place: Range) -> Range:
        """A place of one chunk, in the lines of the file."""
        moved = self.at(place.start.line).moved if self.held else 0
        if not moved:
            return place
        (first, column), (last, end) = place
        return Range(Position(first + moved, column), Position(last + moved, end))

    def replace(self, first: int, last: int, text: str) -> tuple[list[Held], list[Held]]:
        """Put `text` in the place of the lines `first` to `last`, line ends included.

        Returns the chunks that are gone and those that came, each in order.
        """
        if not self.held:
            return self._exchange(0, 0, [*cuts(text)])
        before = max(first - 1, 0)  # its line end may be half of one that is whole now
        begin, end = self._earliest(before), self._index(last) + 1
        window = [held.chunk.text for held in self.held[begin:end]]
        start, stop = self._offset(begin, first), self._offset(begin, last + 1)
        joined = "".join(window)
        joined = joined[:start] + text + joined[stop:]
        kept = self._unaffected(begin, first, joined, start)
        joined = joined[sum(len(held.chunk.text) for held in self.held[begin : begin + kept]) :]
        return self._exchange(begin + kept, *self._cut_anew(begin + kept, end, joined))

    def _unaffected(self, begin: int, line: int, window: str, offset: int) -> int:
        """How many chunks from `begin` on stay as they are, because a statement begins on the changed line as before.

        Else an edit behind a long list would cut the list anew. `offset` is where the line begins in the window.
        """
        kept = 0
        for held in self.held[begin:]:
            end = held.first + held.chunk.size
            chunk = held.chunk
            # A chunk with a slip may end where it does because of what stood on the changed line.
            if end > line or held.sees_far or chunk.is_troubled:
                break
            # An element may go on at a line where elsewhere a statement would begin.
            if chunk.head is Head.DECORATOR or chunk.part is Part.ELEMENTS or chunk.text.endswith("\r"):
                break
            if end == line and (offset >= len(window) or head_at(window, offset) is None):
                break
            kept += 1
        return kept

    def _cut_anew(self, begin: int, end: int, window: str) -> tuple[int, list[Cut]]:
        """The chunks of a window of the text that reaches from `begin` to `end`, and on as far as its change does."""
        cuts, offset, more, known = list[Cut](), 0, 2, {len(window): end}
        if end < len(self.held):  # where the last chunk ends is seen from what follows
            window += self.held[end].chunk.text
            end += 1
            known[len(window)] = end
        place = self._place(begin)
        while True:
            same = known.get(offset)
            if (
                same is not None
                and self._is_cut_alike(same, place)
                and not (begin == 0 and not cuts and self._has_mark(same))
            ):
                return same, cuts
            found = cut(window, offset, place)
            if found.reach is None and end < len(self.held):
                for held in self.held[end : end + more]:
                    window += held.chunk.text
                    end += 1
                    known[len(window)] = end
                more *= 2
                continue
            cuts.append(found)
            offset += len(found.text)
            place = found.after

    def _place(self, index: int) -> Place:
        """Whether a list is open where a chunk begins."""
        return self.held[index - 1].chunk.after if index else Place.OUTSIDE

    def _is_cut_alike(self, index: int, place: Place) -> bool:
        """Whether what begins at a chunk is cut as it was, where this place stands before it."""
        return index == len(self.held) or self.held[index].chunk.before is place

    def _has_mark(self, index: int) -> bool:
        return index < len(self.held) and self.held[index].chunk.text.startswith(BYTE_ORDER_MARK)

    def _exchange(self, begin: int, end: int, cuts: list[Cut]) -> tuple[list[Held], list[Held]]:
        old = self.held[begin:end]
        first = old[0].first if old else (self.held[begin - 1].first + self.held[begin - 1].chunk.size if begin else 0)
        same = 0
        while same < min(len(old), len(cuts)) and _is_same(old[same], cuts[same]):
            first += old[same].chunk.size
            same += 1
        alike = 0
        while alike < min(len(old), len(cuts)) - same and _is_same(old[-1 - alike], cuts[-1 - alike]):
            alike += 1
        gone, rest = old[same : len(old) - alike], old[len(old) - alike :]
        came = self._made(cuts[same : len(cuts) - alike], gone, first, is_last=end == len(self.held))
        new = [*old[:same], *came, *rest]
        for held, found in zip(new, cuts, strict=True):
            held.reach = found.reach
            (self._far.add if held.sees_far else self._far.discard)(held)
        self._far.difference_update(gone)
        self.held[begin:end] = new
        self._firsts[begin:end] = [-1] * len(new)
        self._number_from(begin)
        return gone, came

    def _made(self, cuts: list[Cut], gone: list[Held], first: int, *, is_last: bool) -> list[Held]:
        """The chunks of `cuts`, numbered as those that are gone where these are as many."""
        came = []
        for held in gone:
            number = held.chunk.lines.first
            del self._by_number[number]
            self._numbers.pop(bisect_right(self._numbers, number) - 1)
        for index, found in enumerate(cuts):
            old = gone[index] if len(cuts) == len(gone) else None
            needed = _lines_in(found.text) + is_last  # the end of a file may be a line of its own
            if old is not None and needed <= old.room:
                number, room = old.chunk.lines.first, old.room
            else:
                number, room = self._free, max(_ROOM, needed)
                self._free += room
            held = Held(Chunk(found, first, number), first, found.reach, room)
            self._by_number[number] = held
            insort(self._numbers, number)
            came.append(held)
            first += held.chunk.size
        return came

    def _number_from(self, index: int) -> None:
        """Tell chunks from `index` on where they begin, until one knows already."""
        held, firsts = self.held, self._firsts
        first = held[index - 1].first + held[index - 1].chunk.size if index else 0
        for at in range(index, len(held)):
            if firsts[at] == first and held[at].first == first:
                break
            firsts[at] = held[at].first = first
            first += held[at].chunk.size

    def _index(self, line: int) -> int:
        return max(bisect_right(self._firsts, line) - 1, 0)

    def _offset(self, begin: int, line: int) -> int:
        """The offset of a line's start in the text from chunk `begin` on."""
        at = self._index(line)
        held = self.held[at]
        starts = held.chunk.lines.starts
        number = line - held.first
        before = sum(len(other.chunk.text) for other in self.held[begin:at])
        return before + (starts[number] if number < len(starts) else len(held.chunk.text))

    def _earliest(self, line: int) -> int:
        """The first chunk that a change of a line may change."""
        index = self._index(line)
        while index and self.held[index - 1].is_affected_by(line):
            index -= 1
        far = [held.first for held in self._far if held.first < self.held[index].first and held.is_affected_by(line)]
        return self._index(min(far)) if far else index


def row_of(text: str) -> Row:
    """The chunks of a text, numbered as its lines are."""
    return Row(read_chunks(text))


def _lines_in(text: str) -> int:
    return count_line_ends(text) + (not text.endswith(("\n", "\r")))


def cuts(text: str) -> Iterable[Cut]:
    """Where the chunks of a whole text begin and end."""
    offset, place = 0, Place.OUTSIDE
    while offset < len(text):
        found = cut(text, offset, place)
        yield found
        offset, place = offset + len(found.text), found.after


def _is_same(held: Held, found: Cut) -> bool:
    chunk = held.chunk
    alike = (chunk.head, chunk.part, chunk.before) == (found.head, found.part, found.before)
    return alike and chunk.text == found.text and not chunk.text.startswith(BYTE_ORDER_MARK)
