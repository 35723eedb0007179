"""Where a name of the top level is written in a module: definitions, uses, imports of it, `__all__`.

Scopes are followed: a parameter or a local variable of the same name is another thing.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from adal_ls import naming
from adal_ls.lint.reading.text import Lines, Range

_Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_IN_BRACES = re.compile(r"(?<!\{)\{(?!\{)[^{}]*\}")


class Role(Enum):
    DEFINITION = "definition"
    USE = "use"
    IMPORT = "import"  # `from pack import f`
    ORIGINAL = "original"  # `f` in `from pack import f as g`: what another module calls it
    ATTRIBUTE = "attribute"  # `f` in `pack.f`
    TEXT = "text"  # a string that names it, in `__all__`


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One place where a name is written."""

    range: Range
    role: Role


def of_name(module: ast.Module, lines: Lines, name: str) -> list[Occurrence]:
    """Every place that means the top-level `name` of a module, in order; none in statements that cannot be read."""
    return sorted(set(_Search(lines, name).read(module)), key=lambda found: found.range)


def of_attribute(module: ast.Module, lines: Lines, base: str, name: str) -> list[Occurrence]:
    """Every `base.name`, where `base` is a dotted name as it is written: the places of `name`."""
    found = []
    for node in ast.walk(module):
        if isinstance(node, ast.Attribute) and node.attr == name and ast.unparse(node.value) == base:
            end = lines.range_of(node).end
            place = Range(end._replace(column=end.column - len(name)), end)
            if lines.slice(place) == name:
                found.append(Occurrence(place, Role.ATTRIBUTE))
    return sorted(found, key=lambda occurrence: occurrence.range)


@dataclass(frozen=True, slots=True)
class Imported:
    """`from module import original as name`: `module` has a leading dot for each level up; `place` is `original`."""

    module: str
    original: str
    name: str
    place: Range


def imports_from(module: ast.Module, lines: Lines) -> Iterator[Imported]:
    """The names that a module imports by name, wherever in it."""
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                start = lines.range_of(alias).start
                place = lines.span(start, len(alias.name))
                yield Imported("." * node.level + (node.module or ""), alias.name, alias.asname or alias.name, place)


def star_imports(module: ast.Module) -> Iterator[str]:
    """The modules of which a module imports all names, leading dots as they are written."""
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            yield "." * node.level + (node.module or "")


def imports_of(module: ast.Module) -> Iterator[tuple[str, str]]:
    """The modules that a module imports whole: their dotted name, and what it calls them."""
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, alias.asname or alias.name


class _Search:
    def __init__(self, lines: Lines, name: str) -> None:
        self._lines = lines
        self._name = name

    def read(self, module: ast.Module) -> Iterator[Occurrence]:
        # A stack, not recursion: a chain of operators is as deep as it is long. Each node comes with whether a scope
        # around it has the name for itself, and with the f-string it stands in.
        stack: list[tuple[ast.AST, bool, ast.JoinedStr | None]]
        stack = [(statement, False, None) for statement in self._mentioning(module)]
        while stack:
            node, hidden, string = stack.pop()
            if not hidden:
                yield from self._here(node, string)
            string = node if isinstance(node, ast.JoinedStr) and string is None else string
            if isinstance(node, _Scope):
                outside, inside = _sides(node)
                # What a class body binds is not seen by its methods.
                own = hidden or self._is_local(node)
                stack += [(child, hidden, string) for child in outside]
                if isinstance(node, ast.ClassDef):
                    stack += [(child, hidden if isinstance(child, _Scope) else own, string) for child in inside]
                else:
                    stack += [(child, own, string) for child in inside]
            elif isinstance(node, _Comprehension):
                own = hidden or any(self._stores(part.target) for part in node.generators)
                first = node.generators[0].iter  # evaluated outside
                rest = [child for child in _children(node) if child is not first]
                stack += [(first, hidden, string), *((child, own, string) for child in rest)]
            else:
                stack += [(child, hidden, string) for child in _children(node)]

    def _mentioning(self, module: ast.Module) -> list[ast.stmt]:
        """The top-level statements that can hold the name: a large file has few that do."""
        if not self._lines.text.isascii():
            return module.body  # the name can be written in other characters that are equal in NFKC
        places = re.finditer(rf"\b{re.escape(self._name)}\b", self._lines.text)
        lines = sorted({self._lines.position(match.start()).line for match in places})
        found = []
        for statement in module.body:
            first = min([statement.lineno, *(one.lineno for one in getattr(statement, "decorator_list", ()))]) - 1
            at = bisect_left(lines, first)
            if at < len(lines) and lines[at] < (statement.end_lineno or statement.lineno):
                found.append(statement)
        return found

    def _here(self, node: ast.AST, string: ast.JoinedStr | None) -> Iterator[Occurrence]:
        name = self._name
        if isinstance(node, ast.Name) and node.id == name:
            role = Role.USE if isinstance(node.ctx, ast.Load) else Role.DEFINITION
            yield from self._written(self._lines.range_of(node), role, string)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name == name:
            yield Occurrence(self._lines.name_of(node), Role.DEFINITION)
        elif isinstance(node, ast.ImportFrom | ast.Import):
            for alias in node.names:
                if alias.asname is None and alias.name == name:
                    yield Occurrence(self._lines.span(self._lines.range_of(alias).start, len(name)), Role.IMPORT)
                elif alias.asname == name:
                    end = self._lines.range_of(alias).end
                    yield Occurrence(Range(end._replace(column=end.column - len(name)), end), Role.DEFINITION)
        elif isinstance(node, ast.Global) and name in node.names:
            whole = self._lines.range_of(node)
            yield from (Occurrence(place, Role.USE) for place in self._words(whole))
        elif isinstance(node, ast.Assign | ast.AugAssign) and _is_all(node):
            for part in ast.walk(node.value):
                if isinstance(part, ast.Constant) and part.value == name:
                    yield from (Occurrence(place, Role.TEXT) for place in self._words(self._lines.range_of(part)))

    def _written(self, place: Range, role: Role, string: ast.JoinedStr | None) -> Iterator[Occurrence]:
        if naming.canonical(self._lines.slice(place)) == self._name:
            yield Occurrence(place, role)
        elif string is not None:
            # Before Python 3.12 places inside f-strings can be wrong; the string's own place is right.
            whole = self._lines.range_of(string)
            start = self._lines.offset(whole.start)
            for braces in _IN_BRACES.finditer(self._lines.slice(whole)):
                inside = self._lines.range(start + braces.start(), start + braces.end())
                yield from (Occurrence(found, role) for found in self._words(inside))

    def _words(self, place: Range) -> Iterator[Range]:
        start = self._lines.offset(place.start)
        for match in re.finditer(rf"\b{re.escape(self._name)}\b", self._lines.slice(place)):
            yield self._lines.range(start + match.start(), start + match.end())

    def _is_local(self, scope: _Scope) -> bool:
        """Whether the scope binds the name for itself."""
        if not isinstance(scope, ast.ClassDef):
            given = scope.args
            parameters = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
            if any(parameter is not None and parameter.arg == self._name for parameter in parameters):
                return True
        if isinstance(scope, ast.Lambda):
            return self._binds([scope.body])
        return self._binds(scope.body)

    def _binds(self, body: list[ast.stmt] | list[ast.expr]) -> bool:
        stack: list[ast.AST] = list(body)
        bound = False
        while stack:
            node = stack.pop()
            if isinstance(node, ast.Global) and self._name in node.names:
                return False
            bound = bound or self._binds_itself(node)
            if isinstance(node, _Scope):
                stack += _sides(node)[0]
            else:
                stack += _children(node)
        return bound

    def _binds_itself(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Name):
            return node.id == self._name and not isinstance(node.ctx, ast.Load)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            return node.name == self._name
        if isinstance(node, ast.Import | ast.ImportFrom):
            return any((alias.asname or alias.name.partition(".")[0]) == self._name for alias in node.names)
        if isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
            return node.name == self._name
        return False

    def _stores(self, target: ast.expr) -> bool:
        return any(self._binds_itself(node) for node in ast.walk(target))


def _sides(node: _Scope) -> tuple[list[ast.AST], list[ast.AST]]:
    """The parts of a scope that belong to the scope around it, and its own."""
    if isinstance(node, ast.Lambda):
        return [node.args], [node.body]
    inside: list[ast.AST] = list(node.body)
    return [child for child in _children(node) if not any(child is own for own in node.body)], inside


def _children(node: ast.AST) -> list[ast.AST]:
    return list(ast.iter_child_nodes(node))


def _is_all(node: ast.Assign | ast.AugAssign) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets)
