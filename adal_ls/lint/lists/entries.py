"""One element of CUSTOM_TOOLS → Entry."""

from __future__ import annotations

import ast
from dataclasses import replace

from adal_ls.lint.lists.elements import Element, dotted
from adal_ls.lint.lists.following import bindings_at, call, constant
from adal_ls.lint.lists.texts import text_of
from adal_ls.lint.lists.values import Value, ValueKind, read_element, read_value
from adal_ls.lint.model import KEYS, Entry, EntryKind, Item
from adal_ls.lint.modules.bindings import Binding, Bindings
from adal_ls.lint.modules.targets import targets
from adal_ls.lint.reading.text import Range

_ALIAS_STEPS = 10
_CALLABLE = (ValueKind.NAME, ValueKind.ATTRIBUTE, ValueKind.LAMBDA, ValueKind.PARTIAL)


def read_entry(element: Element, bindings: Bindings) -> Entry:
    """The entry that an element makes, given what the names of the file stand for."""
    return _EntryReader(bindings).read(element)


class _EntryReader:
    def __init__(self, bindings: Bindings) -> None:
        self._bindings = bindings

    def read(self, element: Element) -> Entry:
        value = read_element(element)
        written = self._dict(element)
        if written is not None:
            return self._dict_entry(element, written, value)
        if value.kind in _CALLABLE or (value.kind is ValueKind.COMPUTED and targets(element, self._bindings)):
            name, place = self._function_name(value)
            return Entry(
                EntryKind.SIMPLE, value.range, value, name, place, function=value, conditional=element.conditional
            )
        computed = value.kind is ValueKind.COMPUTED or isinstance(element.node, ast.DictComp)
        kind = EntryKind.COMPUTED if computed else EntryKind.WRONG
        return Entry(kind, value.range, value, None, value.range, conditional=element.conditional)

    def _dict(self, element: Element) -> list[tuple[Element | None, Element]] | None:
        """The keys and values of an entry in dict form, also where it is put together by a name or a call."""
        at = constant(element, self._bindings)
        if isinstance(at.node, ast.Call):
            if isinstance(at.node.func, ast.Name) and at.node.func.id == "dict" and not at.node.args:
                return [_pair(at, keyword) for keyword in at.node.keywords]
            returned = call(at, at.node, self._bindings)
            at = at if returned is None else constant(returned, self._bindings)
        if isinstance(at.node, ast.BinOp) and isinstance(at.node.op, ast.BitOr):
            parts = [self._dict(at.of(part)) for part in (at.node.left, at.node.right)]
            return (
                [item for part in parts if part for item in part] if all(part is not None for part in parts) else None
            )
        if not isinstance(at.node, ast.Dict):
            return None
        found: list[tuple[Element | None, Element]] = []
        for key, value in zip(at.node.keys, at.node.values, strict=True):
            inner = None if key is not None else self._dict(at.of(value))
            if inner is not None:  # `**BASE`, and BASE is written down
                found += inner
            else:
                found.append((None if key is None else at.of(key), at.of(value)))
        return found

    def _dict_entry(self, element: Element, written: list[tuple[Element | None, Element]], value: Value) -> Entry:
        items = tuple(self._item(key, item) for key, item in written)
        place = value.range
        conditional = element.conditional
        entry = Entry(EntryKind.DICT, place, value, None, place, items=items, conditional=conditional)
        function, name = entry.item("function"), entry.item("name")
        if function is not None and element.given and not place.contains(function.value.range):
            # One dict is written for many entries: this one stands where its function does.
            entry = replace(entry, range=function.value.range)
        description, approval = entry.item("description"), entry.item("require_approval")
        effective: str | None = None
        if name is not None and not name.value.is_none:
            known = name.value.constant
            effective, place = (known if isinstance(known, str) else None), name.value.range
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

    def _item(self, key: Element | None, value: Element) -> Item:
        read = self._value(value)
        if key is None:
            return Item(value.lines, None, read.range, "**", read)
        written = self._value(key)
        text = written.constant
        bare = written.name if written.name in KEYS and not self._bindings.knows(written.name) else None
        known = written.kind is ValueKind.CONSTANT
        return Item(
            key.lines,
            text if isinstance(text, str) else written.words if known else None,
            written.range,
            written.words,
            read,
            bare,
        )

    def _value(self, element: Element) -> Value:
        """A value of a dict entry; a name for a constant is as good as the constant."""
        meant = element.meant()
        at = constant(meant, self._bindings)
        value = read_element(meant)
        if at is not meant and isinstance(at.node, ast.Constant | ast.JoinedStr):
            known = read_element(at)
            # At the name: what is said of it is said where the entry is written, and only there it can be changed.
            return replace(known, range=value.range, source=meant)
        if value.kind in (ValueKind.F_STRING, ValueKind.COMPUTED, ValueKind.ATTRIBUTE):
            text = text_of(meant, self._bindings)
            if text is not None:
                told = read_value(ast.copy_location(ast.Constant(text), meant.node), meant.lines)
                return replace(told, range=value.range, source=meant)
        return value

    def _function_name(self, value: Value) -> tuple[str | None, Range]:
        """The `__name__` that a function reference will have, and where that is written."""
        found = targets(value.source, self._bindings)
        if (given := self._given_name(value.source)) is not None:
            return given, value.range
        if found:
            first = found[0]
            own = first.name is not None and first.home is None and first.owner is None
            return first.name, first.name_range if own else value.range
        if value.kind is ValueKind.ATTRIBUTE and value.name:
            return value.name.rpartition(".")[2], value.range
        return self._bound_name(value)

    def _given_name(self, source: Element | None) -> str | None:
        """The name that a statement of the module gives to a function: `f.__name__ = "g"`."""
        at = None if source is None else source.meant()
        if at is None or not isinstance(at.node, ast.Name) or at.function is not None:
            return None
        known = bindings_at(at, self._bindings)
        for placed in sorted(known.changers.get(at.node.id, ()), key=lambda placed: -placed.first):
            for statement in reversed(placed.chunk.statements):
                named = _named_by(statement, at.node.id)
                if named is None:
                    continue
                written = Element(named, placed.chunk.lines, home=at.home, shown=at.shown)
                if isinstance(named, ast.Constant):
                    return named.value if isinstance(named.value, str) else None
                return next((target.name for target in targets(written, self._bindings)), None)
        return None

    def _bound_name(self, value: Value) -> tuple[str | None, Range]:
        """The name of a class, or of what comes from elsewhere."""
        name = value.name
        known = self._bindings if value.source is None else bindings_at(value.source, self._bindings)
        for _ in range(_ALIAS_STEPS):
            definition = known.effective(name) if name else None
            if definition is None:
                break
            if definition.kind in (Binding.FUNCTION, Binding.CLASS):
                return definition.name, definition.name_range
            if definition.kind is Binding.IMPORT:
                return definition.original or definition.name, value.range
            name = definition.original
        return name, value.range


def _named_by(statement: ast.stmt, name: str) -> ast.expr | None:
    """What gives a function its name: the string of `f.__name__ = "g"`, the `g` of `update_wrapper(f, g)`."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        return statement.value if dotted(statement.targets[0]) == f"{name}.__name__" else None
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call) and len(call.args) > 1 and dotted(call.args[0]) == name:
        return call.args[1] if (dotted(call.func) or "").rpartition(".")[2] == "update_wrapper" else None
    return None


def _pair(at: Element, keyword: ast.keyword) -> tuple[Element | None, Element]:
    """`dict(name=value)`: the name as the key that it will be."""
    if keyword.arg is None:
        return None, at.of(keyword.value)
    key = ast.Constant(
        keyword.arg,
        lineno=keyword.lineno,
        col_offset=keyword.col_offset,
        end_lineno=keyword.lineno,
        end_col_offset=keyword.col_offset + len(keyword.arg.encode()),
    )
    return at.of(key), at.of(keyword.value)


def _override(description: Item | None) -> str | None:
    """As `Entry.description`; for a constant of another type the runtime takes the docstring."""
    if description is None:
        return None
    value = description.value
    if value.kind is ValueKind.CONSTANT:
        return value.constant if isinstance(value.constant, str) else None
    return None if value.kind is ValueKind.CONTAINER else ""
