"""What is known of a list while a file is followed, also through its branches."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from adal_ls.lint.lists.elements import Element
from adal_ls.lint.lists.values import Value
from adal_ls.lint.model import Computed


@dataclass(eq=False, slots=True)
class Cell:
    """One list or tuple: several names can mean the same one, and what one of them changes they all have.

    `computed`: the parts of it that only running the file can tell. `fixed`: a tuple. `wrong`: it is neither.
    """

    elements: list[Element] = field(default_factory=list)
    computed: list[Computed] = field(default_factory=list)
    fixed: bool = False
    wrong: Value | None = None

    def copied(self, *, fixed: bool = False) -> Cell:
        return Cell([*self.elements], [*self.computed], fixed, self.wrong)

    def add(self, other: Cell) -> None:
        self.elements += other.elements
        self.computed += other.computed

    def doubted(self) -> Cell:
        """The same, where only some branch has it."""
        elements = [replace(element, conditional=True) for element in self.elements]
        return Cell(elements, [*self.computed], self.fixed, self.wrong)


Held = dict[str, Cell]
"""What the names of a module hold."""


def separate(held: Held) -> Held:
    """The same for another branch; names that mean one list still do."""
    copies = {id(cell): cell.copied(fixed=cell.fixed) for cell in held.values()}
    return {name: copies[id(cell)] for name, cell in held.items()}


def joined(ends: Sequence[Held]) -> Held:
    """What holds behind branches."""
    result = ends[0]
    for other in ends[1:]:
        result = _both(result, other)
    return result


def _both(one: Held, other: Held) -> Held:
    known: dict[tuple[int, int], Cell] = {}
    result: Held = {}
    for name in [*one, *(name for name in other if name not in one)]:
        first, second = one.get(name), other.get(name)
        if first is None or second is None:
            cell = (first or second or Cell()).doubted()
        else:
            pair = id(first), id(second)
            if pair not in known:
                known[pair] = _either(first, second)
            cell = known[pair]
        result[name] = cell
    return result


def _either(one: Cell, other: Cell) -> Cell:
    same = 0
    while same < min(len(one.elements), len(other.elements)) and _is_same(one.elements[same], other.elements[same]):
        same += 1
    rest = one.elements[same:]
    more = [element for element in other.elements[same:] if not any(_is_same(element, known) for known in rest)]
    elements = [*one.elements[:same], *(replace(element, conditional=True) for element in (*rest, *more))]
    computed = [*one.computed, *(note for note in other.computed if note not in one.computed)]
    return Cell(elements, computed, one.fixed and other.fixed, one.wrong or other.wrong)


def _is_same(one: Element, other: Element) -> bool:
    return one.node is other.node and one.given == other.given and one.conditional == other.conditional


def take(cell: Cell, method: str, arguments: Sequence[ast.expr]) -> bool:
    """Take an element out again; whether it is certain which."""
    if cell.computed or any(element.conditional for element in cell.elements):
        return False
    if method == "pop":
        index = index_of(arguments[0]) if arguments else -1
    else:
        wanted = arguments[0].id if arguments and isinstance(arguments[0], ast.Name) else None
        named = [getattr(element.node, "id", None) for element in cell.elements]
        index = named.index(wanted) if wanted is not None and wanted in named else None
    if index is None or not -len(cell.elements) <= index < len(cell.elements):
        return False
    del cell.elements[index]
    return True


def index_of(node: ast.expr) -> int | None:
    sign = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node, sign = node.operand, -1
    if isinstance(node, ast.Constant) and isinstance(node.value, int) and not isinstance(node.value, bool):
        return sign * node.value
    return None
