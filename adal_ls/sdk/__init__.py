"""What users import in their tools, agents and scripts.

Names arrive when they are first used (PEP 562): a tools file that needs only `ToolOutput` waits for nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adal_ls.sdk.agent import Agent, AgentRuntime, create_runtime
    from adal_ls.sdk.approval import CanUseTool, PermissionContext, PermissionMode, PermissionResult
    from adal_ls.sdk.combine import CombinedToolProvider, combine_tool_providers
    from adal_ls.sdk.context import ToolContext, WorkflowStep, parse_tool_context
    from adal_ls.sdk.context_form import ContextField, ContextForm
    from adal_ls.sdk.errors import (
        AdalError,
        InvalidConfigError,
        InvalidContextError,
        InvalidInputError,
        McpServerError,
        MissingModelError,
        ModelFailedError,
        ProjectLoadError,
        ProviderHooksError,
        RunCancelledError,
        ScopeBusyError,
        UnknownAgentError,
    )
    from adal_ls.sdk.events import (
        AgentEvent,
        AgentFailed,
        AgentFinished,
        AgentStarted,
        AgentTextDelta,
        AgentToolCall,
        AgentToolResult,
        AgentWarning,
        Usage,
    )
    from adal_ls.sdk.handle import RunHandle
    from adal_ls.sdk.hosted import McpServer, WorkspacePolicy, WorkspaceTool
    from adal_ls.sdk.mcp import McpToolProvider, mcp_tool_provider
    from adal_ls.sdk.output import ToolOutput
    from adal_ls.sdk.project import Project, load_project
    from adal_ls.sdk.provider import ToolProvider, ToolSummary, create_tool_provider
    from adal_ls.sdk.runner import RunResult
    from adal_ls.sdk.toolset import ToolSet
    from adal_ls.sdk.workspace import WorkspaceToolProvider, create_workspace_tool_provider
    from adal_ls.sdk.workspace_query import AdalAgentOptions, query

_MODULES = {
    "agent": (
        "Agent",
        "AgentRuntime",
        "create_runtime",
    ),
    "approval": (
        "CanUseTool",
        "PermissionContext",
        "PermissionMode",
        "PermissionResult",
    ),
    "combine": (
        "CombinedToolProvider",
        "combine_tool_providers",
    ),
    "context": (
        "ToolContext",
        "WorkflowStep",
        "parse_tool_context",
    ),
    "context_form": (
        "ContextField",
        "ContextForm",
    ),
    "errors": (
        "AdalError",
        "InvalidConfigError",
        "InvalidContextError",
        "InvalidInputError",
        "McpServerError",
        "MissingModelError",
        "ModelFailedError",
        "ProjectLoadError",
        "ProviderHooksError",
        "RunCancelledError",
        "ScopeBusyError",
        "UnknownAgentError",
    ),
    "events": (
        "AgentEvent",
        "AgentFailed",
        "AgentFinished",
        "AgentStarted",
        "AgentTextDelta",
        "AgentToolCall",
        "AgentToolResult",
        "AgentWarning",
        "Usage",
    ),
    "handle": ("RunHandle",),
    "hosted": (
        "McpServer",
        "WorkspacePolicy",
        "WorkspaceTool",
    ),
    "mcp": (
        "McpToolProvider",
        "mcp_tool_provider",
    ),
    "output": ("ToolOutput",),
    "project": (
        "Project",
        "load_project",
    ),
    "provider": (
        "ToolProvider",
        "ToolSummary",
        "create_tool_provider",
    ),
    "workspace_query": (
        "AdalAgentOptions",
        "query",
    ),
    "runner": ("RunResult",),
    "toolset": ("ToolSet",),
    "workspace": (
        "WorkspaceToolProvider",
        "create_workspace_tool_provider",
    ),
}

PUBLIC = {name: f"adal_ls.sdk.{module}" for module, names in _MODULES.items() for name in names}
"""Name → the module that defines it."""

__all__ = [
    "AdalAgentOptions",
    "AdalError",
    "Agent",
    "AgentEvent",
    "AgentFailed",
    "AgentFinished",
    "AgentRuntime",
    "AgentStarted",
    "AgentTextDelta",
    "AgentToolCall",
    "AgentToolResult",
    "AgentWarning",
    "CanUseTool",
    "CombinedToolProvider",
    "ContextField",
    "ContextForm",
    "InvalidConfigError",
    "InvalidContextError",
    "InvalidInputError",
    "McpServer",
    "McpServerError",
    "McpToolProvider",
    "MissingModelError",
    "ModelFailedError",
    "PermissionContext",
    "PermissionMode",
    "PermissionResult",
    "Project",
    "ProjectLoadError",
    "ProviderHooksError",
    "RunCancelledError",
    "RunHandle",
    "RunResult",
    "ScopeBusyError",
    "ToolContext",
    "ToolOutput",
    "ToolProvider",
    "ToolSet",
    "ToolSummary",
    "UnknownAgentError",
    "Usage",
    "WorkflowStep",
    "WorkspacePolicy",
    "WorkspaceTool",
    "WorkspaceToolProvider",
    "combine_tool_providers",
    "create_runtime",
    "create_tool_provider",
    "create_workspace_tool_provider",
    "load_project",
    "mcp_tool_provider",
    "parse_tool_context",
    "query",
]


def __getattr__(name: str) -> object:
    if name not in PUBLIC:
        raise AttributeError(f"module 'adal_ls.sdk' has no attribute '{name}'")
    import importlib

    value: object = getattr(importlib.import_module(PUBLIC[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *PUBLIC])
