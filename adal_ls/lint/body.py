"""What a function or a top-level statement does, as far as its calls tell."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from adal_ls.lint.modules.names import LocalNames, Names

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)

_BINDING = frozenset(
    {ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.withitem, ast.For, ast.AsyncFor}
    | {ast.comprehension, ast.Tuple, ast.List, ast.AugAssign, ast.ExceptHandler, ast.MatchAs, ast.MatchStar}
    | {ast.ClassDef}
)
_LEAVES = frozenset({ast.Name, ast.Constant, ast.Pass, str, type(None)})
_NO_NODES = frozenset(
    {"ctx", "op", "ops", "name", "attr", "id", "arg", "module", "level", "kind", "type_comment", "conversion"}
    | {"asname", "is_async", "simple", "tag", "rest", "kwd_attrs"}
)
"""Fields that hold no nodes with calls in them."""
_fields: dict[type[ast.AST], tuple[str, ...]] = {ast.Constant: (), ast.MatchSingleton: ()}
"""Type of a node → its fields that may hold some, as far as types were met."""


class Call(NamedTuple):
    """One call of something known. `target` is where it comes from, such as "subprocess.run"; a raised SystemExit
    counts as a call of it. `deferred`: inside a nested function, a lambda or `if __name__ == "__main__"`, so that it
    does not happen when the code around it runs."""

    target: str
    node: ast.expr
    deferred: bool

    @property
    def arguments(self) -> list[ast.expr]:
        """The positional arguments."""
        return self.node.args if isinstance(self.node, ast.Call) else []

    def keyword(self, name: str) -> ast.expr | None:
        """The value of a keyword argument."""
        keywords = self.node.keywords if isinstance(self.node, ast.Call) else []
        return next((keyword.value for keyword in keywords if keyword.arg == name), None)


class Body:
    """The calls in some statements. Nothing but the statements and `names` goes in."""

    def __init__(self, node: ast.stmt, names: Names) -> None:
        self._names = LocalNames(names)
        self._node = node

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """In the order of the text, those whose target can be told."""
        found: list[tuple[ast.expr, bool]] = []
        names: Names = self._names
        if isinstance(self._node, ast.FunctionDef | ast.AsyncFunctionDef):
            self._bind_arguments(self._node.args)
            for statement in self._node.body:
                self._walk(statement, found, local=True)
        else:
            local = isinstance(self._node, ast.ClassDef)
            self._walk(self._node, found, local=local)
        calls = [
            Call(target, node, deferred)
            for node, deferred in found
            if (target := names.origin(node.func if isinstance(node, ast.Call) else node))
        ]
        return tuple(sorted(calls, key=lambda call: (call.node.lineno, call.node.col_offset)))

    def _walk(self, start: ast.AST, found: list[tuple[ast.expr, bool]], *, local: bool) -> None:
        stack: list[tuple[ast.AST, bool, bool]] = [(start, False, local)]
        while stack:
            node, deferred, inside = stack.pop()
            if isinstance(node, ast.Call):
                found.append((node, deferred))
            elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Name):
                if self._names.root(node.exc.id) == "builtins.SystemExit":
                    found.append((node.exc, deferred))
            elif isinstance(node, _FUNCTIONS):
                self._bind_arguments(node.args)
                if inside and not isinstance(node, ast.Lambda):
                    self._names.bind(node.name, None)
                stack.extend((part, deferred, inside) for part in _outside(node))
                body = node.body if isinstance(node.body, list) else [node.body]
                stack.extend((part, True, True) for part in body)
                continue
            elif isinstance(node, ast.If) and is_main(node):
                deferred = True
            if inside and type(node) in _BINDING:
                self._bind(node)
            stack += [(child, deferred, inside) for child in _children(node)]

    def _bind_arguments(self, arguments: ast.arguments) -> None:
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        for argument in every:
            annotation = argument.annotation
            known = self._names.origin(annotation) if annotation is not None else None
            self._names.bind(argument.arg, "pathlib.Path()" if known == "pathlib.Path" else None)
        for star in (arguments.vararg, arguments.kwarg):
            if star is not None:
                self._names.bind(star.arg, None)

    def _bind(self, node: ast.AST) -> None:
        """The names that one node binds, its children aside."""
        bind = self._names.bind
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                bind(alias.asname or top, alias.name if alias.asname else top)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                bind(alias.asname or alias.name, f"{'.' * node.level}{node.module or ''}.{alias.name}")
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name) and node.value is not None:
                    bind(target.id, node.value)
        elif isinstance(node, ast.withitem):
            if isinstance(node.optional_vars, ast.Name):
                bind(node.optional_vars.id, node.context_expr)
        elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            for name in _stored(node.target):
                bind(name, None)
        elif isinstance(node, ast.Tuple | ast.List) and isinstance(node.ctx, ast.Store):
            for name in _stored(node):
                bind(name, None)
        elif isinstance(node, ast.AugAssign):
            for name in _stored(node.target):
                bind(name, None)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar | ast.ClassDef) and node.name:
            bind(node.name, None)


def _children(node: ast.AST) -> list[ast.AST]:
    """As `ast.iter_child_nodes`, which is several times slower, without the nodes that hold nothing."""
    fields = _fields.get(type(node))
    if fields is None:
        fields = _fields[type(node)] = tuple(name for name in node._fields if name not in _NO_NODES)
    found: list[ast.AST] = []
    for name in fields:
        value = getattr(node, name, None)
        if type(value) is list:
            found += [item for item in value if type(item) not in _LEAVES]
        elif type(value) not in _LEAVES:
            found.append(value)  # type: ignore[arg-type]
    return found


def is_main(node: ast.If) -> bool:
    """Whether it is `if __name__ == "__main__":`, which loading the file as a module passes by."""
    test = node.test
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"


def _outside(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> Iterator[ast.AST]:
    """What runs when the function is made, not when it is called."""
    yield from (default for default in (*node.args.defaults, *node.args.kw_defaults) if default is not None)
    if not isinstance(node, ast.Lambda):
        yield from node.decorator_list


def _stored(target: ast.AST) -> Iterator[str]:
    return (node.id for node in ast.walk(target) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
