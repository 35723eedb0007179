"""From CUSTOM_TOOLS to the tools that can be called. In the worker.

Source: the custom-tools document ("The CUSTOM_TOOLS List", "Naming Rules").
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from adal_ls import naming
from adal_ls.schema import ToolSchema, from_runtime
from adal_ls.worker.data import LoadedTool, LoadProblem
from adal_ls.worker.frames import message

MOST_ENTRIES = 20_000
KEYS = frozenset({"function", "name", "description", "require_approval"})

Function = Callable[..., Any]


@dataclass(frozen=True, slots=True, eq=False)
class ListedTool:
    """A tool with its live function."""

    function: Function
    schema: ToolSchema
    loaded: LoadedTool


@dataclass(frozen=True, slots=True)
class _Entry:
    index: int
    function: Function
    name: str
    description: str | None
    require_approval: bool

    @property
    def overrides(self) -> tuple[object, ...]:
        return self.name, self.description, self.require_approval


class _Absent:
    pass


ABSENT = _Absent()


def read_custom_tools(value: object, file: str) -> tuple[list[ListedTool], list[LoadProblem]]:
    """The tools of CUSTOM_TOOLS (`ABSENT` where the file defines none) and what is wrong with the others.

    Nothing is iterated but a list or tuple: a generator would be used up.
    """
    problems: list[LoadProblem] = []
    if isinstance(value, _Absent):
        text = "the file defines no CUSTOM_TOOLS, so it gives no tools; add CUSTOM_TOOLS = [...] with its functions"
        return [], [LoadProblem(text)]
    items = _items(value)
    if items is None:
        text = f"CUSTOM_TOOLS must be a list or a tuple, not {_kind(value)}; it gives no tools"
        return [], [LoadProblem(text)]
    if len(items) > MOST_ENTRIES:
        text = f"CUSTOM_TOOLS has {len(items)} entries, more than {MOST_ENTRIES}; it gives no tools"
        return [], [LoadProblem(text)]
    entries, tools = [], []
    for index, item in enumerate(items):
        with _reporting(index, problems):
            entry = _entry(index, item, problems)
            if entry is not None:
                entries.append(entry)
    for entry in _without_duplicates(entries, problems):
        with _reporting(entry.index, problems):
            tool = _listed(entry, file, problems)
            if tool is not None:
                tools.append(tool)
    return tools, sorted(problems, key=lambda problem: -1 if problem.entry is None else problem.entry)


def _items(value: object) -> list[object] | None:
    """What a list or tuple holds; None for anything else. By its type: an object can say that it is a list, and a
    subclass can hand out anything when it is iterated."""
    kind = type(value)
    if issubclass(kind, list):
        return list(list.__iter__(value))  # type: ignore[arg-type]
    return list(tuple.__iter__(value)) if issubclass(kind, tuple) else None  # type: ignore[arg-type]


@contextmanager
def _reporting(index: int, problems: list[LoadProblem]) -> Iterator[None]:
    """An entry that raises when it is looked at (descriptors, dict subclasses) costs no other its place."""
    try:
        yield
    except BaseException as fault:  # noqa: BLE001 - code of the project
        text = f"entry {index} of CUSTOM_TOOLS cannot be read ({message(fault)})"
        problems.append(LoadProblem(text, entry=index))


def _entry(index: int, item: object, problems: list[LoadProblem]) -> _Entry | None:
    def refuse(text: str) -> None:
        problems.append(LoadProblem(text, entry=index))

    settings: dict[object, object] = {"function": item}
    if issubclass(type(item), dict):
        settings = dict.copy(item)  # type: ignore[arg-type]
    if "function" not in settings:
        refuse(f"entry {index} of CUSTOM_TOOLS has no 'function' key")
        return None
    function: Any = settings["function"]
    if not callable(function):
        refuse(f"entry {index} of CUSTOM_TOOLS must be a function or a dict, not {_kind(function)}")
        return None
    if inspect.isclass(function):
        refuse(f"entry {index} of CUSTOM_TOOLS is the class {function.__name__}; list a function")
        return None
    name = _name(settings, function)
    if name is None:
        refuse(
            f"entry {index} of CUSTOM_TOOLS needs a name: {_kind(function)} has none of its own; write "
            '{"function": ..., "name": "..."}'
        )
        return None
    reason = _refused(name)
    if reason is not None:
        problems.append(LoadProblem(reason[1], reason[0], name, index))
        return None
    problems.extend(_notes(index, name, settings))
    description = settings.get("description")
    return _Entry(
        index,
        function,
        name,
        description if isinstance(description, str) else None,
        settings.get("require_approval", True) is not False,  # only the literal False skips the question
    )


def _name(settings: dict[object, object], function: Function) -> str | None:
    given = settings.get("name")
    if isinstance(given, str):
        return str.__str__(given)  # of a subclass, the text itself: its methods may tell something else
    if given is not None:
        return None
    own = getattr(function, "__name__", None)  # partials and callable objects have none, lambdas a useless one
    return own if isinstance(own, str) and own != "<lambda>" else None


def _refused(name: str) -> tuple[str, str] | None:
    """Code and text of the naming rule that leaves a tool of this name out."""
    if not naming.is_identifier(name):
        return "ADAL101", f"tool name {name!r} is not a Python identifier"
    if naming.is_keyword(name):
        return "ADAL102", f"tool name '{name}' is a Python keyword"
    if naming.is_refused(name):
        return "ADAL104", f"tool name '{name}' is the name of a built-in tool"
    return None


def _notes(index: int, name: str, settings: dict[object, object]) -> list[LoadProblem]:
    """Findings that leave the tool working."""
    texts = [
        f"tool '{name}': unknown key {key!r}; known: {', '.join(sorted(KEYS))}" for key in settings if key not in KEYS
    ]
    approval = settings.get("require_approval", True)
    if not isinstance(approval, bool):
        texts.append(f"tool '{name}': require_approval must be True or False, not {approval!r}; the tool will ask")
    description = settings.get("description")
    if description is not None and not isinstance(description, str):
        texts.append(f"tool '{name}': description must be text, not {_kind(description)}; the docstring is used")
    return [LoadProblem(text, None, name, index, left_out=False) for text in texts]


def _without_duplicates(entries: list[_Entry], problems: list[LoadProblem]) -> list[_Entry]:
    """The entries whose name is theirs alone: a call must never reach the wrong function."""
    by_name: dict[str, list[_Entry]] = {}
    for entry in entries:
        by_name.setdefault(naming.canonical(entry.name), []).append(entry)
    kept = []
    for first, *others in by_name.values():
        same = all(_equal(other.function, first.function) and other.overrides == first.overrides for other in others)
        if same:
            kept.append(first)
        for entry in others if same else [first, *others]:
            if others:
                text = f"tool name '{entry.name}' is used more than once in CUSTOM_TOOLS" + (
                    "; the same entry counts once" if same else "; none of these tools can be called"
                )
                problems.append(LoadProblem(text, "ADAL103", entry.name, entry.index, left_out=not same))
    return sorted(kept, key=lambda entry: entry.index)


def _equal(one: Function, other: Function) -> bool:
    """Bound methods are made anew at each access, so identity would not do."""
    try:
        return bool(one == other)
    except BaseException:  # noqa: BLE001 - code of the project
        return False


def _listed(entry: _Entry, file: str, problems: list[LoadProblem]) -> ListedTool | None:
    try:
        schema = from_runtime(entry.function)
    except BaseException as fault:  # noqa: BLE001 - reading a signature runs code of the project (descriptors, hints)
        text = f"tool '{entry.name}': its parameters cannot be read ({message(fault)})"
        problems.append(LoadProblem(text, None, entry.name, entry.index))
        return None
    unbound = next((problem for problem in schema.problems if problem.kind == "self"), None)
    if unbound is not None:
        problems.append(LoadProblem(f"tool '{entry.name}': {unbound.message}", None, entry.name, entry.index))
        return None
    problems.extend(
        LoadProblem(f"tool '{entry.name}': {problem.message}", None, entry.name, entry.index, left_out=False)
        for problem in schema.problems
    )
    where, line, function = place_of(entry.function, file)
    loaded = LoadedTool(
        name=entry.name,
        description=schema.description if entry.description is None else entry.description,
        parameters=schema.parameters,
        require_approval=entry.require_approval,
        file=where,
        line=line,
        function=function,
    )
    return ListedTool(entry.function, schema, loaded)


def place_of(function: Function, file: str) -> tuple[str, int, str]:
    inner: Any = function.func if isinstance(function, functools.partial) else function
    inner = inspect.unwrap(inner)
    if not inspect.isroutine(inner):
        inner = type(inner).__call__
    code = getattr(inner, "__code__", None)
    name = str(getattr(inner, "__qualname__", type(function).__name__))
    return (code.co_filename, code.co_firstlineno, name) if code is not None else (file, 1, name)


def _kind(value: object) -> str:
    return "None" if value is None else f"an object of type {type(value).__name__}"
