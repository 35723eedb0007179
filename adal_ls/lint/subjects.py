"""What local rules look at: one function that is a tool, or one top-level statement."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from adal_ls.lint.body import Body, Call
from adal_ls.lint.lists.values import ValueKind
from adal_ls.lint.model import Entry
from adal_ls.lint.modules.around import Sibling
from adal_ls.lint.modules.bindings import Bindings, Function
from adal_ls.lint.modules.names import Names
from adal_ls.lint.modules.targets import Target, targets
from adal_ls.lint.reading.chunks import Chunk
from adal_ls.lint.reading.text import Lines, Range
from adal_ls.schema.docstring import Docstring
from adal_ls.schema.docstring import parse as parse_docstring

if TYPE_CHECKING:
    from adal_ls.schema import ToolSchema

_OUTPUT = re.compile(r"(?:adalflow|adal_ls)\.(?:\w+\.)*ToolOutput")


class Parameter(NamedTuple):
    """One parameter that a caller names, or (`star`) one that takes any number of arguments."""

    node: ast.arg
    default: ast.expr | None
    star: bool = False
    positional_only: bool = False

    @property
    def name(self) -> str:
        return self.node.arg


@dataclass(frozen=True)
class Statement:
    """One top-level statement, with the names of the file."""

    node: ast.stmt
    lines: Lines = field(repr=False)
    names: Names = field(repr=False)
    is_tool: bool = False

    @property
    def is_code(self) -> bool:
        """Whether it runs, all of it, when the file is loaded."""
        return not isinstance(self.node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)

    @property
    def text(self) -> str:
        """What it is written in, and what stands beside it: a word that is not in here is not in the statement."""
        return self.lines.text

    @cached_property
    def body(self) -> Body:
        return Body(self.node, self.names)

    @cached_property
    def effects(self) -> tuple[Call, ...]:
        """The calls, where one of them can write, execute, block or end the process; looked for by words first, as
        most statements have none."""
        return self.body.calls if self.names.effect_words.search(self.text) else ()

    @cached_property
    def outputs(self) -> tuple[ast.Call, ...]:
        """The calls that make a ToolOutput, as far as imports tell."""
        if not self.names.output_words.search(self.text):
            return ()
        return tuple(c.node for c in self.body.calls if isinstance(c.node, ast.Call) and _OUTPUT.fullmatch(c.target))


class Unasked(NamedTuple):
    """An entry whose tool runs without asking: its tool's name, and the False that says so."""

    name: str | None
    place: Range


class Listing(NamedTuple):
    """How CUSTOM_TOOLS lists one function.

    `filled`: how many parameters, from the first, are filled: 1 for a method of an object. `named`: those that a
    partial fills by name. `described`: every entry gives a description, or the class of the object, so that the model
    never reads the docstring.
    """

    filled: int = 0
    named: frozenset[str] = frozenset()
    described: bool = True
    unasked: tuple[Unasked, ...] = ()


Listings = Mapping[Range, Listing]
"""Functions that are listed, by the places of their names."""


@dataclass(frozen=True)
class ToolFunction:
    """One definition of a function that CUSTOM_TOOLS lists."""

    node: Function
    name_range: Range
    statement: Statement = field(repr=False)
    """The function alone, as if it stood at the top level."""
    listing: Listing

    @property
    def described(self) -> bool:
        return self.listing.described

    @property
    def lines(self) -> Lines:
        return self.statement.lines

    @property
    def names(self) -> Names:
        return self.statement.names

    @cached_property
    def all_parameters(self) -> tuple[Parameter, ...]:
        """The parameters in the order of the signature, without those that are filled."""
        found = list(_parameters(self.node.args))
        filled = self.listing.filled
        if not filled and found and not found[0].star and found[0].name in ("self", "cls"):
            filled = 1
        kept = (one for index, one in enumerate(found) if one.star or index >= filled)
        return tuple(one for one in kept if one.name not in self.listing.named)

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those that a caller names."""
        return tuple(parameter for parameter in self.all_parameters if not parameter.star)

    @cached_property
    def schema(self) -> ToolSchema:
        from adal_ls.schema import from_ast  # only a function with a hint that is not plain pays for the import

        return from_ast(self.node, self.names.scope, filled=self.listing.filled, named=self.listing.named)

    @cached_property
    def docstring(self) -> str | None:
        """The docstring as it stands in the source."""
        return ast.get_docstring(self.node, clean=False)

    @cached_property
    def documented(self) -> Docstring:
        """What the docstring says, and of which parameters."""
        return parse_docstring(self.docstring)

    def place(self, parameter: Parameter) -> Range:
        """The name of a parameter."""
        start = self.lines.range_of(parameter.node).start
        return self.lines.span(start, len(parameter.name))


class Subjects(NamedTuple):
    """What the local rules look at in a chunk. `statements`: those at the top level that could be read, and the tools
    that stand inside of others."""

    functions: tuple[ToolFunction, ...]
    statements: tuple[Statement, ...]


def of_chunk(chunk: Chunk, names: Names, listings: Listings) -> Subjects:
    """The subjects in a chunk."""
    listed = {id(node): place for place, node in chunk.functions.items() if place in listings}
    top = {id(node): Statement(node, chunk.lines, names, id(node) in listed) for node in chunk.parsed.body}
    functions = []
    for place, node in chunk.functions.items():
        if (listing := listings.get(place)) is not None:
            statement = top.get(id(node)) or Statement(node, chunk.lines, names, is_tool=True)
            functions.append(ToolFunction(node, place, statement, listing))
    inner = (function.statement for function in functions if id(function.node) not in top)
    return Subjects(tuple(functions), (*top.values(), *inner))


def listed_by(entry: Entry, functions: Iterable[Target], home: Sibling | None = None) -> dict[Range, Listing]:
    """Of the functions that one entry lists (`meant`) those of the file, or of a module beside it; all branches of a
    conditional definition are tools."""
    item = entry.item("require_approval")
    asks = entry.require_approval or item is None
    unasked = () if asks or item is None else (Unasked(entry.name, item.value.range),)
    return {
        target.name_range: Listing(target.filled, target.named, bool(entry.description) or target.described, unasked)
        for target in functions
        if not target.unbound
        and target.home is home
        and isinstance(target.node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def meant(bindings: Bindings, entry: Entry) -> tuple[Target, ...]:
    """The functions that an entry lists: one, or one for each branch that defines it."""
    return targets(entry.function.source, bindings) if entry.function is not None else ()


def is_nameless(bindings: Bindings, entry: Entry) -> bool:
    """Whether the function of an entry certainly has no name of its own: a lambda, a partial, an object."""
    if entry.function is None or entry.name is not None:
        return False
    found = meant(bindings, entry)
    plain = entry.function.kind in (ValueKind.LAMBDA, ValueKind.PARTIAL)
    return all(target.name is None for target in found) if found else plain


def both(one: Listing | None, other: Listing) -> Listing:
    """A function that two entries list."""
    if one is None:
        return other
    return Listing(
        min(one.filled, other.filled),
        one.named & other.named,
        one.described and other.described,
        (*one.unasked, *other.unasked),
    )


def _parameters(arguments: ast.arguments) -> Iterator[Parameter]:
    positional = [*arguments.posonlyargs, *arguments.args]
    missing: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    only = len(arguments.posonlyargs)
    for index, (node, default) in enumerate(zip(positional, [*missing, *arguments.defaults], strict=True)):
        yield Parameter(node, default, positional_only=index < only)
    if arguments.vararg is not None:
        yield Parameter(arguments.vararg, None, star=True)
    for node, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield Parameter(node, default)
    if arguments.kwarg is not None:
        yield Parameter(arguments.kwarg, None, star=True)
