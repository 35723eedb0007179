"""Tools of agents and providers, laid over those that every agent has. By name, later ones win."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from types import MappingProxyType

from adal_ls import naming
from adal_ls.agent.registry import MAX_TOOLS, RegisteredTool, RegistryError, ToolRegistry


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
        tools[key] = tool
    if len(tools) > MAX_TOOLS:
        raise RegistryError(f"{len(tools)} tools, but model providers take at most {MAX_TOOLS}: give the agent fewer")
    return ToolRegistry(MappingProxyType({tool.name: tool for tool in tools.values()}), tuple(left_out))
