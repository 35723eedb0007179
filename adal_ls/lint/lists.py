"""CUSTOM_TOOLS, followed through the statements that make it: assignments, changes, loops, branches, registrations.

Only statements that may change the list, or a list that it is made of, are looked at (`Bindings.changers`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from adal_ls.lint.bindings import Binding, Bindings, Function, Placed, is_type_checking
from adal_ls.lint.blocks import Part, leftmost
from adal_ls.lint.body import is_main
from adal_ls.lint.cells import Cell, Held, index_of, joined, separate, take
from adal_ls.lint.changes import may_change
from adal_ls.lint.chunks import Chunk
from adal_ls.lint.elements import Element, dotted, name_of
from adal_ls.lint.followed import FollowedNames, bodies_of, changes
from adal_ls.lint.following import bound_locally
from adal_ls.lint.model import Computed
from adal_ls.lint.sequences import Sequences, operands
from adal_ls.lint.text import Lines, Range
from adal_ls.lint.values import ValueKind, read_value

_ROUNDS = 5_000  # of loops at the top level
_CERTAINLY_NOT = (ValueKind.CONSTANT, ValueKind.F_STRING, ValueKind.LAMBDA, ValueKind.CONTAINER)


@dataclass(frozen=True, slots=True)
class Followed:
    """What a list holds at the end of the file. `range` is the statement that gave it its value, None where there is
    none. `display`: the opening of the list that is cut into parts, where nothing but its elements, each as it stands
    there, makes the list."""

    cell: Cell
    range: Range | None
    display: Lines | None = None
    registered: bool = False
    """Whether a function of the module adds to it, whoever calls that."""


def follow(name: str, bindings: Bindings) -> Followed:
    """The list that `name` means once the file has run."""
    followed = FollowedNames(name, bindings)
    reader = _Reader(followed, bindings)
    statements = followed.statements()
    for placed in statements:
        reader.read(placed)
    reader.end()
    display = statements[0].chunk.lines if _is_display([placed.chunk for placed in statements]) else None
    registered = any(changes(function, name) for function in followed.mutators.values())
    return Followed(reader.held.get(name) or Cell(), reader.range, display, registered)


def _is_display(chunks: Sequence[Chunk]) -> bool:
    """Whether chunks are the parts of one list, whose elements stand for themselves."""
    if not chunks or chunks[0].part is not Part.OPENING or not chunks[0].statements:
        return False
    parts = chunks[1:]
    if isinstance(chunks[0].statements[0], ast.AugAssign) or any(chunk.part is Part.CLOSING for chunk in parts[:-1]):
        return False
    return all(chunk.part in (Part.ELEMENTS, Part.CLOSING) and are_elements(chunk) for chunk in parts)


def are_elements(chunk: Chunk) -> bool:
    """Whether a part of a list holds nothing but elements that stand for themselves."""
    if not chunk.statements:
        return True
    first, *rest = chunk.statements
    display = first.value if isinstance(first, ast.Expr) else None
    if rest or not isinstance(display, ast.List):
        return False
    return not any(isinstance(node, ast.Starred | ast.IfExp) for node in display.elts)


def elements_of(chunk: Chunk) -> Iterator[Element]:
    """The elements in such a part."""
    at = _beside(chunk)
    for node in chunk.statements[:1]:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.List):
            yield from (at.of(inner) for inner in node.value.elts)


def _beside(chunk: Chunk) -> Element:
    return Element(ast.Constant(None), chunk.lines, salvaged=not chunk.parsed.readable)


class _Reader:
    """Runs statements as far as they concern the lists that are followed."""

    def __init__(self, followed: FollowedNames, bindings: Bindings) -> None:
        self._followed = followed
        self._bindings = bindings
        self._sequences = Sequences(bindings, lambda name: self.held.get(name))
        self.held: Held = {}
        self.range: Range | None = None
        self._lines = Lines("")
        self._rounds = 0
        self._unknown: frozenset[str] = frozenset()
        self._opened: _Opened | None = None

    def read(self, placed: Placed) -> None:
        chunk = placed.chunk
        at = _beside(chunk)
        statements = chunk.statements
        if chunk.part in (Part.ELEMENTS, Part.CLOSING) and statements:
            self._go_on(statements[0], at, is_last=chunk.part is Part.CLOSING)
            statements = statements[1:]
        elif chunk.part not in (Part.ELEMENTS, Part.CLOSING):
            self.end()
        self._lines = chunk.lines
        if chunk.part is Part.OPENING and statements:
            self._opened = _Opened(statements[0], chunk.lines)
        else:
            self._block(statements, at)

    def end(self) -> None:
        """A list that is cut ends here, whether it is closed or not."""
        if self._opened is not None:
            nothing = ast.copy_location(ast.List([], ast.Load()), self._opened.statement)
            part = ast.copy_location(ast.Expr(nothing), self._opened.statement)
            self._go_on(part, Element(nothing, self._opened.lines), is_last=True)

    def _go_on(self, part: ast.stmt, at: Element, *, is_last: bool) -> None:
        """The next part of a list that is cut; with the last one the statement that opened it is run."""
        if self._opened is None or not isinstance(part, ast.Expr):
            return
        opened, begun = self._opened, leftmost(part.value)
        here = self._sequences.iterated(at.of(begun)) if isinstance(begun, ast.List) else None
        if here is not None:
            opened.cell.add(here)
        if not is_last:
            return
        self._opened, self._lines = None, at.lines
        self._sequences.begun = (begun, opened.cell) if here is not None else None
        before = self.range
        self._statement(ast.copy_location(_with_value(opened.statement, part.value), part), at)
        self._sequences.begun = None
        if self.range is not None and self.range is not before:
            self.range = Range(opened.lines.range_of(opened.statement).start, self.range.end)

    def _block(self, statements: Iterable[ast.stmt], at: Element) -> None:
        for statement in statements:
            self._statement(statement, at)

    def _statement(self, node: ast.stmt, at: Element) -> None:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            self._assign(node, at)
        elif isinstance(node, ast.AugAssign):
            self._augment(node, at)
        elif isinstance(node, ast.Expr):
            self._expression(node, at)
        elif isinstance(node, ast.If):
            self._if(node, at)
        elif isinstance(node, ast.For):
            self._for(node, at)
        elif isinstance(node, ast.Try) or type(node).__name__ == "TryStar":
            self._try(node, at)  # type: ignore[arg-type]
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self._defined(node, at)
        elif isinstance(node, ast.Delete):
            self._delete(node, at)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            self._imported(node, at)
        elif not isinstance(node, ast.ClassDef):
            self._other(node, at)

    # Simple statements

    def _assign(self, node: ast.Assign | ast.AnnAssign, at: Element) -> None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if node.value is None:
            return
        names = [target.id for target in targets if isinstance(target, ast.Name) and target.id in self._followed.names]
        if names:
            cell = self._value(node.value, at)
            if at.conditional:
                cell.computed.append(self._note(node, at, "assigned under a condition"))
            for name in names:
                self._set(name, cell, at.of_statement(node))
        for target in targets:
            if not isinstance(target, ast.Name):
                self._assign_part(node, node.value, target, at)
        if not names:
            self._called_inside(node, node.value, at)

    def _assign_part(self, node: ast.stmt, value: ast.expr, target: ast.expr, at: Element) -> None:
        """`NAME[0] = f`, `NAME[:] = [...]`, `NAME, other = ...`."""
        if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            cell = self.held.get(target.value.id)
            if cell is None:
                return
            part, index = target.slice, index_of(target.slice)
            whole = isinstance(part, ast.Slice) and part.lower is None and part.upper is None and part.step is None
            new = self._sequences.iterated(at.of(value)) if whole else None
            if new is not None:
                new = new.copied()
                cell.elements, cell.computed, cell.wrong = new.elements, new.computed, None
                self._doubt(cell, node, at)
            elif index is not None and not cell.computed and -len(cell.elements) <= index < len(cell.elements):
                cell.elements[index] = at.of(value)
                self._doubt(cell, node, at)
            else:
                cell.computed.append(self._note(node, at, "changed here"))
            return
        for inner in ast.walk(target):
            if isinstance(inner, ast.Name) and inner.id in self._followed.names:
                self._set(inner.id, Cell(computed=[self._note(node, at, "changed here")]), at.of_statement(node))

    def _set(self, name: str, cell: Cell, place: Range) -> None:
        self.held[name] = cell
        if name == self._followed.name:
            self.range = place

    def _value(self, value: ast.expr, at: Element) -> Cell:
        """The list that an expression gives, with notes of what cannot be told."""
        read = self._sequences.read(at.of(value))
        if read is not None:
            return read
        here = at.of(value).meant()
        seen = read_value(here.node, here.lines)
        if self._is_wrong(here, seen.kind):
            return Cell(wrong=replace(read_value(value, at.lines), words=seen.words))
        return Cell(computed=[Computed(at.of(value).range, "computed")])

    def _is_wrong(self, at: Element, kind: ValueKind) -> bool:
        if isinstance(at.node, ast.ListComp):
            return False
        if isinstance(at.node, ast.Name):
            definition = self._bindings.effective(at.node.id)
            return definition is not None and definition.kind is Binding.FUNCTION and not self._bindings.open
        return kind in _CERTAINLY_NOT

    def _augment(self, node: ast.AugAssign, at: Element) -> None:
        if not isinstance(node.target, ast.Name) or node.target.id not in self._followed.names:
            if isinstance(node.target, ast.Subscript):
                self._assign_part(node, node.value, node.target, at)
            return
        name = node.target.id
        place = at.of_statement(node)
        cell = self.held.get(name)
        if cell is None:
            cell = Cell()
            if name == self._followed.name and self.range is None:
                self.range = place
        elif cell.fixed:
            cell = cell.copied(fixed=True)
        self.held[name] = cell
        if not isinstance(node.op, ast.Add):
            cell.computed.append(self._note(node, at, "changed here"))
            return
        added = Cell()  # what is added is made before anything changes
        for part in operands(node.value):
            self._extend(added, at.of(part))
        cell.add(added)
        cell.wrong = cell.wrong or added.wrong
        self._doubt(cell, node, at)

    def _extend(self, cell: Cell, part: Element) -> None:
        added = self._iterated(part)
        if added is not None:
            cell.add(added if added is not cell else cell.copied())
        elif cell.wrong is None:
            seen = read_value(part.node, part.lines)
            if self._is_wrong(part, seen.kind) and not isinstance(part.node, ast.GeneratorExp):
                cell.wrong = seen
            else:
                cell.computed.append(Computed(part.range, "computed"))

    def _iterated(self, part: Element) -> Cell | None:
        if isinstance(part.meant().node, ast.GeneratorExp):
            call = ast.copy_location(ast.Call(ast.Name("list", ast.Load()), [part.meant().node], []), part.node)
            return self._sequences.read(part.of(call))
        return self._sequences.iterated(part)

    def _expression(self, node: ast.Expr, at: Element) -> None:
        call = node.value
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and isinstance(call.func.value, ast.Name)
        ):
            cell = self._cell(call.func.value.id, node, at)
            if cell is not None:
                self._method(cell, call.func.attr, call, node, at)
                return
        self._called_inside(node, call, at)

    def _cell(self, name: str, node: ast.stmt, at: Element) -> Cell | None:
        """The list of a name that is changed; one that came in unseen is unknown up to here."""
        if name == self._followed.name and name not in self.held:
            self._set(name, Cell(computed=[self._note(node, at, "changed here")]), at.of_statement(node))
        return self.held.get(name)

    def _method(self, cell: Cell, method: str, call: ast.Call, node: ast.stmt, at: Element) -> None:
        """`NAME.append(f)` and the like."""
        arguments = call.args
        plain = not call.keywords and not any(isinstance(argument, ast.Starred) for argument in arguments)
        unknown = any(isinstance(one, ast.Name) and one.id in self._unknown for one in arguments)
        if method == "append" and plain and len(arguments) == 1 and not unknown:
            cell.elements.append(at.made(arguments[0]))
            self._doubt(cell, node, at)
        elif method == "extend" and plain and len(arguments) == 1:
            self._extend(cell, at.of(arguments[0]))
            self._doubt(cell, node, at)
        elif method == "insert" and plain and len(arguments) == 2 and (index := index_of(arguments[0])) is not None:
            cell.elements.insert(index, at.made(arguments[1]))
            self._doubt(cell, node, at)
        elif method == "clear" and not at.conditional:
            cell.elements.clear()
            cell.computed.clear()
        elif method == "reverse" and not cell.computed and not at.conditional:
            cell.elements.reverse()
        elif method in ("sort", "copy", "index", "count") or (
            method in ("remove", "pop") and not at.conditional and take(cell, method, arguments)
        ):
            pass
        else:
            cell.computed.append(self._note(node, at, "changed here"))

    def _called_inside(self, node: ast.stmt, value: ast.expr, at: Element) -> None:
        """What an expression does to the lists by the calls in it."""
        if not isinstance(value, ast.Call):
            return
        name = value.func.id if isinstance(value.func, ast.Name) else None
        function = self._followed.mutators.get(name) if name is not None else None
        if function is not None and len(value.args) == 1 and not value.keywords:
            if not self._registered(function, at.of(value.args[0]), node, at):
                self._doubt_all(function, node, at)
            return
        for inner in ast.walk(value):
            if not isinstance(inner, ast.Name):
                continue
            if (mutator := self._followed.mutators.get(inner.id)) is not None:
                self._doubt_all(mutator, node, at)
            elif (cell := self.held.get(inner.id)) is not None and may_change(value, inner.id):
                cell.computed.append(self._note(node, at, "changed here"))

    def _delete(self, node: ast.Delete, at: Element) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name) and target.id in self._followed.names and not at.conditional:
                self.held.pop(target.id, None)
                if target.id == self._followed.name:
                    self.range = None
            elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
                cell = self.held.get(target.value.id)
                index = None if cell is None or at.conditional else target.slice
                if cell is not None and not (index is not None and take(cell, "pop", [index])):
                    cell.computed.append(self._note(node, at, "changed here"))

    def _imported(self, node: ast.Import | ast.ImportFrom, at: Element) -> None:
        for alias in node.names:
            name = alias.asname or alias.name
            if name in self._followed.names:
                place = at.of_statement(node)
                module = f"{'.' * node.level}{node.module or ''}" if isinstance(node, ast.ImportFrom) else ""
                home = self._bindings.around.imported(module) if module else None
                cell = None if home is None else self._sequences.of_home(home, alias.name, place)
                self._set(name, cell or Cell(computed=[Computed(place, "imported")]), place)

    # Functions that put others into a list

    def _defined(self, node: Function, at: Element) -> None:
        # Decorators nearest to the function come first.
        for decorator in reversed(node.decorator_list):
            name = decorator.id if isinstance(decorator, ast.Name) else None
            function = self._followed.mutators.get(name) if name is not None else None
            itself = Element(name_of(node, self._lines), self._lines, at.conditional)
            if function is not None:
                if not self._registered(function, itself, node, at):
                    self._doubt_all(function, node, at)
            elif (called := dotted(decorator.func) if isinstance(decorator, ast.Call) else None) is not None:
                mutator = self._followed.mutators.get(called)
                if mutator is not None:
                    self._doubt_all(mutator, node, at)

    def _registered(self, function: Function, argument: Element, node: ast.stmt, at: Element) -> bool:
        """Follow a function of one parameter that puts what it is given into a list: `LIST.append(f)`; whether it
        does no more than that."""
        parameters = [*function.args.posonlyargs, *function.args.args]
        if len(parameters) != 1 or function.args.vararg or function.args.kwarg or function.args.kwonlyargs:
            return False
        lines = self._lines_of(function)
        if lines is None or function.decorator_list:
            return False
        place = Element(argument.node, lines, at.conditional, {parameters[0].arg: argument})
        plan: list[tuple[Cell, Element]] = []
        for statement in function.body:
            if isinstance(statement, ast.Return):
                break
            appended = self._appended(statement)
            if appended is not None:
                cell, value = appended
                plan.append((cell, place.made(value)))
                continue
            if any(may_change(statement, name) for name in self.held):
                return False
            further = bound_locally(statement, place)
            place = further if further is not None else place
        for cell, element in plan:
            cell.elements.append(element)
            self._doubt(cell, node, at)
        return True

    def _appended(self, statement: ast.stmt) -> tuple[Cell, ast.expr] | None:
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(call, ast.Call) or len(call.args) != 1 or call.keywords:
            return None
        if not isinstance(call.func, ast.Attribute) or call.func.attr != "append":
            return None
        cell = self.held.get(call.func.value.id) if isinstance(call.func.value, ast.Name) else None
        return None if cell is None or isinstance(call.args[0], ast.Starred) else (cell, call.args[0])

    def _lines_of(self, function: Function) -> Lines | None:
        found = self._bindings.definitions.get(function.name, ())
        return next((definition.lines for definition in found if definition.node is function), None)

    def _doubt_all(self, function: Function, node: ast.stmt, at: Element) -> None:
        """A call of a function that changes lists in a way that cannot be followed."""
        for name in [*self._followed.names]:
            if changes(function, name):
                cell = self.held.setdefault(name, Cell())
                cell.computed.append(self._note(node, at, "changed here"))
                if name == self._followed.name and self.range is None:
                    self.range = at.of_statement(node)

    # Compound statements

    def _if(self, node: ast.If, at: Element) -> None:
        if is_type_checking(node.test) or is_main(node) or _is_constant(node.test, truth=False):
            self._block(node.orelse, at)
        elif _is_constant(node.test, truth=True):
            self._block(node.body, at)
        else:
            bodies = [node.body]
            while len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):  # `elif`: not as deep as it is long
                node = node.orelse[0]
                bodies.append(node.body)
            bodies.append(node.orelse)
            concerned = [body for body in bodies if any(self._concerns(one) for one in body)]
            self._branches(concerned if len(concerned) == len(bodies) else [*concerned, []], at)

    def _branches(self, bodies: Sequence[Sequence[ast.stmt]], at: Element) -> None:
        """One of several bodies runs."""
        before, ends = self.held, list[Held]()
        for body in bodies:
            self.held = separate(before)
            self._block(body, replace(at, conditional=True))
            ends.append(self.held)
        self.held = joined(ends)

    def _try(self, node: ast.Try, at: Element) -> None:
        if node.handlers:
            handlers = [handler.body for handler in node.handlers]
            if any(self._concerns(statement) for body in handlers for statement in body):
                self._branches([[*node.body, *node.orelse], *handlers], at)
            else:
                self._branches([[*node.body, *node.orelse], []], at)
        else:
            self._block([*node.body, *node.orelse], at)
        self._block(node.finalbody, at)

    def _for(self, node: ast.For, at: Element) -> None:
        if not any(self._concerns(statement) for statement in node.body + node.orelse):
            self._target(node, node.target, at)
            return
        notes = Cell()
        leaves = any(isinstance(inner, ast.Break | ast.Continue) for one in node.body for inner in ast.walk(one))
        rounds = self._sequences.rounds(at, node.target, at.of(node.iter), notes)
        named = isinstance(node.target, ast.Name) and node.target.id == self._followed.name
        if rounds is None or named or self._rounds + len(rounds) > _ROUNDS:
            self._other(node, at)
            return
        self._rounds += len(rounds)
        for place in rounds:
            self._block(node.body, replace(place, conditional=place.conditional or leaves))
        for cell in {id(cell): cell for cell in self.held.values()}.values():
            cell.computed += notes.computed if rounds else []
        self._block(node.orelse, at)

    def _other(self, node: ast.stmt, at: Element) -> None:
        """A statement of which it cannot be told how often its body runs, if at all."""
        for target in _targets(node):
            self._target(node, target, at)
        if isinstance(node, ast.With | ast.AsyncWith) and not _may_suppress(node):
            self._block(node.body, at)
            return
        bodies = [body for body in bodies_of(node) if any(self._concerns(statement) for statement in body)]
        if bodies:
            outer = self._unknown
            stored = (one for target in _targets(node) for one in ast.walk(target))
            self._unknown |= {inner.id for inner in stored if isinstance(inner, ast.Name)}
            self._branches([*bodies, []], at)
            self._unknown = outer

    def _target(self, node: ast.stmt, target: ast.expr, at: Element) -> None:
        for inner in ast.walk(target):
            if isinstance(inner, ast.Name) and inner.id in self._followed.names and isinstance(inner.ctx, ast.Store):
                self._set(inner.id, Cell(computed=[self._note(node, at, "assigned here")]), at.of_statement(node))

    def _concerns(self, statement: ast.stmt) -> bool:
        names = self._followed.names | self._followed.mutators.keys()
        return any(isinstance(inner, ast.Name) and inner.id in names for inner in ast.walk(statement)) or any(
            (alias.asname or alias.name) in names
            for inner in ast.walk(statement)
            if isinstance(inner, ast.Import | ast.ImportFrom)
            for alias in inner.names
        )

    def _doubt(self, cell: Cell, node: ast.stmt, at: Element) -> None:
        if at.conditional:
            note = self._note(node, at, "assigned under a condition")
            if note not in cell.computed:
                cell.computed.append(note)

    def _note(self, node: ast.stmt, at: Element, what: str) -> Computed:
        return Computed(at.of_statement(node), what)


@dataclass(slots=True)
class _Opened:
    """A list that is cut, as far as its parts were read: the statement with none of its elements, and those."""

    statement: ast.stmt
    lines: Lines
    cell: Cell = field(default_factory=Cell)


def _with_value(statement: ast.stmt, value: ast.expr) -> ast.stmt:
    if isinstance(statement, ast.Assign):
        return ast.Assign(statement.targets, value)
    if isinstance(statement, ast.AnnAssign):
        return ast.AnnAssign(statement.target, statement.annotation, value, statement.simple)
    assert isinstance(statement, ast.AugAssign)  # noqa: S101 - the three that a list can begin in
    return ast.AugAssign(statement.target, statement.op, value)


def _may_suppress(node: ast.With | ast.AsyncWith) -> bool:
    """Whether the body may end early without an error: `with suppress(ImportError):`."""
    named = (getattr(inner, "id", getattr(inner, "attr", "")) for item in node.items for inner in ast.walk(item))
    return any("suppress" in name or "raises" in name for name in named)


def _targets(node: ast.stmt) -> Iterator[ast.expr]:
    """What a compound statement assigns to in its own clause."""
    if isinstance(node, ast.For | ast.AsyncFor):
        yield node.target
    for item in getattr(node, "items", ()):
        if item.optional_vars is not None:
            yield item.optional_vars


def _is_constant(test: ast.expr, *, truth: bool) -> bool:
    return isinstance(test, ast.Constant) and bool(test.value) is truth
