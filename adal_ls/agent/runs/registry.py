"""The tools of one run: fixed when the run starts, and taken from the host's own snapshots.

A worker runs the workspace's code and is treated as hostile: what it reports is checked here again (names, sizes,
counts), and what it reports later changes nothing for a run that has started.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from adal_ls import naming
from adal_ls.agent.approvals.digest import canonical
from adal_ls.agent.approvals.visible import visible
from adal_ls.agent.builtin.catalog import BUILTINS, UNCONFINED_BASH, Builtin, available
from adal_ls.agent.models.stream import ToolSpec
from adal_ls.agent.projects.custom import ToolCaller
from adal_ls.agent.workspaces.workspace_executor import WorkspaceExecutor
from adal_ls.protocol.tools import Location, Tool
from adal_ls.version import __version__

if TYPE_CHECKING:
    from adal_ls.agent.projects.lease import ToolsLease

MAX_TOOLS = 128
"""What the common providers take in one request."""

MAX_SCHEMA = 64 * 1024
"""Bytes of one tool's schema and description; more would fill a model's context before the first word."""


class RegistryError(Exception):
    """The tools cannot be offered to a model; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class RegisteredTool:
    """One tool of a run. `alias` is the name sent to a provider; approvals, events and people see `name`.

    `executor`: of a built-in tool that a provider brings with a policy of its own. `risks`: facts for the person beside
    those of its group. `caller`: who calls it, where that is not the worker of the run's CUSTOM_TOOLS. `served`: by an
    MCP server.
    """

    name: str
    alias: str
    description: str
    parameters: Mapping[str, Any]
    kind: Literal["builtin", "custom"]
    require_approval: bool
    source_digest: str
    group: str | None = None
    read_only: bool = False
    location: Location | None = None
    executor: WorkspaceExecutor | None = None
    risks: tuple[str, ...] = ()
    served: bool = False
    caller: ToolCaller | None = None


@dataclass(frozen=True, slots=True)
class ToolRegistry:
    """Tools by name, never changed. `left_out` says which custom tools are missing, and why."""

    tools: Mapping[str, RegisteredTool]
    left_out: tuple[str, ...] = ()

    def find(self, sent: str) -> RegisteredTool | None:
        """The tool a model means: by the alias it was given, or by its own name. Exact; case matters."""
        found = self.tools.get(sent)
        if found is not None:
            return found
        return next((tool for tool in self.tools.values() if tool.alias == sent), None)

    def specs(self, *, any_name: bool = False) -> list[ToolSpec]:
        """What a model is told about the tools, under aliases unless it takes any name."""
        return [
            {
                "type": "function",
                "function": {
                    "name": tool.name if any_name else tool.alias,
                    "description": tool.description,
                    "parameters": dict(tool.parameters),
                },
            }
            for tool in self.tools.values()
        ]


def build_registry(
    *,
    enabled: Collection[str] | None = None,
    disabled: Collection[str] | None = None,
    custom: Iterable[Tool] = (),
    source_digests: Mapping[str, str] = MappingProxyType({}),
    unconfined: bool = False,
) -> ToolRegistry:
    """The registry of a run: the built-in tools that stay, then the custom tools that pass.

    Args:
        source_digests: the digest of each custom tool's code; without one no answer about a tool is remembered.
        unconfined: commands run without a sandbox, because a setting of the person says so.

    Raises:
        ValueError: `enabled` and `disabled` are both given or name something unknown.
        RegistryError: more tools than a provider takes.
    """
    tools: dict[str, RegisteredTool] = {}
    selected = naming.select_builtins(BUILTINS, enabled, disabled)
    for builtin in available().values():
        if builtin.name in selected:
            tools[builtin.name] = built_in(builtin, unconfined=unconfined)
    accepted, left_out = accept_custom(custom)
    if len(tools) + len(accepted) > MAX_TOOLS:
        raise RegistryError(
            f"{len(tools) + len(accepted)} tools ({len(accepted)} custom, {len(tools)} built-in), but model providers "
            f"take at most {MAX_TOOLS}: shorten CUSTOM_TOOLS or disable built-in tools"
        )
    aliases: set[str] = set(tools) | {tool.name for tool in accepted}
    for tool in accepted:
        alias = naming.provider_alias(tool.name, aliases)
        aliases.add(alias)
        tools[tool.name] = RegisteredTool(
            name=tool.name,
            alias=alias,
            description=tool.description,
            parameters=tool.parameters,
            kind="custom",
            require_approval=tool.require_approval,
            source_digest=source_digests.get(tool.name, ""),
            location=tool.location,
        )
    return ToolRegistry(MappingProxyType(tools), tuple(left_out))


def builtin_tools(enabled: list[str] | None, disabled: list[str] | None) -> list[Tool]:
    """All built-in tools that can be used here, as an editor lists them.

    Raises:
        ValueError: see `naming.select_builtins`.
    """
    chosen = naming.select_builtins(BUILTINS, enabled, disabled)
    return [
        Tool(
            name=builtin.name,
            description=builtin.description,
            parameters=dict(builtin.parameters),
            require_approval=not builtin.read_only,
            kind="builtin",
            group=builtin.group,
            enabled=builtin.name in chosen,
        )
        for builtin in available().values()
    ]


def built_in(tool: Builtin, *, unconfined: bool = False, executor: WorkspaceExecutor | None = None) -> RegisteredTool:
    """A built-in tool as a run has it; `executor`: with the policy of a provider's workspace."""
    free = tool.group == "Bash" and (executor.unconfined if executor else unconfined)
    # What is allowed for a sandboxed command, or under one policy, is not allowed for another.
    source = f"adal-ls {__version__}{' unsandboxed' if free else ''}{f' {executor.policy.key()}' if executor else ''}"
    return RegisteredTool(
        name=tool.name,
        alias=tool.name,
        description=UNCONFINED_BASH if free else tool.description,
        parameters=tool.parameters,
        kind="builtin",
        require_approval=not tool.read_only,
        source_digest=source,
        group=tool.group,
        read_only=tool.read_only,
        executor=executor,
        risks=_UNSANDBOXED if free else _widened(tool, executor),
    )


_UNSANDBOXED = ("runs WITHOUT a sandbox: with all your rights, files and network",)


def _widened(tool: Builtin, executor: WorkspaceExecutor | None) -> tuple[str, ...]:
    """What a provider's policy gives a command or a fetch beyond what every agent has, for the person."""
    if executor is None:
        return ()
    policy, facts = executor.policy, []
    if tool.group == "Bash":
        for does, folders in (("write", policy.allow_write), ("read", policy.allow_read)):
            beyond = [str(folder) for folder in folders if not folder.is_relative_to(executor.project_root)]
            if beyond:
                facts.append(f"may {does} outside of the project: {visible(', '.join(beyond))}")
        if policy.allow_network:
            facts.append("has the network, with what this machine itself serves")
        if policy.allow_env:
            facts.append(f"gets environment variables: {visible(', '.join(policy.allow_env))}")
    if tool.group == "Web" and (policy.allow_private_network or policy.allowed_urls):
        where = "every address" if policy.allow_private_network else ", ".join(policy.allowed_urls)
        facts.append(f"may reach this machine and private networks: {visible(where)}")
    return tuple(facts)


def no_such_tool(name: str, near: str | None, known: Collection[str]) -> str:
    """What is told of a name that no tool has; `near` is one that may be meant, `known` are those there are."""
    advice = f"; did you mean '{near}'?" if near else "."
    there = f"The tools there are: {', '.join(known)}" if known else "There are no tools in this run"
    return f"there is no tool '{name}'{advice} {there}"


def registry_of(
    lease: ToolsLease | None, enabled: list[str] | None, disabled: list[str] | None, *, unconfined: bool = False
) -> ToolRegistry:
    """The built-in tools chosen, and the project's tools as its lease holds them; `unconfined` as `build_registry`.

    Raises:
        RegistryError: more tools than a model provider takes.
    """
    return build_registry(
        enabled=enabled,
        disabled=disabled,
        custom=lease.tools if lease else (),
        source_digests=lease.tool_digests if lease else {},
        unconfined=unconfined,
    )


def accept_custom(tools: Iterable[Tool]) -> tuple[list[Tool], list[str]]:
    """The custom tools that may be called, and for each other one the reason it may not."""
    counted: dict[str, int] = {}
    listed = list(tools)
    for tool in listed:
        counted[naming.canonical(tool.name)] = counted.get(naming.canonical(tool.name), 0) + 1
    accepted, left_out = [], []
    for tool in listed:
        reason = _refusal(tool, counted[naming.canonical(tool.name)])
        if reason is None:
            accepted.append(tool)
        else:
            left_out.append(f"{tool.name[:80]!r}: {reason}")
    return accepted, left_out


def _refusal(tool: Tool, count: int) -> str | None:
    if naming.canonical(tool.name) in naming.RESERVED:
        return "the name of a built-in tool"
    if naming.is_refused(tool.name):
        return "not a valid tool name (a Python identifier that is no keyword)"
    if count > 1:
        return "the name is used more than once"
    if tool.parameters.get("type") != "object":
        return 'its parameters are not a JSON Schema of type "object"'
    size = len(canonical(tool.parameters)) + len(tool.description.encode("utf-8", "replace"))
    if size > MAX_SCHEMA:
        return f"its description and schema take {size} bytes, more than {MAX_SCHEMA}"
    return None
