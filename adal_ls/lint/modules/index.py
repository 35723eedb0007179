"""What the names of a module stand for, kept up to date while its chunks change, with a note of who asked for which."""

from __future__ import annotations

from bisect import insort
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from adal_ls.lint.fixes.nearest import KnownNames
from adal_ls.lint.modules.around import Around, Modules, Resolve
from adal_ls.lint.modules.bindings import Bindings, Definition, starred
from adal_ls.lint.modules.names import Names
from adal_ls.lint.reading.rows import Held
from adal_ls.schema.scope import Scope
from adal_ls.schema.scope import read as read_scope

T = TypeVar("T")
EVERYTHING = "*"
FUNCTIONS = "functions "
"""The key for the names of all functions."""


def whole(name: str) -> str:
    """The key for a function with all that is in it, where `name` alone is the key for what kind of thing it is."""
    return f"def {name}"


class Asked:
    """Notes which names are asked for."""

    __slots__ = ("_keys",)

    def __init__(self) -> None:
        self._keys: set[str] | None = None

    def note(self, key: str) -> None:
        if self._keys is not None:
            self._keys.add(key)

    def note_all(self, keys: Iterable[str]) -> None:
        if self._keys is not None:
            self._keys.update(keys)

    @contextmanager
    def noting(self) -> Iterator[set[str]]:
        """The keys that are asked for inside; they count as asked for outside as well."""
        outer, self._keys = self._keys, set()
        keys = self._keys
        try:
            yield keys
        finally:
            self._keys = outer
            self.note_all(keys)


class Recorded(dict[str, T]):
    """A dict that notes which keys are asked for."""

    __slots__ = ("_asked", "_prefix")

    def __init__(self, asked: Asked, prefix: str = "") -> None:
        super().__init__()
        self._asked = asked
        self._prefix = prefix

    def key(self, name: str) -> str:
        """What is noted when `name` is asked for."""
        return self._prefix + name

    def get(self, key: str, default: T | None = None) -> T | None:  # type: ignore[override]
        self._asked.note(self._prefix + key)
        return super().get(key, default)

    def __getitem__(self, key: str) -> T:
        self._asked.note(self._prefix + key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self._asked.note(f"{self._prefix}{key}")
        return super().__contains__(key)

    def __iter__(self) -> Iterator[str]:
        self._asked.note(EVERYTHING)
        return super().__iter__()

    def now(self, key: str) -> T | None:
        """The value of a key, without a note."""
        return super().get(key)


class RecordedNames(Names):
    """Names that remember, with each meaning, what it was found by."""

    def __init__(self, scope: Scope, bindings: Bindings, asked: Asked) -> None:
        super().__init__(scope, bindings)
        self._asked = asked
        self._found_by: dict[str, set[str]] = {}

    def root(self, name: str, steps: int = 0) -> str | None:
        if name in self._known:
            self._asked.note_all(self._found_by[name])
            return self._known[name]
        with self._asked.noting() as keys:
            self._asked.note(name)
            found = self._known[name] = self._find(name, steps)
        self._found_by[name] = keys
        return found

    def function(self, name: str) -> Definition | None:
        self._asked.note(whole(name))
        return super().function(name)


class Index:
    """The bindings of a module. `names` is what rules see; it stays the same object while nothing that they may have
    asked for changes in kind."""

    def __init__(self, resolve: Resolve | None = None) -> None:
        self.asked = Asked()
        self.modules = None if resolve is None else Modules(resolve, self.asked.note)
        self._around = Around(self.modules)
        self._by_star: dict[Held, tuple[Definition, ...]] = {}
        self.definitions: Recorded[tuple[Definition, ...]] = Recorded(self.asked)
        self._changers: Recorded[set[Held]] = Recorded(self.asked, prefix="list ")
        self._scope = Scope(names=Recorded(self.asked), siblings=None if self.modules is None else self.modules.scopes)
        self._binders: dict[str, list[Held]] = {}
        self._wordy: set[Held] = set()
        self._open: set[Held] = set()
        self._starred: set[Held] = set()
        self._askers: dict[str, set[object]] = {}
        self._function_names: KnownNames | None = None
        self._asked_by: dict[object, frozenset[str]] = {}
        self.names = self._names(frozenset(), is_open=False)

    @property
    def bindings(self) -> Bindings:
        return self.names.bindings

    def update(self, gone: Iterable[Held], came: Iterable[Held]) -> Generator[None, None, set[str]]:
        """Take chunks out and others in, in steps. Returns the keys whose answers changed; `EVERYTHING` where all may
        have."""
        gone, came = [*gone], [*came]
        touched = {name for held in gone for name in self._bound_by(held)}
        known = {held: self._bound_by(held) for held in gone}
        more = {held: starred(held.chunk.bound, self._around) for held in came if held.chunk.bound.stars}
        touched |= {name for held in came for name in _bound_by(held)}
        touched |= {definition.name for found, _ in more.values() for definition in found}
        before = {name: self._meaning(name) for name in touched}
        for held in gone:
            for name in known[held]:
                self._binders[name].remove(held)
            self._by_star.pop(held, None)
            for kept in (self._wordy, self._open, self._starred):
                kept.discard(held)
            self.set_asked(held, ())
        for held in came:
            found, is_open = more.get(held, ((), held.chunk.bound.open))
            if found:
                self._by_star[held] = found
            self._take_in(held, is_open=is_open)
            yield
        for name in touched:
            self._bind(name)
            yield
        changed = {name for name in touched if self._meaning(name) != before[name]}
        if changed:
            changed.add(FUNCTIONS)
            self._follow_functions(changed)
        changed |= self._renew_names(changed)
        return changed | {whole(name) for name in touched} | self._follow_changers(gone, came)

    def list_key(self, name: str) -> str:
        """The key for the statements that change what a name holds."""
        return self._changers.key(name)

    def _follow_changers(self, gone: list[Held], came: list[Held]) -> set[str]:
        """Bring in line which statements change lists. Returns the keys that changed."""
        touched = set[str]()
        for held in gone:
            for name in held.chunk.changes:
                touched.add(name)
                self._changers.setdefault(name, set()).discard(held)
        for held in came:
            for name in held.chunk.changes:
                touched.add(name)
                self._changers.setdefault(name, set()).add(held)
        for name in touched:
            if not self._changers.now(name):
                self._changers.pop(name, None)
        return {self._changers.key(name) for name in touched}

    def function_names(self) -> KnownNames:
        """The functions of the module that hold at its end."""
        self.asked.note(FUNCTIONS)
        if self._function_names is None:
            self._function_names = KnownNames(definition.name for definition in self.bindings.functions())
        return self._function_names

    def _follow_functions(self, changed: set[str]) -> None:
        if self._function_names is not None:
            for name in changed - {FUNCTIONS}:
                is_function = any(found.name == name for found in self._holds(name))
                (self._function_names.add if is_function else self._function_names.discard)(name)

    def _holds(self, name: str) -> list[Definition]:
        """The function that a name means at the end of the module, if any."""
        return Bindings({name: self.definitions.now(name) or ()}, False, frozenset()).functions()

    def set_asked(self, asker: object, keys: Iterable[str]) -> None:
        """Note that what is known of `asker` was found by `keys`; by none: it is gone."""
        new, old = frozenset(keys), self._asked_by.pop(asker, frozenset())
        for key in old - new:
            self._askers[key].discard(asker)
        for key in new - old:
            self._askers.setdefault(key, set()).add(asker)
        if new:
            self._asked_by[asker] = new

    def askers(self, changed: set[str]) -> set[object]:
        """Who asked for what changed."""
        if EVERYTHING in changed:
            return {*self._asked_by}
        keys = changed | {EVERYTHING} if changed else changed
        return set().union(*(self._askers.get(key, ()) for key in keys))

    def _bound_by(self, held: Held) -> set[str]:
        return _bound_by(held) | {definition.name for definition in self._by_star.get(held, ())}

    def with_stars(self) -> list[Held]:
        """The chunks that import all names of a module."""
        return sorted(self._starred, key=lambda held: held.first)

    def _take_in(self, held: Held, *, is_open: bool) -> None:
        for name in self._bound_by(held):
            insort(self._binders.setdefault(name, []), held, key=lambda other: other.first)
        bound, scope = held.chunk.bound, held.chunk.scope
        if bound.words:
            self._wordy.add(held)
        if is_open:
            self._open.add(held)
        if scope.stars:
            self._starred.add(held)

    def _bind(self, name: str) -> None:
        binders = self._binders[name]
        definitions = tuple(
            definition
            for held in binders
            for definition in (*held.chunk.bound.definitions, *self._by_star.get(held, ()))
            if definition.name == name
        )
        if definitions:
            self.definitions[name] = definitions
        else:
            self.definitions.pop(name, None)
        inside = [held for held in binders if name in held.chunk.scope.names]
        if len(inside) == 1:
            self._scope.names[name] = inside[0].chunk.scope.names[name]
        elif inside:  # as one text would bind it
            body = [node for held in inside for node in held.chunk.parsed.body]
            self._scope.names[name] = read_scope(body).names[name]
        else:
            self._scope.names.pop(name, None)
        if not binders:
            del self._binders[name]

    def _meaning(self, name: str) -> object:
        names = self._scope.names
        assert isinstance(names, Recorded)  # noqa: S101
        bound = (dict.__contains__(names, name), names.now(name))
        kinds = [
            (d.kind, d.conditional, d.type_checking, d.original, d.module) for d in self.definitions.now(name) or ()
        ]
        return bound, kinds

    def _renew_names(self, changed: set[str]) -> set[str]:
        """Make `names` anew if it would give another answer. Returns the keys that changed by that."""
        old = self.names
        words = frozenset[str]().union(*(held.chunk.bound.words for held in self._wordy))
        stars = [star for held in sorted(self._starred, key=lambda h: h.first) for star in held.chunk.scope.stars]
        typing_star = any(held.chunk.scope.typing_star for held in self._starred)
        more = set(words ^ old.bindings.unreadable)
        is_open = bool(self._open)
        if is_open != old.bindings.open or stars != self._scope.stars:
            more.add(EVERYTHING)
        if not more and not changed:
            return more
        self._scope.stars, self._scope.typing_star = stars, typing_star
        self.names = self._names(words, is_open=is_open)
        for pattern in ("effect_words", "output_words"):
            if getattr(self.names, pattern) != getattr(old, pattern):
                more.add(EVERYTHING)
        return more

    def _names(self, words: frozenset[str], *, is_open: bool) -> RecordedNames:
        return RecordedNames(
            self._scope, Bindings(self.definitions, is_open, words, self._changers, self._around), self.asked
        )


def _bound_by(held: Held) -> set[str]:
    names = {definition.name for definition in held.chunk.bound.definitions}
    return names | held.chunk.scope.names.keys() if held.chunk.scope.names else names
