"""Which function an expression means: through aliases, objects, partials, and the modules beside the file."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from adal_ls.lint.lists.elements import NOTHING, Element, dotted
from adal_ls.lint.lists.following import bindings_at, call, only, through
from adal_ls.lint.modules.bindings import Binding, Bindings, Definition, Function
from adal_ls.lint.reading.text import Lines, Range

if TYPE_CHECKING:
    from adal_ls.lint.modules.around import Sibling

_STEPS = 12  # names may be defined through each other


@dataclass(frozen=True, slots=True)
class Target:
    """A function, and what a caller of the tool does not give: `filled` parameters from the first, and those `named`.

    `name` is its `__name__`, None where it has none of its own. `unbound`: a method through its class `owner`, so that
    nothing fills its first parameter. `home` is the module in which it is written, None for the file itself.
    """

    name: str | None
    node: Function | ast.Lambda | None
    """None where it cannot be read."""
    lines: Lines | None = field(repr=False)
    name_range: Range
    range: Range
    home: Sibling | None = None
    filled: int = 0
    named: frozenset[str] = frozenset()
    owner: str | None = None
    unbound: bool = False
    made: bool = False
    """Made by a call: each time another object."""
    described: bool = False
    """It has no docstring of its own, and what it belongs to has one: that is what callers read."""


def targets(at: Element | None, bindings: Bindings) -> tuple[Target, ...]:
    """The functions that an expression may mean once the file has run: one, or one for each branch that defines it.

    None where it is something else, or cannot be told.
    """
    return () if at is None else tuple(_targets(at, bindings, 0))


def _targets(at: Element, bindings: Bindings, steps: int) -> Iterator[Target]:
    at = through(at, bindings)
    node = at.node
    if steps > _STEPS:
        return
    if at.function is not None:
        yield _defined(at.function, at.lines, at.home)
    elif isinstance(node, ast.Name):
        yield from _of_name(at, node.id, bindings, steps)
    elif isinstance(node, ast.Attribute):
        yield from _of_attribute(at, node, bindings)
    elif isinstance(node, ast.Lambda):
        place = at.lines.range_of(node)
        yield Target(None, node, at.lines, place, place, at.home)
    elif isinstance(node, ast.Call):
        yield from _of_call(at, node, bindings, steps)


def _of_name(at: Element, name: str, bindings: Bindings, steps: int) -> Iterator[Target]:
    known = bindings_at(at, bindings)
    effective = known.effective(name)
    if effective is None:
        return
    if effective.kind is Binding.ALIAS and effective.original is not None:
        yield from (
            _of_name(replace(at, given=NOTHING), effective.original, bindings, steps + 1) if steps < _STEPS else ()
        )
        return
    for definition in known.candidates(name):
        yield from _of_definition(at, definition, bindings, steps)


def _of_definition(at: Element, definition: Definition, bindings: Bindings, steps: int) -> Iterator[Target]:
    if definition.kind is Binding.FUNCTION:
        found = Target(
            definition.name, definition.node, definition.lines, definition.name_range, definition.range, at.home
        )
        yield found
    elif definition.value is not None and definition.lines is not None:
        inside = Element(definition.value, definition.lines, home=at.home, shown=at.shown)
        value = definition.value
        if isinstance(value, ast.Call) and (owner := _object(inside, value, bindings)) is not None:
            yield from _method(owner, "__call__", bindings, filled=1)
        else:
            yield from _targets(inside, bindings, steps + 1)


def _defined(node: Function, lines: Lines, home: Sibling | None) -> Target:
    return Target(node.name, node, lines, lines.name_of(node), lines.range_of(node), home)


def _of_attribute(at: Element, node: ast.Attribute, bindings: Bindings) -> Iterator[Target]:
    """`desk.find`, `Desk().find`, `Desk.find`."""
    base = at.of(node.value)
    for _ in range(_STEPS):
        base = through(base, bindings)
        if not isinstance(base.node, ast.Name) or base.function is not None:
            break
        definition = only(bindings_at(base, bindings), base.node.id)
        if definition is None:
            return
        if definition.owner is not None and definition.lines is not None:
            owner = _Class(definition.owner, definition.lines, base.home)
            yield from _method(owner, node.attr, bindings, filled=0)
            return
        if definition.value is None or definition.lines is None:
            return
        base = Element(definition.value, definition.lines, home=base.home, shown=base.shown)
    if isinstance(base.node, ast.Call) and (found := _object(base, base.node, bindings)) is not None:
        yield from _method(found, node.attr, bindings, filled=1)


@dataclass(frozen=True, slots=True)
class _Class:
    node: ast.ClassDef
    lines: Lines
    home: Sibling | None


def _object(at: Element, node: ast.Call, bindings: Bindings) -> _Class | None:
    """The class of which a call makes an object."""
    made = through(at.of(node.func), bindings)
    if not isinstance(made.node, ast.Name):
        return None
    definition = only(bindings_at(made, bindings), made.node.id)
    if definition is None or definition.owner is None or definition.lines is None:
        return None
    return _Class(definition.owner, definition.lines, made.home)


def _method(owner: _Class, name: str, bindings: Bindings, *, filled: int) -> Iterator[Target]:
    holder = _holder(owner, name, bindings, 0)
    if holder is None:
        return
    owner = holder
    for node in reversed(owner.node.body):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            kinds = {decorator.id for decorator in node.decorator_list if isinstance(decorator, ast.Name)}
            if "property" in kinds or "cached_property" in kinds:
                return
            static = "staticmethod" in kinds
            bound = 0 if static else 1 if "classmethod" in kinds else filled
            shown = node if name != "__call__" else _described(node, owner.node)
            found = replace(_defined(shown, owner.lines, owner.home), described=shown is not node)
            own = None if name == "__call__" else node.name
            unbound = not bound and not static
            yield replace(found, name=own, filled=bound, owner=owner.node.name, unbound=unbound)
            return


def _holder(owner: _Class, name: str, bindings: Bindings, steps: int) -> _Class | None:
    """The class that has a method of that name: `owner`, or the first of its bases that does; None where one cannot be
    read before that."""
    if steps > _STEPS:
        return None
    if any(getattr(node, "name", None) == name for node in owner.node.body):
        return owner
    for base in owner.node.bases:
        inner = _base(owner, base, bindings)
        if inner is None:
            return None
        found = _holder(inner, name, bindings, steps + 1)
        if found is not None:
            return found
    return None


def _base(owner: _Class, base: ast.expr, bindings: Bindings) -> _Class | None:
    at = through(Element(base, owner.lines, home=owner.home), bindings)
    if not isinstance(at.node, ast.Name):
        return None
    definition = only(bindings_at(at, bindings), at.node.id)
    if definition is None or definition.owner is None or definition.lines is None or definition.owner is owner.node:
        return None
    return _Class(definition.owner, definition.lines, at.home)


def _described(node: Function, owner: ast.ClassDef) -> Function:
    """A `__call__` with the docstring that a caller reads: its own, or that of its class."""
    text = ast.get_docstring(owner, clean=False)
    if text is None or ast.get_docstring(node, clean=False) is not None:
        return node
    described = copy(node)
    described.body = [ast.copy_location(ast.Expr(ast.Constant(text)), node.body[0]), *node.body]
    return described


def _of_call(at: Element, node: ast.Call, bindings: Bindings, steps: int) -> Iterator[Target]:
    called = (dotted(node.func) or "").rpartition(".")[2]
    if called == "partial":
        yield from _partial(at, node, bindings, steps)
        return
    if called == "wraps":
        return
    inner = call(at, node, bindings)
    if inner is not None:
        for target in _targets(inner, bindings, steps + 1):
            yield replace(target, made=True)
    elif (owner := _object(at, node, bindings)) is not None:
        for target in _method(owner, "__call__", bindings, filled=1):
            yield replace(target, made=True)


def _partial(at: Element, node: ast.Call, bindings: Bindings, steps: int) -> Iterator[Target]:
    if not node.args or any(isinstance(argument, ast.Starred) for argument in node.args):
        return
    if any(keyword.arg is None for keyword in node.keywords):
        return
    for target in _targets(at.of(node.args[0]), bindings, steps + 1):
        named = frozenset(keyword.arg for keyword in node.keywords if keyword.arg is not None)
        yield replace(
            target, made=True, name=None, filled=target.filled + len(node.args) - 1, named=target.named | named
        )
