"""What rules may know of a file, whether it was read whole or is being edited."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from adal_ls.lint.fixes.nearest import KnownNames
from adal_ls.lint.model import Entry, ToolList
from adal_ls.lint.modules.bindings import Bindings, Definition
from adal_ls.lint.modules.names import Names
from adal_ls.lint.modules.targets import Target
from adal_ls.lint.reading.chunks import Chunk
from adal_ls.lint.reading.parsing import NewerSyntax, SyntaxProblem
from adal_ls.lint.reading.text import Lines, Position, Range


class View(Protocol):
    """The file behind an entry. Places of different chunks are compared by `is_after` only."""

    @property
    def names(self) -> Names: ...

    @property
    def bindings(self) -> Bindings: ...

    @property
    def tool_names(self) -> Mapping[str, tuple[Entry, ...]]:
        """Canonical tool name → the entries of that name, in order."""

    @property
    def function_names(self) -> KnownNames:
        """The functions of the module that hold at its end."""

    def is_after(self, one: Position, other: Position) -> bool: ...


@dataclass(frozen=True)
class ListedEntry:
    """One entry of CUSTOM_TOOLS. `lines` are those of the entry itself, `functions` what it lists (`meant`)."""

    entry: Entry
    functions: tuple[Target, ...] = field(repr=False)
    lines: Lines = field(repr=False)
    file: View = field(repr=False)


@dataclass(frozen=True)
class Overview:
    """A file as a whole, for the few rules that no single entry or statement can answer."""

    view: View
    tool_list: ToolList
    """Without its entries."""
    all_read: bool
    """Whether it is known of every entry which function it lists."""
    last_entry: Callable[[], Entry | None]
    syntax: tuple[SyntaxProblem, ...]
    newer: tuple[NewerSyntax, ...]
    lines_at: Callable[[Position], Lines]
    last_lines: Lines
    """Those of the last chunk that has anything in it."""
    line_end: str
    unlisted: tuple[Definition, ...]
    """Functions that CUSTOM_TOOLS does not list, and that look like tools."""
    uses: Callable[[Definition], int]
    """How often the file has the name of a function, outside of its definition."""
    chunks: Callable[[], Iterable[Chunk]]
    """All of them, in order. Only for rules that seldom look."""
    order: Callable[[Range], Range]
    """What places of different chunks are sorted by."""

    @property
    def bindings(self) -> Bindings:
        return self.view.bindings
