"""Text → ToolFile."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from adal_ls.lint.bindings import Binding, Bindings, collect
from adal_ls.lint.model import KEYS, Computed, Entry, EntryKind, Item, ToolFile, ToolList
from adal_ls.lint.parsing import parse
from adal_ls.lint.text import Lines, Range
from adal_ls.lint.values import Value, ValueKind, read_value

LIST_NAME = "CUSTOM_TOOLS"
_ALIAS_STEPS = 10


def read(text: str) -> ToolFile:
    """Read a tools file; never raises. What Python refuses is in `syntax`, and all the rest is read."""
    parsed = parse(text)
    lines = parsed.lines
    bindings = collect(parsed.module, lines, parsed.unreadable)
    tools = _ListReader(lines, bindings).read(parsed.module)
    return ToolFile(text, lines, parsed.module, bindings, tools, parsed.problems, parsed.unreadable)


class _ListReader:
    """Follows CUSTOM_TOOLS through the top-level statements; the last assignment wins."""

    def __init__(self, lines: Lines, bindings: Bindings) -> None:
        self._lines = lines
        self._bindings = bindings
        self._list = ToolList()

    def read(self, module: ast.Module) -> ToolList:
        # A stack, not recursion: a long chain of `elif` is as deep as it is long.
        stack = [(statement, False) for statement in reversed(module.body)]
        while stack:
            node, conditional = stack.pop()
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                self._statement(node, conditional=conditional)
                stack.extend((child, True) for child in reversed(list(_bodies(node))))
        return self._list

    def _statement(self, node: ast.stmt, *, conditional: bool) -> None:
        if (value := _assigned(node)) is not None:
            self._assign(node, value, conditional=conditional)
        elif isinstance(node, ast.AugAssign) and _is_list(node.target):
            if isinstance(node.op, ast.Add):
                self._add(node, node.value, conditional=conditional)
            else:
                self._compute(self._lines.range_of(node), "changed here")
        elif isinstance(node, ast.Delete) and any(_is_list(target) for target in node.targets) and not conditional:
            self._list = ToolList()
        elif isinstance(node, ast.Expr | ast.Assign | ast.Import | ast.ImportFrom):
            self._mention(node)
        else:
            self._bound_by_clause(node)

    def _assign(self, node: ast.stmt, value: ast.expr, *, conditional: bool) -> None:
        if conditional and self._list.range is not None:
            kept = tuple(replace(entry, conditional=True) for entry in self._list.entries)
            self._list = replace(self._list, entries=kept)
        else:
            self._list = ToolList()
        self._add(node, value, conditional=conditional)

    def _add(self, node: ast.stmt, value: ast.expr, *, conditional: bool) -> None:
        place = self._lines.range_of(node)
        if self._list.range is None or not isinstance(node, ast.AugAssign):
            self._list = replace(self._list, range=place)
        if conditional:
            self._compute(place, "assigned under a condition")
        for part in _operands(value):
            self._part(part, conditional=conditional)

    def _part(self, value: ast.expr, *, conditional: bool) -> None:
        if isinstance(value, ast.List | ast.Tuple):
            entries = (self._entry(element, conditional=conditional) for element in value.elts)
            self._list = replace(self._list, entries=(*self._list.entries, *entries))
            return
        read = read_value(value, self._lines)
        if self._is_wrong(value, read) and self._list.wrong is None:
            self._list = replace(self._list, wrong=read)
        elif self._list.wrong is None:
            self._compute(read.range, "computed")

    def _is_wrong(self, node: ast.expr, value: Value) -> bool:
        if isinstance(node, ast.ListComp):
            return False
        if value.kind is ValueKind.NAME:
            definition = self._bindings.effective(value.name or "")
            return definition is not None and definition.kind is Binding.FUNCTION and not self._bindings.open
        return value.kind not in (ValueKind.COMPUTED, ValueKind.ATTRIBUTE, ValueKind.PARTIAL)

    def _mention(self, node: ast.stmt) -> None:
        """Statements that change the list in other ways: `CUSTOM_TOOLS.append(f)`, `CUSTOM_TOOLS[0] = f`, imports."""
        if isinstance(node, ast.Import | ast.ImportFrom):
            touched = any((alias.asname or alias.name) == LIST_NAME for alias in node.names)
            if touched:
                self._list = ToolList(range=self._lines.range_of(node))
        elif isinstance(node, ast.Assign):
            touched = any(_is_list(inner) for target in node.targets for inner in ast.walk(target))
        else:
            call = node.value if isinstance(node, ast.Expr) else None
            touched = isinstance(call, ast.Call) and any(_is_list(inner) for inner in ast.walk(call))
        if touched:
            self._compute(
                self._lines.range_of(node), "changed here" if not isinstance(node, ast.ImportFrom) else "imported"
            )

    def _bound_by_clause(self, node: ast.stmt) -> None:
        for name, target in ast.iter_fields(node):
            if name in ("target", "items") and any(
                _is_list(inner) for part in _nodes(target) for inner in ast.walk(part)
            ):
                self._compute(self._lines.range_of(node), "assigned here")

    def _compute(self, place: Range, what: str) -> None:
        computed = (*self._list.computed, Computed(place, what))
        self._list = replace(self._list, computed=computed, range=self._list.range or place)

    def _entry(self, node: ast.expr, *, conditional: bool) -> Entry:
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


def _is_list(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == LIST_NAME


def _assigned(node: ast.stmt) -> ast.expr | None:
    """The value that a statement assigns to CUSTOM_TOOLS."""
    if isinstance(node, ast.Assign) and any(_is_list(target) for target in node.targets):
        return node.value
    return node.value if isinstance(node, ast.AnnAssign) and _is_list(node.target) else None


def _operands(value: ast.expr) -> list[ast.expr]:
    """The parts of `a + b + c`, in order."""
    parts: list[ast.expr] = []
    while isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        parts.append(value.right)
        value = value.left
    parts.append(value)
    return parts[::-1]


def _nodes(value: object) -> list[ast.AST]:
    return [node for node in (value if isinstance(value, list) else [value]) if isinstance(node, ast.AST)]


def _bodies(node: ast.stmt) -> Iterator[ast.stmt]:
    """The statements inside a compound statement, clauses included."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child
        elif isinstance(child, ast.ExceptHandler | ast.match_case):
            yield from child.body
