"""What the names of a tools file stand for: imports, aliases and builtins, followed without running anything."""

from __future__ import annotations

import ast
import re
from functools import cached_property

from adal_ls.lint import effects
from adal_ls.lint.modules.bindings import Binding, Bindings, Definition
from adal_ls.schema.scope import Scope

_STEPS = 12  # a name may be defined through itself
BUILTINS = frozenset(
    # Listed, not asked for: `exit` and `quit` are there only in some interpreters, and lint must not differ.
    {"print", "input", "open", "eval", "exec", "exit", "quit", "SystemExit", "list", "dict", "set", "tuple"}
    | {"str", "int", "float", "bool", "bytes", "object", "frozenset", "complex", "bytearray", "memoryview", "range"}
    | {"type", "slice", "callable", "any", "all", "property", "staticmethod", "classmethod", "Exception"}
)
_PATH = "pathlib.Path()"
_PATH_MAKERS = frozenset({f"{_PATH}.{step}()" for step in ("resolve", "absolute", "expanduser", "joinpath")})
_PATH_STEPS = _PATH_MAKERS | {f"{_PATH}.parent", "pathlib.Path.cwd()", "pathlib.Path.home()"}


class Names:
    """The names of a module's top level. All that a local rule may know of the rest of the file."""

    def __init__(self, scope: Scope, bindings: Bindings) -> None:
        self.scope = scope
        self.bindings = bindings
        self._known: dict[str, str | None] = {}

    def root(self, name: str, steps: int = 0) -> str | None:
        """The dotted meaning of a plain name ("subprocess", "builtins.open"); None where it cannot be told."""
        if name not in self._known:
            self._known[name] = self._find(name, steps)
        return self._known[name]

    def function(self, name: str) -> Definition | None:
        """The function of the file that a name certainly stands for, with all that is in it."""
        candidates = self.bindings.candidates(name)
        return candidates[0] if len(candidates) == 1 and candidates[0].kind is Binding.FUNCTION else None

    def origin(self, node: ast.expr, steps: int = 0) -> str | None:
        """Where the value of an expression comes from, as a dotted name; a call adds "()".

        `Path(x).unlink` is "pathlib.Path().unlink", and so is `p.unlink` after `p = Path(x) / "a"`.
        """
        if steps > _STEPS:
            return None
        if isinstance(node, ast.Name):
            return self.root(node.id, steps + 1)
        if isinstance(node, ast.Attribute):
            base = self.origin(node.value, steps + 1)
            return _step(f"{base}.{node.attr}") if base else None
        if isinstance(node, ast.Call):
            base = self.origin(node.func, steps + 1)
            return _step(f"{base}()") if base else None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            return _PATH if self.origin(node.left, steps + 1) == _PATH else None
        if isinstance(node, ast.Await | ast.NamedExpr):
            return self.origin(node.value, steps + 1)
        return None

    @property
    def writes_optional(self) -> bool:
        """Whether the file has `Optional` at hand, and so will rather say `Optional[X]` than `X | None`."""
        return self.root("Optional") == "typing.Optional"

    @cached_property
    def output_words(self) -> re.Pattern[str]:
        """Matches every text that can make a ToolOutput: its name, and the names that the file gives it."""
        aliases = sorted(name for name, bound in self.scope.names.items() if _ends_in_output(bound))
        return re.compile(rf"\b(?:{'|'.join(['ToolOutput', *map(re.escape, aliases)])})\b")

    @cached_property
    def effect_words(self) -> re.Pattern[str]:
        """Matches every text that can hold a call which writes, executes, blocks or ends the process."""
        aliases = [name for name in self.scope.names if effects.is_of_interest(self.root(name) or "?")]
        return effects.words(sorted(aliases))

    def _find(self, name: str, steps: int) -> str | None:
        bound = self.scope.names.get(name)
        if isinstance(bound, str):
            return bound
        if name in self.bindings.definitions:
            return self.origin(bound, steps + 1) if isinstance(bound, ast.expr) else None
        if name in self.scope.names or name in self.bindings.unreadable:
            return None
        if name in BUILTINS:
            return f"builtins.{name}"
        return f"typing.{name}" if self.scope.typing_star else None


class LocalNames(Names):
    """The names as seen inside a function: what is bound there comes first, whatever is bound in several ways is
    unknown."""

    def __init__(self, outer: Names) -> None:
        self.scope = outer.scope
        self.bindings = outer.bindings
        self._outer = outer
        self._bound: dict[str, str | ast.expr | None] = {}

    def bind(self, name: str, value: str | ast.expr | None) -> None:
        """Note a binding; `value` is a dotted name, the expression assigned, or None where nothing is known."""
        self._bound[name] = value if self._bound.get(name, value) == value else None

    def root(self, name: str, steps: int = 0) -> str | None:
        if name not in self._bound:
            return self._outer.root(name, steps)
        value = self._bound[name]
        return self.origin(value, steps + 1) if isinstance(value, ast.expr) else value


def _ends_in_output(bound: object) -> bool:
    return isinstance(bound, str | ast.Name | ast.Attribute) and (
        bound.endswith(".ToolOutput")
        if isinstance(bound, str)
        else (bound.id if isinstance(bound, ast.Name) else bound.attr) == "ToolOutput"
    )


def _step(origin: str) -> str:
    return _PATH if origin in _PATH_STEPS else origin
