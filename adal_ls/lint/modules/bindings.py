"""Which names a module binds at its top level, and to what, as far as that can be read."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, Protocol

from adal_ls.lint.modules.around import NOWHERE, Around
from adal_ls.lint.reading.pieces import Head
from adal_ls.lint.reading.text import Lines, Range

if TYPE_CHECKING:
    from adal_ls.lint.reading.chunks import Chunk

Function = ast.FunctionDef | ast.AsyncFunctionDef

_GLOBAL = re.compile(r"\bglobal[ \t]+(\w+(?:[ \t]*,[ \t]*\w+)*)")
# Names that come in by these are not written down anywhere.
_UNSEEN = re.compile(r"\b(?:globals|exec)[ \t]*\(")
_BROKEN_DEF = re.compile(r"(?:^|[\r\n])(?:async[ \t]+)?def[ \t]+(\w+)")
_BROKEN_CLASS = re.compile(r"(?:^|[\r\n])class[ \t]+(\w+)")
_STAR = re.compile(r"import[ \t]+\*")
_WORD = re.compile(r"\w+")


class Binding(Enum):
    FUNCTION = "function"
    CLASS = "class"
    IMPORT = "import"
    ALIAS = "alias"  # g = f
    OTHER = "other"  # assigned from an expression, a loop variable, ...


@dataclass(frozen=True, slots=True)
class Definition:
    """One place that binds a name. `conditional`: inside `if`, `try`, a loop or `with`, so others may hold instead."""

    name: str
    kind: Binding
    range: Range
    name_range: Range
    conditional: bool = False
    node: Function | None = field(default=None, compare=False, repr=False)
    owner: ast.ClassDef | None = field(default=None, compare=False, repr=False)
    """The class that it defines."""
    lines: Lines | None = field(default=None, compare=False, repr=False)
    """Those that the places of `node`, `owner` and `value` are told by."""
    original: str | None = None
    """What an import or alias calls it on the other side."""
    module: str | None = None
    """The module that an import brings, or brings the name from; leading dots as they are written."""
    value: ast.expr | None = field(default=None, compare=False, repr=False)
    """The expression that an assignment gives to it alone; its places are told by `lines`."""
    readable: bool = True
    type_checking: bool = False
    """Bound under `if TYPE_CHECKING:` only, which is false when the file runs."""


class Placed(Protocol):
    """A statement of the top level; `first` is the line on which it begins."""

    @property
    def first(self) -> int: ...

    @property
    def chunk(self) -> Chunk: ...


@dataclass(frozen=True, slots=True)
class Bindings:
    """All names of a module. `open`: other names can come in unseen, by a star import for example."""

    definitions: Mapping[str, tuple[Definition, ...]]
    open: bool
    unreadable: frozenset[str]
    """Names that stand in statements that could not be parsed, and so may be bound there."""
    changers: Mapping[str, Collection[Placed]] = field(default_factory=dict, compare=False, repr=False)
    """The statements that may change what a name holds (`Chunk.changes`), in any order."""
    around: Around = field(default=NOWHERE, compare=False, repr=False)

    def effective(self, name: str) -> Definition | None:
        """The definition that most likely holds when the module has run: the last, a function where branches differ."""
        return _effective(self.definitions.get(name, ()))

    def candidates(self, name: str) -> tuple[Definition, ...]:
        """The definitions that may hold when the module has run: the last, or one for each branch."""
        return _candidates(self.definitions.get(name, ()))

    def knows(self, name: str) -> bool:
        """Whether the name is bound, or may be."""
        return self.open or name in self.definitions or name in self.unreadable

    def functions(self) -> list[Definition]:
        """The functions of the module that hold at its end, in order, each name once."""
        found = [_effective(definitions) for definitions in self.definitions.values()]
        return sorted((d for d in found if d and d.kind is Binding.FUNCTION), key=lambda definition: definition.range)


class Bound(NamedTuple):
    """What one piece of a module binds. `words`: names that it may bind as well."""

    definitions: tuple[Definition, ...]
    words: frozenset[str]
    open: bool
    stars: tuple[Definition, ...] = ()
    """Imports of all names of a module; each is called "*"."""


def collect(body: Iterable[ast.stmt], lines: Lines) -> Bound:
    """What statements bind; `lines` are those of their text."""
    collector = _Collector(lines)
    definitions = tuple(collector.read(body))
    text = lines.text
    return Bound(definitions, _global_names(text), _UNSEEN.search(text) is not None, tuple(collector.stars))


def collect_unreadable(lines: Lines, head: Head) -> Bound:
    """What a text that cannot be parsed binds, as far as its words tell."""
    text = lines.text
    match = _BROKEN_DEF.search(text)
    definitions: tuple[Definition, ...] = ()
    if match is not None:
        place, name_range = lines.range(0, len(text)), lines.range(*match.span(1))
        definitions = (Definition(match[1], Binding.FUNCTION, place, name_range, readable=False),)
    if head in (Head.DEFINITION, Head.DECORATOR):  # the words of a body are no names of the module
        words = frozenset(found[1] for found in _BROKEN_CLASS.finditer(text))
    else:
        words = frozenset(_WORD.findall(text))
    is_open = _STAR.search(text) is not None or _UNSEEN.search(text) is not None
    return Bound(definitions, words | _global_names(text), is_open)


def starred(bound: Bound, around: Around) -> tuple[tuple[Definition, ...], bool]:
    """What a piece binds by `import *`, and whether it may bind other names."""
    if not bound.stars:
        return (), bound.open
    found: list[Definition] = []
    is_open = bound.open
    for star in bound.stars:
        module = around.imported(star.module or "")
        names = None if module is None else module.file.public_names
        if names is None:
            is_open = True
        else:
            found += (replace(star, name=name, original=name) for name in names)
    return tuple(found), is_open


def join(parts: Iterable[Bound], around: Around = NOWHERE) -> Bindings:
    """The bindings of a module from those of its pieces, in order."""
    found: dict[str, list[Definition]] = {}
    words: set[str] = set()
    is_open = False
    for part in parts:
        by_star, may_bind_more = starred(part, around)
        for definition in (*part.definitions, *by_star):
            found.setdefault(definition.name, []).append(definition)
        words |= part.words
        is_open = is_open or may_bind_more
    named = {name: tuple(definitions) for name, definitions in found.items()}
    return Bindings(named, is_open, frozenset(words), around=around)


def _global_names(text: str) -> frozenset[str]:
    if "global" not in text:
        return frozenset()
    return frozenset(word for match in _GLOBAL.finditer(text) for word in _WORD.findall(match[1]))


def is_type_checking(test: ast.expr) -> bool:
    """Whether a condition is `TYPE_CHECKING`, also as an attribute of `typing`."""
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


def _effective(definitions: tuple[Definition, ...]) -> Definition | None:
    if len(definitions) == 1:  # most names
        return definitions[0]
    candidates = _candidates(definitions)
    if candidates and not candidates[0].conditional:
        return candidates[0]
    return next((d for d in candidates if d.kind is Binding.FUNCTION), candidates[0] if candidates else None)


def _candidates(definitions: tuple[Definition, ...]) -> tuple[Definition, ...]:
    if len(definitions) == 1:
        return definitions
    last = max((index for index, d in enumerate(definitions) if not d.conditional), default=0)
    return definitions[last:]


class _Collector:
    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._walrus = ":=" in lines.text
        self.stars: list[Definition] = []

    def read(self, body: Iterable[ast.stmt]) -> Iterator[Definition]:
        stack: list[tuple[ast.AST, bool]] = [(statement, False) for statement in reversed([*body])]
        typing_only: set[int] = set()
        while stack:
            node, conditional = stack.pop()
            if isinstance(node, ast.If) and is_type_checking(node.test):
                typing_only.update(id(child) for child in node.body)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield self._definition(node, conditional)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                for definition in self._imported(node, conditional):
                    yield replace(definition, type_checking=id(node) in typing_only)
            elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
                yield from self._assigned(node, conditional)
            elif isinstance(node, ast.stmt | ast.excepthandler | ast.match_case):
                yield from self._named(node, conditional)
                children = [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr)]
                stack.extend((child, True) for child in reversed(children))

    def _definition(self, node: Function | ast.ClassDef, conditional: bool) -> Definition:
        whole = self._lines.range_of(node)
        name_range = self._lines.name_of(node)
        if isinstance(node, ast.ClassDef):
            return Definition(node.name, Binding.CLASS, whole, name_range, conditional, owner=node, lines=self._lines)
        return Definition(node.name, Binding.FUNCTION, whole, name_range, conditional, node, lines=self._lines)

    def _imported(self, node: ast.Import | ast.ImportFrom, conditional: bool) -> Iterator[Definition]:
        for alias in node.names:
            if alias.name == "*":
                place = self._lines.range_of(alias)
                module = f"{'.' * node.level}{node.module or ''}" if isinstance(node, ast.ImportFrom) else None
                self.stars.append(Definition("*", Binding.IMPORT, place, place, conditional, module=module))
                continue
            place = self._lines.range_of(alias)
            name = alias.asname or alias.name.partition(".")[0]
            if isinstance(node, ast.ImportFrom):
                original, module = alias.name, f"{'.' * node.level}{node.module or ''}"
            else:
                original, module = None, alias.name if alias.asname else name
            yield Definition(name, Binding.IMPORT, place, place, conditional, original=original, module=module)

    def _assigned(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign, conditional: bool) -> Iterator[Definition]:
        place = self._lines.range_of(node)
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if isinstance(node, ast.AnnAssign) and node.value is None:
            return
        for target in targets:
            alone = isinstance(target, ast.Name) and not isinstance(node, ast.AugAssign)
            aliased = node.value.id if alone and isinstance(node.value, ast.Name) else None
            kind = Binding.ALIAS if aliased else Binding.OTHER
            for name in _names(target):
                yield Definition(
                    name.id,
                    kind,
                    place,
                    self._lines.range_of(name),
                    conditional,
                    lines=self._lines if alone else None,
                    original=aliased,
                    value=node.value if alone else None,
                )
        if self._walrus and node.value is not None:
            yield from self._stored(node.value, conditional)

    def _named(self, node: ast.AST, conditional: bool) -> Iterator[Definition]:
        """The names that a statement binds in its own expressions, patterns and clauses."""
        if isinstance(node, ast.ExceptHandler) and node.name:
            place = self._lines.range_of(node)
            yield Definition(node.name, Binding.OTHER, place, place, conditional=True)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr | ast.withitem | ast.pattern):
                yield from self._stored(child, conditional)

    def _stored(self, node: ast.AST, conditional: bool) -> Iterator[Definition]:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                place = self._lines.range_of(inner)
                yield Definition(inner.id, Binding.OTHER, place, place, conditional)
            elif isinstance(inner, ast.MatchAs | ast.MatchStar) and inner.name:
                place = self._lines.range_of(inner)
                yield Definition(inner.name, Binding.OTHER, place, place, conditional=True)


def _names(target: ast.expr) -> Iterator[ast.Name]:
    for node in ast.walk(target):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node
