"""The modules beside a tools file, as it imports them: read, never run.

Whoever reads files gives their texts (`Resolve`); lint itself reads none. `.adal` is the last folder that Python looks
in, so a module of the standard library is never one beside the file, and `tools.py` is no part of a package.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from adal_ls.schema.scope import Scope, Siblings
from adal_ls.schema.scope import read as read_scope

if TYPE_CHECKING:
    from adal_ls.lint.model import ToolFile
    from adal_ls.lint.reading.chunks import Chunk


@dataclass(frozen=True, eq=False)
class ModuleText:
    """The text of a module; the same object as long as it is the same text. `key` is what its giver knows it by."""

    key: str
    text: str = field(repr=False)
    package: bool = False


Resolve = Callable[[str], "ModuleText | None"]
"""Gives the text of the module of a dotted name; None where there is none beside the file."""


@dataclass(frozen=True, eq=False)
class Sibling:
    """A module beside the file. `name` is the dotted one that it is imported by."""

    name: str
    text: ModuleText
    file: ToolFile = field(repr=False)
    chunks: tuple[Chunk, ...] = field(repr=False)
    followed: set[str] = field(default_factory=set, repr=False)
    """The lists of it that are being read: modules may import each other in a circle."""

    @property
    def key(self) -> str:
        return self.text.key


def module_key(name: str) -> str:
    """What is noted when a module is asked for."""
    return f"module {name}"


class Modules:
    """The modules beside one tools file, each read once until `refresh`."""

    def __init__(self, resolve: Resolve, note: Callable[[str], None] = lambda _: None) -> None:
        self.resolve = resolve
        self._note = note
        self._texts: dict[str, ModuleText | None] = {}
        self._read: dict[str, Sibling | None] = {}
        self._chunks: dict[ModuleText, tuple[Chunk, ...]] = {}
        self.scopes = _Scopes(self)

    def get(self, name: str) -> Sibling | None:
        """The module of a dotted name."""
        if name.partition(".")[0] in sys.stdlib_module_names:
            return None
        self._note(module_key(name))
        if name not in self._read:
            self._read[name] = None  # for modules that import each other in a circle
            self._read[name] = self._make(name)
        return self._read[name]

    def refresh(self) -> set[str]:
        """Ask for all texts again. Returns the keys of the modules that may be others now."""
        if all(self.resolve(name) is text for name, text in self._texts.items()):
            return set()
        keys = {module_key(name) for name in self._texts}
        self._texts.clear()
        self._read.clear()
        self.scopes.clear()
        return keys

    def copied(self) -> Modules:
        """The same as they are now, for a reader on another thread."""
        other = Modules(self.resolve)
        other._texts, other._chunks = {**self._texts}, {**self._chunks}
        return other

    def _make(self, name: str) -> Sibling | None:
        from adal_ls.lint.reader import join_chunks
        from adal_ls.lint.reading.chunks import read_chunks

        if name not in self._texts:
            self._texts[name] = self.resolve(name)
        text = self._texts[name]
        if text is None:
            return None
        if text not in self._chunks:
            self._chunks = {known: chunks for known, chunks in self._chunks.items() if known in self._texts.values()}
            self._chunks[text] = tuple(read_chunks(text.text))
        chunks = self._chunks[text]
        return Sibling(name, text, join_chunks(chunks, Around(self, name, package=text.package)), chunks)


class Around:
    """What one module sees of those beside it. `name` is empty for the tools file itself."""

    __slots__ = ("modules", "name", "package")

    def __init__(self, modules: Modules | None = None, name: str = "", *, package: bool = False) -> None:
        self.modules = modules
        self.name = name
        self.package = package

    def imported(self, module: str) -> Sibling | None:
        """The module of an import statement, leading dots as they are written."""
        absolute = self.absolute(module)
        return None if absolute is None or self.modules is None else self.modules.get(absolute)

    def absolute(self, module: str) -> str | None:
        """The name of a module as seen from here; None where Python refuses it, since this is no part of a package."""
        dots = len(module) - len(module.lstrip("."))
        if not dots:
            return module
        parts = self.name.split(".") if self.name else []
        up = dots - 1 if self.package else dots
        kept = parts[: len(parts) - up]
        if not kept:
            return None
        return ".".join([*kept, module[dots:]] if module[dots:] else kept)

    def scope(self, statements: Iterable[ast.stmt]) -> Scope:
        """What the names of the module's statements stand for."""
        return read_scope(statements, None if self.modules is None else self.modules.scopes, self.name)


class _Scopes(Siblings):
    """The same modules for whoever looks for classes in them."""

    def __init__(self, modules: Modules) -> None:
        super().__init__(lambda _module, _level: None)
        self._modules = modules
        self._known: dict[Sibling, Scope] = {}

    def clear(self) -> None:
        self._known.clear()

    def scope(self, module: str, level: int) -> Scope | None:
        found = None if level else self._modules.get(module)
        if found is None:
            return None
        if found not in self._known:
            body = [node for chunk in found.chunks for node in chunk.parsed.body]
            self._known[found] = read_scope(body, self, found.name)
        return self._known[found]


NOWHERE = Around()
