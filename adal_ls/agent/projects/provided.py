"""Tools of agents and providers, laid over those that every agent has. By name, later ones win."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from adal_ls import naming
from adal_ls.agent.approvals.digest import bytes_digest, canonical
from adal_ls.agent.projects.custom import ToolCaller
from adal_ls.agent.projects.loading import location
from adal_ls.agent.runs.registry import MAX_SCHEMA, MAX_TOOLS, RegisteredTool, RegistryError, ToolRegistry
from adal_ls.sdk.errors import InvalidConfigError
from adal_ls.worker.data import LoadedTool


def lay_over(
    registry: ToolRegistry,
    provided: Iterable[RegisteredTool],
    *,
    enabled: Collection[str] | None = None,
    disabled: Collection[str] | None = None,
) -> ToolRegistry:
    """`registry` with the provided tools in place of those of the same name.

    A provided tool with the name of a built-in one replaces it, and is left out where that one is disabled: a
    disabled tool must not come back under another hand.

    Raises:
        ValueError: `enabled` and `disabled` are both given or name something unknown.
        RegistryError: more tools than a model provider takes.
    """
    allowed = naming.select_builtins(naming.RESERVED, enabled, disabled)
    tools = {naming.canonical(tool.name): tool for tool in registry.tools.values()}
    left_out = list(registry.left_out)
    for tool in provided:
        key = naming.canonical(tool.name)
        if key in naming.RESERVED and key not in allowed:
            left_out.append(f"{tool.name!r}: the built-in tool of this name is disabled")
            continue
        tools.pop(key, None)
        # Under its alias a model must not reach another tool, whose name is just that.
        taken = {name for other in tools.values() for name in (other.name, other.alias)}
        tools[key] = replace(tool, alias=naming.provider_alias(tool.name, taken)) if tool.alias in taken else tool
    if len(tools) > MAX_TOOLS:
        raise RegistryError(f"{len(tools)} tools, but model providers take at most {MAX_TOOLS}: give the agent fewer")
    return ToolRegistry(MappingProxyType({tool.name: tool for tool in tools.values()}), tuple(left_out))


def registered(tool: LoadedTool, *, caller: ToolCaller, made_of: object, root: Path) -> RegisteredTool:
    """A provider's tool as a run has it, from what its worker told.

    Args:
        made_of: the code, the agent and the context it is made from, as JSON holds them; None where that cannot be
            told, and then no answer about it is remembered.

    Raises:
        InvalidConfigError: no model can be offered such a tool.
    """
    if not naming.is_identifier(tool.name) or naming.is_keyword(tool.name):
        raise InvalidConfigError(f"tool name {tool.name[:80]!r} is not a Python identifier, or a keyword")
    if tool.parameters.get("type") != "object":
        raise InvalidConfigError(f"tool '{tool.name}': its parameters are not a JSON Schema of type \"object\"")
    size = len(canonical(tool.parameters)) + len(tool.description.encode("utf-8", "replace"))
    if size > MAX_SCHEMA:
        raise InvalidConfigError(
            f"tool '{tool.name}': its description and schema take {size} bytes, more than {MAX_SCHEMA}"
        )
    # A tool of the same name from another context may do something else: the answer about this one is not about it.
    identity = canonical([made_of, tool.name, tool.description, tool.parameters])
    return RegisteredTool(
        name=tool.name,
        alias=naming.provider_alias(tool.name),
        description=tool.description,
        parameters=tool.parameters,
        kind="custom",
        require_approval=tool.require_approval is not False,
        source_digest="" if made_of is None else bytes_digest(identity.encode()),
        location=location(root / tool.file, tool.line) if tool.line else None,
        caller=caller,
    )


def refuse_twice(tools: Iterable[RegisteredTool]) -> None:
    """
    Raises:
        InvalidConfigError: two of the tools have one name, so that one would stand in the other's place.
    """
    seen: set[str] = set()
    for tool in tools:
        if naming.canonical(tool.name) in seen:
            raise InvalidConfigError(
                f"two sources give a tool '{tool.name}' to this run; rename or leave out one of them"
            )
        seen.add(naming.canonical(tool.name))
