"""The built-in tools write_todos and read_todos."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adal_ls.agent.builtin import arguments, todos
from adal_ls.agent.builtin.context import BuiltinContext, BuiltinError


async def write_todos(given: Mapping[str, Any], context: BuiltinContext) -> str:
    """Puts a new list in the place of the old one; raises `BuiltinError` for what is no list."""
    arguments.only("write_todos", given, ["todos"])
    try:
        context.todos.replace(todos.parse(given.get("todos")))
    except ValueError as fault:
        raise BuiltinError(str(fault)) from fault
    return context.todos.text()


async def read_todos(given: Mapping[str, Any], context: BuiltinContext) -> str:
    """The list of this run; raises `BuiltinError` for arguments, which it does not have."""
    arguments.only("read_todos", given)
    return context.todos.text()
