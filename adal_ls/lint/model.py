"""What lint reads out of a tools file: data only, every place included."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from adal_ls.lint.lists.values import Value
from adal_ls.lint.modules.bindings import Bindings
from adal_ls.lint.reading.chunks import Chunk, joined
from adal_ls.lint.reading.parsing import SyntaxProblem, Unreadable
from adal_ls.lint.reading.text import Lines, Range

if TYPE_CHECKING:
    from adal_ls.lint.modules.names import Names

KEYS = ("function", "name", "description", "require_approval")
"""The keys of a dict entry (the custom-tools document, "Dict form")."""


class EntryKind(Enum):
    SIMPLE = "simple"  # a reference to a function
    DICT = "dict"
    WRONG = "wrong"  # certainly neither a function nor a dict
    COMPUTED = "computed"  # known only at run time


@dataclass(frozen=True, slots=True)
class Item:
    """One `key: value` of a dict entry. `key` is None where it is not a string literal (`**other`, a computed key).

    `lines` are those that the place of the key is told by.
    """

    lines: Lines = field(compare=False, repr=False)
    key: str | None
    key_range: Range
    key_words: str
    value: Value
    bare_key: str | None = None
    """The key, where it was written as a name: `function: f`."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One element of CUSTOM_TOOLS.

    `name` is the tool's name, None where it cannot be read; it stands at `name_range`: the string of "name", else the
    definition's name if that is in the file, else the reference. `conditional`: listed only in some branch.
    """

    kind: EntryKind
    range: Range
    value: Value
    name: str | None
    name_range: Range
    named: bool = False
    """Whether the name is given by a "name" key."""
    function: Value | None = None
    items: tuple[Item, ...] = ()
    description: str | None = None
    """The description override; "" where it is given but cannot be read, None where it is not given."""
    require_approval: bool = True
    conditional: bool = False

    def item(self, key: str) -> Item | None:
        """The item of a key; the last one where the key is repeated, as in Python."""
        return next((item for item in reversed(self.items) if item.key == key), None)

    @property
    def name_is_written(self) -> bool:
        """Whether `name_range` is a string that can be changed there, and not a name for one."""
        given = self.item("name")
        source = given.value.source if given is not None and self.named else None
        return source is not None and isinstance(source.node, ast.Constant) and source.shown is None

    @property
    def open(self) -> bool:
        """Whether the dict can have keys that are not written here (`**other`, a computed key)."""
        return any(item.key is None and item.bare_key is None for item in self.items)


class Computed(NamedTuple):
    """A part of CUSTOM_TOOLS that is known only at run time."""

    range: Range
    what: str


@dataclass(frozen=True, slots=True)
class ToolList:
    """CUSTOM_TOOLS. `range` is None where the file does not assign it; `wrong` is a value that no list can be."""

    range: Range | None = None
    entries: tuple[Entry, ...] = ()
    computed: tuple[Computed, ...] = ()
    wrong: Value | None = None


@dataclass(frozen=True, slots=True)
class StaticTool:
    """A tool as far as the text tells. `parameters` is `{"type": "object"}` where the function cannot be read."""

    name: str
    description: str
    parameters: dict[str, Any]
    require_approval: bool
    name_range: Range
    definition_range: Range | None
    entry_ranges: tuple[Range, ...]
    """All entries of this name: more than one if it is listed twice."""
    named: bool = False
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class ToolFile:
    """One tools file. Its chunks are numbered as its lines are."""

    chunks: tuple[Chunk, ...] = field(repr=False)
    bindings: Bindings = field(repr=False)
    tool_list: ToolList
    syntax: tuple[SyntaxProblem, ...] = ()

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The entries of CUSTOM_TOOLS in order, as far as they are written down."""
        return self.tool_list.entries

    @cached_property
    def text(self) -> str:
        return "".join(chunk.text for chunk in self.chunks)

    @cached_property
    def lines(self) -> Lines:
        """The lines of the whole text; what cannot stand in a source file is replaced."""
        return Lines("".join(chunk.lines.text for chunk in self.chunks))

    @cached_property
    def module(self) -> ast.Module:
        """The statements that could be read, for those who look at the whole text: other nodes than in `bindings`."""
        return ast.Module([*joined(self.chunks)], type_ignores=[])

    @cached_property
    def unreadable(self) -> tuple[Unreadable, ...]:
        """The statements that are not in `module`."""
        broken = [chunk for chunk in self.chunks if not chunk.parsed.readable]
        return tuple(Unreadable(chunk.text, chunk.lines.range(0, len(chunk.text))) for chunk in broken)

    @cached_property
    def names(self) -> Names:
        """What the names of the top level stand for."""
        from adal_ls.lint.modules.names import Names

        body = (node for chunk in self.chunks for node in chunk.parsed.body)
        return Names(self.bindings.around.scope(body), self.bindings)

    @cached_property
    def public_names(self) -> tuple[str, ...] | None:
        """What `from ... import *` takes from the module; None where that cannot be told."""
        from adal_ls.lint.lists.lists import follow

        if self.bindings.open:
            return None
        followed = follow("__all__", self.bindings)
        if followed.range is None:
            given = self.bindings.definitions.items()
            return tuple(
                name for name, found in given if name[0] != "_" and not all(one.type_checking for one in found)
            )
        texts = [getattr(element.node, "value", None) for element in followed.cell.elements]
        if followed.cell.computed or not all(isinstance(text, str) for text in texts):
            return None
        return tuple(text for text in texts if isinstance(text, str))

    @cached_property
    def tools(self) -> tuple[StaticTool, ...]:
        """The tools that can be told without running the file, each name once; computed at the first use."""
        from adal_ls.lint.tools import static_tools  # builds schemas, which diagnostics do not need

        return static_tools(self)
