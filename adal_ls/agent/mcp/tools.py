"""The tools that an MCP server lists, checked, and laid into the registry of a run. Pure.

A server is somebody else's program: what it lists is read like what a hostile worker says. What it says about its own
tools' harmlessness (annotations) is not read at all.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from adal_ls import naming
from adal_ls.agent.approvals.digest import canonical
from adal_ls.agent.approvals.visible import visible
from adal_ls.agent.mcp.settings import label, told
from adal_ls.agent.projects.custom import ToolCaller
from adal_ls.agent.runs.registry import MAX_SCHEMA, MAX_TOOLS, RegisteredTool, RegistryError, ToolRegistry
from adal_ls.sdk.errors import InvalidConfigError
from adal_ls.sdk.hosted import McpServer, hosted_to_wire

MAX_LISTED = 1000
"""Tools that a server may list; who lists more is not read to the end."""

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]{0,127}")
_DEPTH = 60


@dataclass(frozen=True, slots=True)
class McpTool:
    """One tool as the server lists it. `digest`: of the server and all that it says the tool is."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    digest: str


@dataclass(frozen=True, slots=True)
class McpListing:
    """What a server has. `left_out` says which of its tools cannot be used, and why."""

    tools: Mapping[str, McpTool]
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ServedTools:
    """The tools of one server for one run, under the names they have in it."""

    server: McpServer
    tools: tuple[RegisteredTool, ...]
    left_out: tuple[str, ...] = ()


def read_listing(listed: Iterable[Mapping[str, Any]], identity: str) -> McpListing:
    """What a server lists, in the JSON form of the protocol. `identity`: which server it is."""
    entries = list(listed)
    counted = Counter(_name(entry) for entry in entries)
    tools: dict[str, McpTool] = {}
    left_out: list[str] = []
    for entry in entries:
        name = _name(entry)
        reason = "the name is used more than once" if counted[name] > 1 else _refusal(entry)
        if reason is None:
            tools[name] = McpTool(
                name,
                # Signs that nobody sees can carry words to a model that no person reads.
                visible(entry.get("description") or entry.get("title") or ""),
                entry["inputSchema"],
                _digest(entry, identity),
            )
        else:
            left_out.append(f"'{visible(name)[:80]}': {reason}")
    return McpListing(MappingProxyType(tools), tuple(dict.fromkeys(left_out)))


def identity_of(server: McpServer, said: str, files: Mapping[str, str]) -> str:
    """What an answer about a server's tool is bound to: how it is reached, its name and version as it says, and the
    files of the project that its command names."""
    wire = hosted_to_wire(server)
    reached = {key: wire[key] for key in wire if key not in ("requireApproval", "timeoutMs", "prefix", "only")}
    return canonical([reached, said, dict(files)])


def serve(server: McpServer, listing: McpListing, caller: ToolCaller) -> ServedTools:
    """The tools of a server that are wanted, as a run has them; `caller` calls them by these names.

    Raises:
        InvalidConfigError: `only` names a tool that the server does not have.
    """
    wanted = listing.tools if server.only is None else dict.fromkeys(server.only)
    if missing := [name for name in wanted if name not in listing.tools]:
        there = ", ".join(listing.tools) or "none"
        raise InvalidConfigError(
            f"MCP server '{label(server)}' has no tool '{visible(missing[0])[:80]}', which only=[...] names; "
            f"it has: {there[:500]}"
        )
    tools = tuple(_registered(server, listing.tools[name], caller) for name in wanted)
    left_out = () if server.only is not None else listing.left_out
    return ServedTools(server, tools, tuple(f"MCP server '{label(server)}': {text}" for text in left_out))


def add_served(
    registry: ToolRegistry,
    served: Sequence[ServedTools],
    *,
    enabled: Collection[str] | None = None,
    disabled: Collection[str] | None = None,
) -> ToolRegistry:
    """`registry` with the tools of these servers beside all others: theirs replace none and are replaced by none, so
    that no server can put its tool in another's place.

    Raises:
        InvalidConfigError: two sources give a tool of one name; the text names both.
        ValueError: `enabled` and `disabled` are both given or name something unknown.
        RegistryError: more tools than a model provider takes.
    """
    allowed = naming.select_builtins(naming.RESERVED, enabled, disabled)
    tools = dict(registry.tools)
    owners = {_key(tool.name): (tool.name, _owner(tool)) for tool in registry.tools.values()}
    aliases = {tool.alias for tool in registry.tools.values()}
    left_out = list(registry.left_out)
    for source in served:
        owner = f"the MCP server '{label(source.server)}'"
        left_out += source.left_out
        for tool in source.tools:
            key = _key(tool.name)
            if key in naming.RESERVED and key not in allowed:
                left_out.append(f"{owner}: {tool.name!r}: the built-in tool of this name is disabled")
                continue
            if key in owners:
                raise _clash(tool.name, owner, *owners[key])
            if tool.alias in aliases:
                raise _clash(tool.alias, owner, tool.alias, "another source")
            owners[key] = (tool.name, owner)
            aliases.add(tool.alias)
            tools[tool.name] = tool
    if len(tools) > MAX_TOOLS:
        counts = ", ".join(f"{len(source.tools)} of '{label(source.server)}'" for source in served)
        raise RegistryError(
            f"{len(tools)} tools ({counts}), but model providers take at most {MAX_TOOLS}: choose some by only=[...]"
        )
    return ToolRegistry(MappingProxyType(tools), tuple(left_out))


def _clash(name: str, owner: str, other_name: str, other: str) -> InvalidConfigError:
    both = f"'{name}'" if name == other_name else f"'{name}' and '{other_name}'"
    return InvalidConfigError(
        f"{owner} and {other} both give a tool {both}; give the server a prefix=..., "
        "or leave the tool out by only=[...]"
    )


def _owner(tool: RegisteredTool) -> str:
    if tool.kind == "builtin":
        return "the built-in tools"
    place = tool.location
    if place is None:
        return "the agent's own code"
    return f"the agent's own code ({place.uri.rsplit('/', 1)[-1]}:{place.range.start.line + 1})"


def _key(name: str) -> str:
    """Names that differ only in case are one to a person, and to some models."""
    return naming.canonical(name).casefold()


def _registered(server: McpServer, tool: McpTool, caller: ToolCaller) -> RegisteredTool:
    name = server.prefix + tool.name
    return RegisteredTool(
        name=name,
        alias=naming.provider_alias(name),
        description=tool.description,
        parameters=tool.parameters,
        kind="custom",
        require_approval=server.require_approval,
        source_digest=tool.digest,
        risks=(f"runs on the MCP server '{label(server)}': {told(server)}",),
        served=True,
        caller=caller,
    )


def _name(entry: Mapping[str, Any]) -> str:
    name = entry.get("name")
    return name if isinstance(name, str) else ""


def _refusal(entry: Mapping[str, Any]) -> str | None:
    if not _NAME.fullmatch(_name(entry)):
        return "its name is not up to 128 letters, digits, '_', '-', '.' and '/'"
    schema = entry.get("inputSchema")
    if not isinstance(schema, dict) or schema.get("type") != "object":
        return 'its parameters are not a JSON Schema of type "object"'
    if _is_deeper(schema, _DEPTH):
        return f"its schema is nested more than {_DEPTH} levels deep"
    texts = [text for key in ("description", "title") if (text := entry.get(key)) is not None]
    if not all(isinstance(text, str) for text in texts):
        return "its description is no text"
    size = len(canonical(schema)) + sum(len(text.encode("utf-8", "replace")) for text in texts)
    if size > MAX_SCHEMA:
        return f"its description and schema take {size} bytes, more than {MAX_SCHEMA}"
    return _schema_problem(schema)


def _schema_problem(schema: Mapping[str, Any]) -> str | None:
    """One tool with a schema that is none makes model providers refuse every request of the run."""
    from jsonschema import Draft202012Validator, SchemaError

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as fault:
        return f"its parameters are no JSON Schema: {visible(fault.message)[:200]}"
    return None


def _digest(entry: Mapping[str, Any], identity: str) -> str:
    """Whatever a person or a model was told about a tool is part of what was allowed (CVE-2025-54136)."""
    said = {
        key: entry.get(key) for key in ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
    }
    text = json.dumps([identity, said], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _is_deeper(value: object, levels: int) -> bool:
    if levels == 0:
        return True
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(_is_deeper(item, levels - 1) for item in inner if isinstance(item, (dict, list)))
