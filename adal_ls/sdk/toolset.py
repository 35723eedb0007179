"""Tool sets: what `tools=` and `get_tools` give, read into entries.

A tool set is a mapping `{name: tool}`, or a list or tuple of tools as in CUSTOM_TOOLS. A tool is a function, a dict
`{"function", "name"?, "description"?, "require_approval"?}`, or a descriptor of a tool that the host serves
(`WorkspaceTool`, `McpServer`). In a mapping the key is the name.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adal_ls import naming
from adal_ls.sdk.errors import InvalidConfigError
from adal_ls.sdk.hosted import McpServer, WorkspaceTool

ToolFunction = Callable[..., Any]
Tool = ToolFunction | Mapping[str, Any] | WorkspaceTool | McpServer
ToolSet = Mapping[str, Tool] | Sequence[Tool]

KEYS = frozenset({"function", "name", "description", "require_approval"})


@dataclass(frozen=True, slots=True)
class ToolEntry:
    """One tool of a set. `function` is None where the host serves it: then `hosted` says how.

    `name` is None for an MCP server alone: its tools are known once it is connected.
    """

    name: str | None
    function: ToolFunction | None = None
    description: str | None = None
    require_approval: bool = True
    hosted: WorkspaceTool | McpServer | None = None


def read_tool_set(tools: ToolSet | None) -> tuple[ToolEntry, ...]:
    """The entries of a tool set, in its order.

    Raises:
        InvalidConfigError: not a tool set, an entry that is no tool, a name that is no Python identifier, or one that
            is used twice. Which, and where, stands in the text.
    """
    if tools is None:
        return ()
    if isinstance(tools, Mapping):
        entries = [_named(name, tool) for name, tool in tools.items()]
    elif isinstance(tools, (list, tuple)):
        entries = [_entry(f"entry {index} of the tool set", tool, None) for index, tool in enumerate(tools)]
    else:
        raise InvalidConfigError(
            f"a tool set is a mapping of names to tools, or a list or tuple of tools, not {_kind(tools)}"
        )
    _refuse_twice(entries)
    return tuple(entries)


def _named(name: object, tool: object) -> ToolEntry:
    if not isinstance(name, str):
        raise InvalidConfigError(f"the names of a tool set are strings, not {_kind(name)}")
    return _entry(f"tool '{name}'", tool, name)


def _entry(where: str, tool: object, key: str | None) -> ToolEntry:
    if isinstance(tool, McpServer):
        if key is not None:
            raise InvalidConfigError(f"{where} is an MCP server, which has many tools: put it into a list, not a dict")
        return ToolEntry(None, hosted=tool, require_approval=tool.require_approval)
    if isinstance(tool, WorkspaceTool):
        if key not in (None, tool.name):
            raise InvalidConfigError(f"{where} is the workspace tool '{tool.name}', which keeps its name")
        return ToolEntry(tool.name, hosted=tool)
    settings: Mapping[Any, object] = tool if isinstance(tool, Mapping) else {"function": tool}
    if unknown := [key for key in settings if key not in KEYS]:
        raise InvalidConfigError(f"{where}: unknown key {unknown[0]!r}; known: {', '.join(sorted(KEYS))}")
    function = settings.get("function")
    if not callable(function) or inspect.isclass(function):
        raise InvalidConfigError(f"{where} must be a function or a dict with one under 'function', not {_kind(tool)}")
    given, description, approval = (settings.get(key) for key in ("name", "description", "require_approval"))
    for what, value, kind in (("name", given, str), ("description", description, str)):
        if value is not None and not isinstance(value, kind):
            raise InvalidConfigError(f"{where}: {what} must be text, not {_kind(value)}")
    if key is not None and given not in (None, key):
        raise InvalidConfigError(f"{where} also has the name {given!r}; give one of the two")
    if approval is not None and not isinstance(approval, bool):
        raise InvalidConfigError(f"{where}: require_approval must be True or False, not {_kind(approval)}")
    name = key or given or _own_name(function)
    return ToolEntry(
        _checked(name, where),
        function,
        description if isinstance(description, str) else None,
        approval is not False,
    )


def _own_name(function: object) -> object:
    name = getattr(function, "__name__", None)  # partials and callable objects have none, lambdas a useless one
    return None if name == "<lambda>" else name


def _checked(name: object, where: str) -> str:
    if not isinstance(name, str) or not name:
        raise InvalidConfigError(f"{where} has no name of its own; write {{'function': ..., 'name': '...'}}")
    if not naming.is_identifier(name) or naming.is_keyword(name):
        raise InvalidConfigError(f"{where}: tool name {name!r} is not a Python identifier, or a keyword")
    return name


def _refuse_twice(entries: Iterable[ToolEntry]) -> None:
    seen: set[str] = set()
    for entry in entries:
        if entry.name is None:
            continue
        if naming.canonical(entry.name) in seen:
            raise InvalidConfigError(f"tool name '{entry.name}' is used twice in one tool set")
        seen.add(naming.canonical(entry.name))


def _kind(value: object) -> str:
    if inspect.isclass(value):
        return f"the class {value.__name__}"
    return "None" if value is None else f"an object of type {type(value).__name__}"
