"""Text → ToolFile."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace

from adal_ls.lint.bindings import Binding, Bindings, join
from adal_ls.lint.chunks import LIST_NAME, Chunk, must_be_judged_whole, problem_of_whole, read_chunks, syntax_problems
from adal_ls.lint.entries import Element, read_entry
from adal_ls.lint.model import Computed, ToolFile, ToolList
from adal_ls.lint.parsing import SyntaxProblem
from adal_ls.lint.text import Lines, Range
from adal_ls.lint.values import Value, ValueKind, read_value


def read(text: str) -> ToolFile:
    """Read a tools file; never raises. What Python refuses is in `syntax`, and all the rest is read."""
    return join_chunks(tuple(read_chunks(text)))


def join_chunks(chunks: tuple[Chunk, ...]) -> ToolFile:
    """A file of chunks that are numbered as its lines are."""
    bindings = join(chunk.bound for chunk in chunks)
    return ToolFile(chunks, bindings, read_list(chunks, bindings), _problems(chunks))


def read_list(chunks: Iterable[Chunk], bindings: Bindings) -> ToolList:
    """CUSTOM_TOOLS, as the chunks of a file make it."""
    tools, elements = read_elements(chunks, bindings)
    return replace(tools, entries=tuple(read_entry(element, bindings) for element in elements))


def read_elements(chunks: Iterable[Chunk], bindings: Bindings) -> tuple[ToolList, tuple[Element, ...]]:
    """The list without its entries, and what they are to be read from."""
    reader = _ListReader(bindings)
    for chunk in chunks:
        if chunk.changes_list:
            reader.read(chunk)
    return reader.tools, tuple(reader.elements)


def _problems(chunks: tuple[Chunk, ...]) -> tuple[SyntaxProblem, ...]:
    found = tuple(syntax_problems((chunk.lines.first, chunk) for chunk in chunks if chunk.is_troubled))
    doubtful = [chunk for chunk in chunks if chunk.is_doubtful]
    if found or not doubtful or not must_be_judged_whole(chunks, doubtful):
        return found
    problem = problem_of_whole("".join(chunk.text for chunk in chunks))
    return () if problem is None else (problem,)


class _ListReader:
    """Follows CUSTOM_TOOLS through the top-level statements; the last assignment wins."""

    def __init__(self, bindings: Bindings) -> None:
        self._lines = Lines("")
        self._bindings = bindings
        self.tools = ToolList()
        self.elements: list[Element] = []

    def _clear(self) -> None:
        self.tools = ToolList()
        self.elements.clear()

    def read(self, chunk: Chunk) -> None:
        self._lines = chunk.lines
        # A stack, not recursion: a long chain of `elif` is as deep as it is long.
        stack = [(statement, False) for statement in reversed(chunk.parsed.body)]
        while stack:
            node, conditional = stack.pop()
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                self._statement(node, conditional=conditional)
                stack.extend((child, True) for child in reversed([*_bodies(node)]))

    def _statement(self, node: ast.stmt, *, conditional: bool) -> None:
        if (value := _assigned(node)) is not None:
            self._assign(node, value, conditional=conditional)
        elif isinstance(node, ast.AugAssign) and _is_list(node.target):
            if isinstance(node.op, ast.Add):
                self._add(node, node.value, conditional=conditional)
            else:
                self._compute(self._lines.range_of(node), "changed here")
        elif isinstance(node, ast.Delete) and any(_is_list(target) for target in node.targets) and not conditional:
            self._clear()
        elif isinstance(node, ast.Expr | ast.Assign | ast.Import | ast.ImportFrom):
            self._mention(node)
        else:
            self._bound_by_clause(node)

    def _assign(self, node: ast.stmt, value: ast.expr, *, conditional: bool) -> None:
        if conditional and self.tools.range is not None:
            self.elements = [replace(element, conditional=True) for element in self.elements]
        else:
            self._clear()
        self._add(node, value, conditional=conditional)

    def _add(self, node: ast.stmt, value: ast.expr, *, conditional: bool) -> None:
        place = self._lines.range_of(node)
        if self.tools.range is None or not isinstance(node, ast.AugAssign):
            self.tools = replace(self.tools, range=place)
        if conditional:
            self._compute(place, "assigned under a condition")
        for part in _operands(value):
            self._part(part, conditional=conditional)

    def _part(self, value: ast.expr, *, conditional: bool) -> None:
        if isinstance(value, ast.List | ast.Tuple):
            self.elements += (Element(node, self._lines, conditional) for node in value.elts)
            return
        read = read_value(value, self._lines)
        if self._is_wrong(value, read) and self.tools.wrong is None:
            self.tools = replace(self.tools, wrong=read)
        elif self.tools.wrong is None:
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
                self._clear()
                self.tools = ToolList(range=self._lines.range_of(node))
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
        computed = (*self.tools.computed, Computed(place, what))
        self.tools = replace(self.tools, computed=computed, range=self.tools.range or place)


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
