"""The built-in tools write_todos and read_todos: what a run still has to do, for the model and for whoever watches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

Status = Literal["pending", "in_progress", "completed"]

MOST = 100
LONGEST = 1000
"""Characters of one entry."""

_MARKS: Mapping[Status, str] = {"pending": " ", "in_progress": "~", "completed": "x"}


@dataclass(frozen=True, slots=True)
class Todo:
    content: str
    status: Status


@dataclass(slots=True)
class TodoList:
    """The list of one run. `on_change` hears every new one."""

    on_change: Callable[[tuple[Todo, ...]], None] | None = None
    todos: tuple[Todo, ...] = ()

    def replace(self, todos: tuple[Todo, ...]) -> None:
        self.todos = todos
        if self.on_change is not None:
            self.on_change(todos)

    def text(self) -> str:
        """The list as a model reads it."""
        if not self.todos:
            return "[the list is empty]"
        done = sum(todo.status == "completed" for todo in self.todos)
        lines = [f"[{_MARKS[todo.status]}] {todo.content}" for todo in self.todos]
        return "\n".join([*lines, f"[{done} of {len(self.todos)} completed]"])


def parse(value: object) -> tuple[Todo, ...]:
    """The entries a model sent.

    Raises:
        ValueError: not a list of objects with content and status, too many, or an entry that is too long.
    """
    if not isinstance(value, list):
        raise ValueError("write_todos needs todos: a list of objects with content and status")  # noqa: TRY004
    if len(value) > MOST:
        raise ValueError(f"{len(value)} entries; the list takes at most {MOST}")
    return tuple(_entry(item, number) for number, item in enumerate(value, start=1))


def _entry(item: Any, number: int) -> Todo:
    if not isinstance(item, dict):
        raise ValueError(f"entry {number} is no object with content and status")  # noqa: TRY004
    content, status = item.get("content"), item.get("status", "pending")
    if not isinstance(content, str) or not content.strip() or len(content) > LONGEST:
        raise ValueError(f"content of entry {number} must be a text of 1 to {LONGEST} characters")
    if status not in get_args(Status):
        raise ValueError(f"status of entry {number} must be one of {', '.join(get_args(Status))}, got {status!r}")
    # One line each, so that no entry looks like several.
    return Todo(" ".join(content.split()), cast("Status", status))
