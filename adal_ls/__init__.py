"""adal-ls: lint, preview, run and approve the tools of a coding agent.

Importing this package imports nothing else; the names of `adal_ls.sdk` arrive when they are first used (PEP 562).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adal_ls.version import __version__

if TYPE_CHECKING:
    from adal_ls.sdk import (
        AdalAgentOptions,
        AdalError,
        Agent,
        AgentEvent,
        AgentFailed,
        AgentFinished,
        AgentRuntime,
        AgentStarted,
        AgentTextDelta,
        AgentToolCall,
        AgentToolResult,
        AgentWarning,
        CanUseTool,
        CombinedToolProvider,
        ContextField,
        ContextForm,
        InvalidConfigError,
        InvalidContextError,
        InvalidInputError,
        McpServer,
        McpServerError,
        McpToolProvider,
        MissingModelError,
        ModelFailedError,
        PermissionContext,
        PermissionMode,
        PermissionResult,
        Project,
        ProjectLoadError,
        ProviderHooksError,
        RunCancelledError,
        RunHandle,
        RunResult,
        ScopeBusyError,
        ToolContext,
        ToolOutput,
        ToolProvider,
        ToolSet,
        ToolSummary,
        UnknownAgentError,
        Usage,
        WorkflowStep,
        WorkspacePolicy,
        WorkspaceTool,
        WorkspaceToolProvider,
        combine_tool_providers,
        create_runtime,
        create_tool_provider,
        create_workspace_tool_provider,
        load_project,
        mcp_tool_provider,
        parse_tool_context,
        query,
    )

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
    "__version__",
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
    if name not in __all__:
        raise AttributeError(f"module 'adal_ls' has no attribute '{name}'")
    import importlib

    value: object = getattr(importlib.import_module("adal_ls.sdk"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
