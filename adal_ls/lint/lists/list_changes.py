"""What a single statement does to CUSTOM_TOOLS, and to the lists it is made of: assignments, changes, registrations."""

from __future__ import annotations

import ast
from dataclasses import replace

from adal_ls.lint.lists.cells import Cell, Held, index_of, take
from adal_ls.lint.lists.changes import may_change
from adal_ls.lint.lists.elements import Element, dotted, name_of
from adal_ls.lint.lists.followed import FollowedNames, changes
from adal_ls.lint.lists.following import bound_locally
from adal_ls.lint.lists.sequences import Sequences, operands
from adal_ls.lint.lists.values import ValueKind, read_value
from adal_ls.lint.model import Computed
from adal_ls.lint.modules.bindings import Binding, Bindings, Function
from adal_ls.lint.reading.text import Lines, Range

_CERTAINLY_NOT = (ValueKind.CONSTANT, ValueKind.F_STRING, ValueKind.LAMBDA, ValueKind.CONTAINER)

_OTHER_KINDS = {
    **dict.fromkeys(("map", "filter", "zip", "reversed", "enumerate", "iter"), "an iterator"),
    "set": "a set",
    "frozenset": "a frozenset",
    "dict": "a dict",
    "range": "a range",
    "str": "a string",
}
"""What builtins give that are no lists, though they may hold functions."""


class ListChanges:
    """The lists as they are after the statements so far. `range` is the statement that gave the list its value."""

    def __init__(self, followed: FollowedNames, bindings: Bindings) -> None:
        self._followed = followed
        self._bindings = bindings
        self._sequences = Sequences(bindings, lambda name: self.held.get(name))
        self.held: Held = {}
        self.range: Range | None = None
        self._lines = Lines("")
        self._unknown: frozenset[str] = frozenset()

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
        other = self._other_kind(at.of(value).meant())
        if other is not None:
            return Cell(wrong=replace(read_value(value, at.lines), words=other))
        read = self._sequences.read(at.of(value))
        if read is not None:
            return read
        here = at.of(value).meant()
        seen = read_value(here.node, here.lines)
        if self._is_wrong(here, seen.kind):
            return Cell(wrong=replace(read_value(value, at.lines), words=seen.words))
        return Cell(computed=[Computed(at.of(value).range, "computed")])

    def _other_kind(self, at: Element) -> str | None:
        """What a call of a builtin, of a method of a dict or of a generator function gives that is no list; None where
        it may be one."""
        if isinstance(at.node, ast.Name):
            definition = self._bindings.effective(at.node.id)
            return f"the class '{at.node.id}'" if definition is not None and definition.kind is Binding.CLASS else None
        if not isinstance(at.node, ast.Call):
            return None
        function = at.node.func
        if isinstance(function, ast.Attribute):
            is_view = function.attr in ("values", "keys", "items") and not at.node.args
            return "a view of a dict" if is_view and self._sequences.iterated(at) is not None else None
        if not isinstance(function, ast.Name):
            return None
        definition = self._bindings.effective(function.id)
        if definition is None:
            return None if self._bindings.knows(function.id) else _OTHER_KINDS.get(function.id)
        if isinstance(definition.node, ast.FunctionDef) and not definition.node.decorator_list:
            return "a generator" if _yields(definition.node) else None
        return None

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
        if isinstance(call, ast.NamedExpr):
            self._assign(ast.copy_location(ast.Assign([call.target], call.value), node), at)
            return
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
        module = f"{'.' * node.level}{node.module or ''}" if isinstance(node, ast.ImportFrom) else ""
        home = self._bindings.around.imported(module) if module else None
        place = at.of_statement(node)
        for alias in node.names:
            name = alias.asname or alias.name
            brought = {name: alias.name} if name in self._followed.names else {}
            if name == "*" and home is not None:
                brought = {one: one for one in self._followed.names & {*(home.file.public_names or ())}}
            for own, original in brought.items():
                cell = None if home is None else self._sequences.of_home(home, original, place)
                self._set(own, cell or Cell(computed=[Computed(place, "imported")]), place)

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

    def _target(self, node: ast.stmt, target: ast.expr, at: Element) -> None:
        for inner in ast.walk(target):
            if isinstance(inner, ast.Name) and inner.id in self._followed.names and isinstance(inner.ctx, ast.Store):
                self._set(inner.id, Cell(computed=[self._note(node, at, "assigned here")]), at.of_statement(node))

    def _doubt(self, cell: Cell, node: ast.stmt, at: Element) -> None:
        if at.conditional:
            note = self._note(node, at, "changed under a condition")
            if note not in cell.computed:
                cell.computed.append(note)

    def _note(self, node: ast.stmt, at: Element, what: str) -> Computed:
        return Computed(at.of_statement(node), what)


def _yields(function: ast.FunctionDef) -> bool:
    """Whether a function is a generator."""
    stack: list[ast.AST] = [*function.body]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            stack += ast.iter_child_nodes(node)
    return False
