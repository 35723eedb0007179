"""One element of CUSTOM_TOOLS → Entry."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace

from adal_ls.lint.bindings import Binding, Bindings
from adal_ls.lint.model import KEYS, Entry, EntryKind, Item
from adal_ls.lint.text import Lines, Range
from adal_ls.lint.values import Value, ValueKind, read_value

_ALIAS_STEPS = 10


@dataclass(frozen=True, slots=True)
class Element:
    """What an entry is read from. `lines` are those of its chunk."""

    node: ast.expr
    lines: Lines = field(repr=False)
    conditional: bool

    def reads_as(self, other: Element) -> bool:
        """Whether another element, at whose place this one stood, is written in the same way."""
        if self.lines is other.lines:
            return self == other
        mine, its = self.node, other.node
        end = mine.end_lineno or mine.lineno
        if self.conditional != other.conditional or (end, mine.end_col_offset) != (its.end_lineno, its.end_col_offset):
            return False
        first, last = mine.lineno - 1 - self.lines.parsed, end - self.lines.parsed
        return self.lines.raw(first, last) == other.lines.raw(first, last)


def read_entry(element: Element, bindings: Bindings) -> Entry:
    """The entry that an element makes, given what the names of the file stand for."""
    return _EntryReader(element.lines, bindings).read(element.node, conditional=element.conditional)


class _EntryReader:
    def __init__(self, lines: Lines, bindings: Bindings) -> None:
        self._lines = lines
        self._bindings = bindings

    def read(self, node: ast.expr, *, conditional: bool) -> Entry:
        value = read_value(node, self._lines)
        if isinstance(node, ast.Dict):
            return self._dict_entry(node, value, conditional=conditional)
        if value.kind in (ValueKind.NAME, ValueKind.ATTRIBUTE, ValueKind.LAMBDA, ValueKind.PARTIAL):
            name, place = self._function_name(value)
            kind = EntryKind.SIMPLE
            return Entry(kind, value.range, value, name, place, function=value, conditional=conditional)
        computed = value.kind is ValueKind.COMPUTED or isinstance(node, ast.DictComp)
        kind = EntryKind.COMPUTED if computed else EntryKind.WRONG
        return Entry(kind, value.range, value, None, value.range, conditional=conditional)

    def _dict_entry(self, node: ast.Dict, value: Value, *, conditional: bool) -> Entry:
        items = tuple(self._item(key, item) for key, item in zip(node.keys, node.values, strict=True))
        entry = Entry(EntryKind.DICT, value.range, value, None, value.range, items=items, conditional=conditional)
        function, name = entry.item("function"), entry.item("name")
        description, approval = entry.item("description"), entry.item("require_approval")
        effective, place = (None, value.range)
        if name is not None and not name.value.is_none:
            constant = name.value.constant
            effective, place = (constant if isinstance(constant, str) else None), name.value.range
        elif function is not None and not entry.open:
            effective, place = self._function_name(function.value)
        return replace(
            entry,
            name=effective,
            name_range=place,
            named=name is not None and not name.value.is_none,
            function=function.value if function else None,
            description=_override(description),
            require_approval=not (approval is not None and approval.value.constant is False),
        )

    def _item(self, key: ast.expr | None, value: ast.expr) -> Item:
        read = read_value(value, self._lines)
        if key is None:
            return Item(None, read.range, "**", read)
        written = read_value(key, self._lines)
        text = written.constant
        bare = written.name if written.name in KEYS and not self._bindings.knows(written.name) else None
        known = written.kind is ValueKind.CONSTANT
        return Item(
            text if isinstance(text, str) else written.words if known else None,
            written.range,
            written.words,
            read,
            bare,
        )

    def _function_name(self, value: Value) -> tuple[str | None, Range]:
        """The `__name__` that a function reference will have, and where that is written."""
        if value.kind is ValueKind.ATTRIBUTE and value.name:
            return value.name.rpartition(".")[2], value.range
        name = value.name
        for _ in range(_ALIAS_STEPS):
            definition = self._bindings.effective(name) if name else None
            if definition is None:
                break
            if definition.kind in (Binding.FUNCTION, Binding.CLASS):
                return definition.name, definition.name_range
            if definition.kind is Binding.IMPORT:
                return definition.original or definition.name, value.range
            name = definition.original
        return name, value.range


def _override(description: Item | None) -> str | None:
    """As `Entry.description`; for a constant of another type the runtime takes the docstring."""
    if description is None:
        return None
    value = description.value
    if value.kind is ValueKind.CONSTANT:
        return value.constant if isinstance(value.constant, str) else None
    return None if value.kind is ValueKind.CONTAINER else ""
