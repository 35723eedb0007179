"""What a person is shown of an agent's tools without running it. `get_tools` is never called for that."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass

from adal_ls import naming
from adal_ls.sdk.errors import InvalidConfigError
from adal_ls.sdk.provider import Source, ToolSummary, as_provider
from adal_ls.sdk.toolset import ToolEntry, read_tool_set


@dataclass(frozen=True, slots=True)
class ToolListing:
    """Tools as far as they are known without a context. Not `complete`: there may be more, or others."""

    tools: tuple[ToolSummary, ...] = ()
    complete: bool = True


def list_tools(source: Source) -> ToolListing:
    """The tools of one source.

    A provider without `list_tools` cannot list: its listing is empty and not complete. So is one where it returns None.

    Raises:
        InvalidConfigError: `list_tools` gives something else than tools.
    """
    provider = as_provider(source)
    if provider is None:
        entries = read_tool_set(source)  # type: ignore[arg-type]  # no provider, so a set
        known = tuple(_summary(entry) for entry in entries if entry.name is not None)
        return ToolListing(known, complete=len(known) == len(entries))
    inner = getattr(provider, "combined_sources", None)
    if isinstance(inner, tuple):
        parts = [list_tools(each) for each in inner]
        return ToolListing(tuple(tool for part in parts for tool in part.tools), all(part.complete for part in parts))
    lists = getattr(provider, "list_tools", None)
    given = None if lists is None else lists()
    if given is None:
        return ToolListing(complete=False)
    if not isinstance(given, (list, tuple)):
        raise InvalidConfigError(f"list_tools must give a list, not {type(given).__name__}")
    return ToolListing(tuple(_read(tool) for tool in given))


def list_agent_tools(runtime_tools: Source, agent_tools: Source) -> ToolListing:
    """The tools of an agent, the runtime's below its own."""
    below, own = list_tools(runtime_tools), list_tools(agent_tools)
    merged = {naming.canonical(tool.name): tool for tool in (*below.tools, *own.tools)}
    return ToolListing(tuple(merged.values()), below.complete and own.complete)


def _summary(entry: ToolEntry) -> ToolSummary:
    text = entry.description
    if text is None and entry.function is not None:
        text = (inspect.getdoc(entry.function) or "").partition("\n\n")[0]
    return ToolSummary(str(entry.name), text or str(entry.name))


def _read(tool: object) -> ToolSummary:
    """A summary of whatever make: an object or a mapping with a name; a missing description is the name."""
    if isinstance(tool, Mapping):
        name, description = tool.get("name"), tool.get("description")
    else:
        name, description = getattr(tool, "name", None), getattr(tool, "description", None)
    if not isinstance(name, str) or not name:
        raise InvalidConfigError(f"list_tools gave {tool!r}, which has no name; give ToolSummary(name, description)")
    return ToolSummary(name, description if isinstance(description, str) and description else name)
