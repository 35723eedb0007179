"""Which names of a file have to be followed to know what is in a list."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from adal_ls.lint.lists.changes import may_change
from adal_ls.lint.modules.bindings import Binding, Bindings, Function, Placed


class FollowedNames:
    """The names to follow: the list, those it is made of, and the functions that change one of them."""

    def __init__(self, name: str, bindings: Bindings) -> None:
        self.name = name
        self._bindings = bindings
        self.names: set[str] = set()
        self.mutators: dict[str, Function] = {}
        self._placed: dict[int, Placed] = {}
        waiting = [name]
        while waiting:
            name = waiting.pop()
            if name in self.names:
                continue
            self.names.add(name)
            for placed in (*bindings.changers.get(name, ()), *self._starred(name)):
                self._placed[id(placed.chunk)] = placed
                waiting += self._made_of(placed, name)

    def statements(self) -> list[Placed]:
        return sorted(self._placed.values(), key=lambda placed: placed.first)

    def _starred(self, name: str) -> Iterable[Placed]:
        """The statements that may bring a name by `import *`."""
        found = self._bindings.definitions.get(name, ())
        return self._bindings.changers.get("*", ()) if any(d.kind is Binding.IMPORT for d in found) else ()

    def _made_of(self, placed: Placed, name: str) -> Iterator[str]:
        for statement in placed.chunk.statements:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                if changes(statement, name):
                    self.mutators[statement.name] = statement
                    yield statement.name
            else:
                yield from (one for one in self._sources(statement, name) if self._is_list(one))

    def _sources(self, statement: ast.stmt, name: str) -> Iterator[str]:
        """Names whose lists a statement may put into that of `name`."""
        for inner in _simple(statement):
            if isinstance(inner, ast.For):
                yield from _listed_names(inner.iter)
            if isinstance(inner, ast.Assign):
                targets = [target.id for target in inner.targets if isinstance(target, ast.Name)]
                if name in targets or (isinstance(inner.value, ast.Name) and inner.value.id == name):
                    yield from targets  # other names for the same list
            value = getattr(inner, "value", None)
            if isinstance(inner, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr) and value is not None:
                yield from () if _adds_one(value) else _listed_names(value)

    def _is_list(self, name: str) -> bool:
        found = self._bindings.definitions.get(name, ())
        return any(
            definition.kind in (Binding.OTHER, Binding.ALIAS)
            or (definition.original is not None and self._is_beside(definition.module))
            for definition in found
        )

    def _is_beside(self, module: str | None) -> bool:
        return module is not None and self._bindings.around.imported(module) is not None


def changes(function: Function, name: str) -> bool:
    """Whether the body of a function may change what a name of the module holds."""
    arguments = function.args
    own = {one.arg for one in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]}
    declared = any(isinstance(inner, ast.Global) and name in inner.names for inner in ast.walk(function))
    if declared:
        return True
    for inner in ast.walk(function):
        if isinstance(inner, ast.Name) and inner.id == name and isinstance(inner.ctx, ast.Store):
            return False
    return name not in own and any(may_change(statement, name) for statement in function.body)


def _adds_one(value: ast.expr) -> bool:
    """`NAME.append(f)`: what it adds is an element."""
    return isinstance(value, ast.Call) and getattr(value.func, "attr", "") in ("append", "insert", "remove")


def _listed_names(value: ast.expr) -> Iterator[str]:
    """The names in an expression whose lists it may take elements from; names that are elements are not among them."""
    stack: list[ast.AST] = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.List | ast.Tuple | ast.Set):
            stack += [one for one in node.elts if isinstance(one, ast.Starred | ast.List | ast.Tuple)]
        elif isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp):
            stack += [loop.iter for loop in node.generators]
            if len(node.generators) > 1:  # lists of lists
                stack += _members(loop.iter for loop in node.generators)
        elif isinstance(node, ast.Call):
            stack += [*node.args, node.func, *_members(node.args)]
        elif not isinstance(node, ast.Dict | ast.DictComp | ast.Lambda | ast.Constant):
            stack += ast.iter_child_nodes(node)


def _members(nodes: Iterable[ast.expr]) -> list[ast.expr]:
    """The names in displays, which may be lists themselves."""
    displays = (node for node in nodes if isinstance(node, ast.List | ast.Tuple))
    return [one for display in displays for one in display.elts if isinstance(one, ast.Name)]


def _simple(statement: ast.stmt) -> Iterator[ast.stmt]:
    """A statement and those inside of it, definitions apart."""
    stack = [statement]
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            stack += (inner for body in bodies_of(node) for inner in body)


def bodies_of(node: ast.stmt) -> Iterator[Sequence[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        if body := getattr(node, name, None):
            yield body
    for clause in [*getattr(node, "handlers", ()), *getattr(node, "cases", ())]:
        yield clause.body
