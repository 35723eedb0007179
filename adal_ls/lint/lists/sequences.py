"""Lists and tuples as far as they are written down: expression → the elements it will have."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from adal_ls.lint.lists.cells import Cell
from adal_ls.lint.lists.elements import Element, dotted
from adal_ls.lint.lists.following import call, constant, through
from adal_ls.lint.model import Computed
from adal_ls.lint.modules.around import Sibling
from adal_ls.lint.modules.bindings import Bindings
from adal_ls.lint.reading.text import Range

_STEPS = 20  # names may be defined through each other
_MANY = 20_000  # elements of one list; loops inside loops multiply
_COPYING = frozenset({"list", "tuple", "sorted", "reversed", "copy", "deepcopy"})


Lookup = Callable[[str], "Cell | None"]
"""What a name of the top level holds now; None where that is no list that was followed."""


class Sequences:
    """Reads list expressions of one module."""

    def __init__(self, bindings: Bindings, held: Lookup) -> None:
        self._bindings = bindings
        self._held = held
        self._steps = 0
        self.begun: tuple[ast.expr, Cell] | None = None
        """A list that is cut into parts, by the node with which its last part begins, and what it holds."""

    def read(self, at: Element) -> Cell | None:
        """The list that an expression gives; None where it cannot be told. What it has in common with a variable is
        the variable's own."""
        self._steps += 1
        try:
            return None if self._steps > _STEPS else self._read(at.meant())
        finally:
            self._steps -= 1

    def iterated(self, at: Element) -> Cell | None:
        """As `read`, for what is only gone through: sets and dicts give their members as well."""
        node = at.meant().node
        if isinstance(node, ast.Set):
            return self._display(at.meant(), node.elts)
        table = self._table(at)
        if table is not None:
            where, display = table
            if any(key is None for key in display.keys):
                return None
            return self._display(where, [key for key in display.keys if key is not None])
        return self.read(at)

    def _read(self, at: Element) -> Cell | None:
        node = at.node
        if self.begun is not None and node is self.begun[0]:
            return self.begun[1]
        if isinstance(node, ast.List | ast.Tuple):
            return self._display(at, node.elts, fixed=isinstance(node, ast.Tuple))
        if isinstance(node, ast.Name):
            return self._named(at, node.id)
        if isinstance(node, ast.Attribute):
            return self._of_module(at)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self._sum(at, node)
        if isinstance(node, ast.ListComp):
            return self._comprehended(at, node)
        if isinstance(node, ast.IfExp):
            return self._chosen(at, node)
        if isinstance(node, ast.Subscript):
            return self._sliced(at, node)
        if isinstance(node, ast.NamedExpr):
            return self.read(at.of(node.value))
        return self._called(at, node) if isinstance(node, ast.Call) else None

    def _display(self, at: Element, nodes: Sequence[ast.expr], *, fixed: bool = False) -> Cell:
        cell = Cell(fixed=fixed)
        for node in nodes:
            inner = at.made(node)
            if isinstance(node, ast.Starred) and (spread := self.iterated(at.of(node.value))) is not None:
                cell.add(spread)
            elif isinstance(node, ast.IfExp):
                cell.computed.append(Computed(inner.range, "chosen here under a condition"))
                chosen = [at.of(node.body), at.of(node.orelse)]
                cell.elements += [replace(one, conditional=True) for one in chosen]
            else:
                cell.elements.append(inner)
        return cell

    def _named(self, at: Element, name: str) -> Cell | None:
        if at.home is None and name not in at.given and (cell := self._held(name)) is not None:
            return cell
        return self._of_module(at)

    def _of_module(self, at: Element) -> Cell | None:
        """A list of a module beside the file."""
        found = through(at, self._bindings)
        if found.home is None or not isinstance(found.node, ast.Name):
            return None
        return self.of_home(found.home, found.node.id, at.range)

    def of_home(self, home: Sibling, name: str, shown: Range) -> Cell | None:
        """A list of a module beside the file; `shown` is the place of this file that stands for it."""
        from adal_ls.lint.lists.lists import follow

        if name in home.followed:
            return None
        home.followed.add(name)
        try:
            followed = follow(name, home.file.bindings)
        finally:
            home.followed.discard(name)
        if followed.range is None or (followed.cell.wrong is not None):
            return None
        elements = [
            replace(one, home=one.home or home, shown=shown, given=_at_home(one.given, home, shown))
            for one in followed.cell.elements
        ]
        notes = [Computed(shown, "computed")] if followed.cell.computed or followed.registered else []
        return Cell(elements, notes, followed.cell.fixed)

    def _sum(self, at: Element, node: ast.BinOp) -> Cell | None:
        cell, known = Cell(), False
        for part in operands(node):
            read = self.read(at.of(part))
            if read is None:
                cell.computed.append(Computed(at.of(part).range, "computed"))
            else:
                known = True
                cell.add(read)
                cell.wrong = cell.wrong or read.wrong
        return cell if known else None

    def _chosen(self, at: Element, node: ast.IfExp) -> Cell | None:
        cells = [self.read(at.of(part)) for part in (node.body, node.orelse)]
        if not any(cells):
            return None
        cell = Cell(computed=[Computed(at.range, "chosen here under a condition")])
        for read in cells:
            if read is not None:
                cell.add(read.doubted())
        return cell

    def _sliced(self, at: Element, node: ast.Subscript) -> Cell | None:
        part = node.slice
        if not (isinstance(part, ast.Slice) and part.lower is None and part.upper is None and part.step is None):
            return None
        cell = self.read(at.of(node.value))
        return None if cell is None else cell.copied(fixed=cell.fixed)

    def _comprehended(self, at: Element, node: ast.ListComp | ast.GeneratorExp) -> Cell | None:
        cell = Cell()
        places = self._looped(at, node.generators, cell)
        if places is None:
            return None
        cell.elements += [place.made(node.elt) for place in places]
        return cell

    def _looped(self, at: Element, loops: Sequence[ast.comprehension], cell: Cell) -> list[Element] | None:
        """One place for each round of the loops of a comprehension."""
        places = [at]
        for loop in loops:
            if loop.is_async:
                return None
            inner: list[Element] = []
            for place in places:
                rounds = self.rounds(place, loop.target, place.of(loop.iter), cell)
                if rounds is None or len(inner) + len(rounds) > _MANY:
                    return None
                inner += rounds
            places = [self._filtered(place, loop.ifs, cell) for place in inner]
        return places

    def _filtered(self, place: Element, tests: Sequence[ast.expr], cell: Cell) -> Element:
        if not tests:
            return place
        note = Computed(place.of(tests[0]).range, "filtered here")
        if note not in cell.computed:
            cell.computed.append(note)
        return replace(place, conditional=True)

    def rounds(self, at: Element, target: ast.expr, over: Element, cell: Cell) -> list[Element] | None:
        """`at`, once for each element that a loop variable stands for."""
        sequence = self.iterated(over)
        if sequence is None or sequence.wrong is not None:
            return None
        cell.computed += sequence.computed
        found = []
        for element in sequence.elements:
            given = self.assigned(target, element)
            if given is None:
                return None
            conditional = at.conditional or element.conditional
            found.append(replace(at, given={**at.given, **given}, conditional=conditional))
        return found

    def assigned(self, target: ast.expr, element: Element) -> Mapping[str, Element] | None:
        """What the variables of a target stand for; None where that cannot be told."""
        if isinstance(target, ast.Name):
            return {target.id: element}
        if not isinstance(target, ast.Tuple | ast.List):
            return None
        inner = self.read(element)
        if inner is None or inner.computed or len(inner.elements) != len(target.elts):
            return None
        given: dict[str, Element] = {}
        for part, one in zip(target.elts, inner.elements, strict=True):
            found = self.assigned(part, one)
            if found is None:
                return None
            given.update(found)
        return given

    def _called(self, at: Element, node: ast.Call) -> Cell | None:
        called = node.func.attr if isinstance(node.func, ast.Attribute) else (dotted(node.func) or "")
        plain = not any(isinstance(argument, ast.Starred) for argument in node.args)
        if isinstance(node.func, ast.Attribute) and not node.args and called in ("values", "items", "keys", "copy"):
            return self._viewed(at.of(node.func.value), called)
        if isinstance(node.func, ast.Name) and node.func.id in ("list", "tuple") and not node.args:
            return Cell(fixed=called == "tuple")
        if called in _COPYING and len(node.args) == 1 and plain:
            return self._copied(at.of(node.args[0]), called)
        if called == "chain" and plain:
            return self._joined(at, node.args)
        if called == "from_iterable" or (called == "sum" and len(node.args) == 2 and plain):
            outer = self.read(at.of(node.args[0]))
            return None if outer is None or outer.computed else self._joined_cells(outer.elements)
        return self._returned(at, node)

    def _copied(self, over: Element, called: str) -> Cell | None:
        inner = over.meant()
        if isinstance(inner.node, ast.GeneratorExp):
            cell = self._comprehended(inner, inner.node)
        else:
            cell = self.iterated(over)
        if cell is None:
            return None
        copied = cell.copied(fixed=called == "tuple")
        if called == "reversed":
            copied.elements.reverse()
        return copied

    def _joined(self, at: Element, nodes: Sequence[ast.expr]) -> Cell | None:
        return self._joined_cells([at.of(node) for node in nodes])

    def _joined_cells(self, elements: Sequence[Element]) -> Cell | None:
        cell = Cell()
        for element in elements:
            inner = self.iterated(element)
            if inner is None:
                return None
            cell.add(inner)
        return cell

    def _viewed(self, over: Element, called: str) -> Cell | None:
        """`TABLE.values()` and the like; also the copy of a list."""
        found = self._table(over)
        if found is None:
            cell = self.read(over) if called == "copy" else None
            return None if cell is None else cell.copied()
        at, display = found
        pairs = [(key, value) for key, value in zip(display.keys, display.values, strict=True) if key is not None]
        if len(pairs) != len(display.keys):
            return None
        if called == "values":
            return self._display(at, [value for _, value in pairs])
        if called == "keys":
            return self._display(at, [key for key, _ in pairs])
        return Cell([at.of(ast.copy_location(ast.Tuple([key, value], ast.Load()), key)) for key, value in pairs])

    def _table(self, over: Element) -> tuple[Element, ast.Dict] | None:
        """The dict that is written down for an expression, and stays as it is written."""
        at = constant(over, self._bindings)
        return (at, at.node) if isinstance(at.node, ast.Dict) else None

    def _returned(self, at: Element, node: ast.Call) -> Cell | None:
        """What a function of the module returns, where it does nothing but make a list."""
        found = call(at, node, self._bindings)
        return None if found is None else self.read(found)


def _at_home(given: Mapping[str, Element], home: Sibling, shown: Range) -> Mapping[str, Element]:
    return {
        name: replace(one, home=one.home or home, shown=shown, given=_at_home(one.given, home, shown))
        for name, one in given.items()
    }


def operands(value: ast.expr) -> list[ast.expr]:
    """The parts of `a + b + c`, in order."""
    found: list[ast.expr] = []
    while isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        found.append(value.right)
        value = value.left
    found.append(value)
    return found[::-1]
