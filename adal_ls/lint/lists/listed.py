"""The entries of CUSTOM_TOOLS while the file is edited, each with what the rules say about it."""

from __future__ import annotations

from bisect import insort
from collections.abc import Generator, Iterator, Sequence

from adal_ls import naming
from adal_ls.lint.findings import Finding
from adal_ls.lint.fixes.nearest import KnownNames
from adal_ls.lint.lists.elements import Element
from adal_ls.lint.lists.entries import read_entry
from adal_ls.lint.lists.lists import are_elements, elements_of
from adal_ls.lint.model import Entry, ToolFile, ToolList
from adal_ls.lint.modules.around import Sibling
from adal_ls.lint.modules.bindings import Bindings
from adal_ls.lint.modules.index import Index, Recorded, whole
from adal_ls.lint.modules.names import Names
from adal_ls.lint.modules.targets import Target
from adal_ls.lint.reader import read_elements
from adal_ls.lint.reading.blocks import Part
from adal_ls.lint.reading.chunks import LIST_NAME
from adal_ls.lint.reading.rows import Held, Row
from adal_ls.lint.reading.stopping import finished
from adal_ls.lint.reading.text import Position, Range
from adal_ls.lint.rules.base import ENTRY_RULES
from adal_ls.lint.rules.unlisted import is_read
from adal_ls.lint.subjects import Listing, both, listed_by, meant
from adal_ls.lint.view import ListedEntry

_SURE = frozenset({"ADAL101", "ADAL102", "ADAL103", "ADAL104", "ADAL207"})
"""The rules about entries that hold of one with a slip in it, too: what is missing may only not be written yet."""


class Listed:
    """An entry: what it is read from, what it makes of functions, and what rules say about it.

    `held` is the part of a display that it stands in, None where the list is made in another way; `number` counts the
    entries of the part, or of the list.
    """

    __slots__ = ("element", "entry", "findings", "functions", "held", "homes", "listings", "number", "read_by")

    def __init__(self, element: Element) -> None:
        self.element = element
        self.held: Held | None = None
        self.number = 0
        self.entry: Entry | None = None
        self.functions: tuple[Target, ...] | None = None
        """What the entry lists, from its reading until the rules have looked at it."""
        self.listings: dict[Range, Listing] = {}
        self.homes: frozenset[Sibling] = frozenset()
        self.findings: list[Finding] = []
        self.read_by: set[str] = set()

    @property
    def order(self) -> tuple[int, int]:
        """What entries are sorted by. It may change, but not which of two entries comes first."""
        return self.held.first if self.held is not None else 0, self.number


class _Touched:
    """Functions and tool names that entries had or have which are read anew."""

    def __init__(self) -> None:
        self.places: set[Range] = set()
        self.names: set[str] = set()

    def note(self, unit: Listed) -> None:
        self.places.update(unit.listings)
        if unit.entry is not None and unit.entry.name is not None:
            self.names.add(naming.canonical(unit.entry.name))


class ListedTools:
    """All entries, and how they list the functions of the file. What rules see of the file is asked for here."""

    def __init__(self, index: Index, row: Row) -> None:
        self._index = index
        self._row = row
        self._units: dict[Held | None, list[Listed]] = {}
        """By the part of the list that they stand in."""
        self._display: Held | None = None
        """The opening of the list, where nothing but its elements makes it."""
        self._unread: set[Listed] = set()
        self._by_place: dict[Range, list[Listed]] = {}
        self._by_name: dict[str, list[Listed]] = {}
        self._speaking: set[Listed] = set()
        self._abroad: set[Listed] = set()
        self._is_new = True
        self.tools = ToolList()
        self.tool_names: Recorded[tuple[Entry, ...]] = Recorded(index.asked, prefix="tool ")
        self.listings: dict[Range, Listing] = {}

    @property
    def names(self) -> Names:
        return self._index.names

    @property
    def bindings(self) -> Bindings:
        return self._index.bindings

    @property
    def function_names(self) -> KnownNames:
        return self._index.function_names()

    def is_after(self, one: Position, other: Position) -> bool:
        first, second = (self._row.absolute(Range(place, place)).start for place in (one, other))
        return first > second

    @property
    def all_read(self) -> bool:
        """Whether it is known of every entry which function it lists."""
        return not self._unread

    def last(self) -> Entry | None:
        """The last entry."""
        if None in self._units:
            return self._units[None][-1].entry
        held = next((held for held in reversed(self._row.held) if held in self._units), None)
        return None if held is None else self._units[held][-1].entry

    def findings(self) -> Iterator[Finding]:
        """What is said about entries, in their order."""
        for unit in sorted(self._speaking, key=lambda unit: unit.order):
            yield from unit.findings

    def abroad(self) -> dict[Sibling, dict[Range, Listing]]:
        """How the functions of modules beside the file are listed."""
        found: dict[Sibling, dict[Range, Listing]] = {}
        for unit in sorted(self._abroad, key=lambda unit: unit.order):
            for home in unit.homes if unit.entry is not None else ():
                listings = found.setdefault(home, {})
                if unit.entry is not None:
                    functions = meant(self.bindings, unit.entry)
                    for place, listing in listed_by(unit.entry, functions, home).items():
                        listings[place] = both(listings.get(place), listing)
        return found

    def update(
        self, gone: Sequence[Held], came: Sequence[Held], changed: set[str]
    ) -> Generator[None, None, set[Range]]:
        """Bring the entries in line with chunks that were exchanged, and with `changed` answers of the index, in steps.

        Returns the places of functions that are listed in another way than before.
        """
        touched = _Touched()
        dirty = {one for one in self._index.askers(changed) if isinstance(one, Listed)}
        if self._is_new or self in self._index.askers(changed - {self._index.list_key(LIST_NAME)}):
            dirty = self._read_list(dirty, touched)
        elif self._index.list_key(LIST_NAME) in changed:
            out, into = ([held for held in some if LIST_NAME in held.chunk.changes] for some in (gone, came))
            if self._are_elements(out, into):
                dirty = self._exchange(out, into, dirty, touched)
            else:
                dirty = self._read_list(dirty, touched)
        for unit in dirty:
            self._read(unit, touched)
            yield
        dirty |= {one for one in self._index.askers(self._renamed(touched.names)) if isinstance(one, Listed)}
        for unit in dirty:
            self._look_at(unit)
            yield
        return self._relisted(touched.places)

    def _are_elements(self, out: list[Held], into: list[Held]) -> bool:
        """Whether nothing but elements of the one display is exchanged."""
        return self._display is not None and all(
            held.chunk.part is Part.ELEMENTS and held.chunk.changes == {LIST_NAME} and are_elements(held.chunk)
            for held in (*out, *into)
        )

    def _exchange(self, out: list[Held], into: list[Held], dirty: set[Listed], touched: _Touched) -> set[Listed]:
        """Read elements anew and leave the others. Returns the entries to be read."""
        gone = {unit for held in out for unit in self._units.pop(held, ())}
        for unit in gone:
            self._forget(unit, touched)
        fresh = set[Listed]()
        for held in into:
            for element in elements_of(held.chunk):
                unit = Listed(element)
                self._add(unit, held)
                fresh.add(unit)
        return fresh | (dirty - gone)

    def _add(self, unit: Listed, held: Held | None) -> None:
        siblings = self._units.setdefault(held, [])
        unit.held, unit.number = held, len(siblings)
        siblings.append(unit)

    def _read_list(self, dirty: set[Listed], touched: _Touched) -> set[Listed]:
        """Follow the list anew; entries whose source is the same stay. Returns those to be read."""
        self._is_new = False
        with self._index.asked.noting() as asked:
            self.tools, elements, display = read_elements(self.bindings)
        self._index.set_asked(self, asked | {whole(key) for key in asked})
        self._display = None if display is None else self._row.at(display.first)
        before: dict[tuple[object, ...], list[Listed]] = {}
        for units in self._units.values():
            for unit in reversed(units):
                before.setdefault(unit.element.place(), []).append(unit)
        self._units = {}
        fresh = set[Listed]()
        for element in elements:
            known = before.get(element.place())
            if known and known[-1].element.reads_as(element):
                unit = known.pop()
                unit.element = element
            else:
                unit = Listed(element)
                fresh.add(unit)
            self._add(unit, None if display is None else self._row.at(element.lines.first))
        gone = {unit for units in before.values() for unit in units}
        for unit in gone:
            self._forget(unit, touched)
        return fresh | (dirty - gone)

    def _forget(self, unit: Listed, touched: _Touched) -> None:
        self._take_out(unit, touched)
        self._index.set_asked(unit, frozenset())
        self._speaking.discard(unit)
        self._unread.discard(unit)

    def _read(self, unit: Listed, touched: _Touched) -> None:
        """Read one entry. One that reads as before stays the same object."""
        before = unit.entry
        self._take_out(unit, touched)
        with self._index.asked.noting() as asked:
            entry = read_entry(unit.element, self.bindings)
            functions = unit.functions = meant(self.bindings, entry)
            unit.listings = listed_by(entry, functions)
            unit.homes = frozenset(target.home for target in functions if target.home is not None)
        (self._abroad.add if unit.homes else self._abroad.discard)(unit)
        unit.entry = before if entry == before else entry
        unit.read_by = asked
        for place in unit.listings:
            insort(self._by_place.setdefault(place, []), unit, key=lambda other: other.order)
        if entry.name is not None:
            key = naming.canonical(entry.name)
            insort(self._by_name.setdefault(key, []), unit, key=lambda other: other.order)
        (self._unread.discard if is_read(entry) else self._unread.add)(unit)
        touched.note(unit)

    def _take_out(self, unit: Listed, touched: _Touched) -> None:
        touched.note(unit)
        for place in unit.listings:
            self._by_place[place].remove(unit)
        if unit.entry is not None and unit.entry.name is not None:
            self._by_name[naming.canonical(unit.entry.name)].remove(unit)
        unit.entry, unit.listings, unit.homes = None, {}, frozenset()
        self._abroad.discard(unit)

    def _renamed(self, names: set[str]) -> set[str]:
        """Bring `tool_names` in line. Returns the keys that changed."""
        changed = set[str]()
        for name in names:
            entries = tuple(unit.entry for unit in self._by_name.get(name, ()) if unit.entry is not None)
            if entries != (self.tool_names.now(name) or ()):
                changed.add(self.tool_names.key(name))
            if entries:
                self.tool_names[name] = entries
            else:
                self.tool_names.pop(name, None)
                self._by_name.pop(name, None)
        return changed

    def _look_at(self, unit: Listed) -> None:
        """The rules over one entry."""
        if unit.entry is None:
            return
        with self._index.asked.noting() as asked:
            functions = meant(self.bindings, unit.entry) if unit.functions is None else unit.functions
            subject = ListedEntry(unit.entry, functions, unit.element.lines, self)
            rules = [rule for rule in ENTRY_RULES if rule.code in _SURE] if unit.element.salvaged else ENTRY_RULES
            unit.findings = [finding for rule in rules for finding in rule(subject)]
        unit.functions = None
        keys = unit.read_by | asked
        self._index.set_asked(unit, keys | {whole(key) for key in keys})
        (self._speaking.add if unit.findings else self._speaking.discard)(unit)

    def _relisted(self, places: set[Range]) -> set[Range]:
        """Bring `listings` in line. Returns the places where they changed."""
        changed = set[Range]()
        for place in places:
            listing: Listing | None = None
            for unit in self._by_place.get(place, ()):
                listing = both(listing, unit.listings[place])
            if listing == self.listings.get(place):
                continue
            changed.add(place)
            if listing is not None:
                self.listings[place] = listing
            else:
                del self.listings[place], self._by_place[place]
        return changed


def entry_findings(file: ToolFile) -> list[Finding]:
    """What the rules about entries alone say of a file, whatever the configuration."""
    row, index = Row(file.chunks), Index()
    tools = ListedTools(index, row)
    finished(tools.update([], row.held, finished(index.update([], row.held))))
    return [*tools.findings()]
