"""The message table with its models: what every `adal/*` method carries and answers."""

from __future__ import annotations

from adal_ls.protocol import agents, approvals, host, methods, runs, tools
from adal_ls.protocol.base import Empty, Message

PARAMS: dict[str, type[Message]] = {
    methods.TOOLS_LIST: tools.ToolsListParams,
    methods.TOOLS_RELOAD: Empty,
    methods.TOOLS_TRY: tools.ToolsTryParams,
    methods.AGENTS_LIST: agents.AgentsListParams,
    methods.AGENTS_CONTEXT_FORM: agents.ContextFormParams,
    methods.TRUST_CHANGED: tools.TrustChanged,
    methods.RUN_START: runs.RunStartParams,
    methods.RUN_CANCEL: runs.RunCancelParams,
    methods.RUN_PROMPT: runs.RunPromptParams,
    methods.RUN_RESUME: runs.RunResumeParams,
    methods.RUN_FORK: runs.RunForkParams,
    methods.RUN_DELETE: runs.RunDeleteParams,
    methods.RUN_EXPORT: runs.RunExportParams,
    methods.RUN_LIST: runs.RunListParams,
    methods.RUN_GET: runs.RunGetParams,
    methods.RUN_FULL_TEXT: runs.RunFullTextParams,
    methods.RUN_WARM: runs.RunWarmParams,
    methods.APPROVAL_PENDING: Empty,
    methods.APPROVAL_ARGUMENTS: approvals.ApprovalArgumentsParams,
    methods.RUN_SET_MODE: runs.RunSetModeParams,
    methods.GRANTS_LIST: approvals.GrantsListParams,
    methods.GRANTS_REVOKE: approvals.GrantsRevokeParams,
    methods.DECISIONS_LIST: approvals.DecisionsListParams,
    methods.TOOLS_CHANGED: tools.ToolsChanged,
    methods.TOOLS_TRY_PROGRESS: tools.ToolsTryProgress,
    methods.STATUS: tools.Status,
    methods.RUN_UPDATE: runs.RunUpdate,
    methods.APPROVAL_REQUEST: approvals.ApprovalRequest,
    methods.APPROVAL_RESOLVED: approvals.ApprovalResolved,
    methods.HOST_INITIALIZE: host.HostInitializeParams,
    methods.HOST_LOAD: host.HostLoadParams,
    methods.HOST_PROJECT: host.HostProject,
    methods.HOST_CHANGED: host.HostChanged,
}
"""Method → model of its params."""

RESULTS: dict[str, type[Message]] = {
    methods.TOOLS_LIST: tools.ToolsListResult,
    methods.TOOLS_RELOAD: Empty,
    methods.TOOLS_TRY: tools.ToolsTryResult,
    methods.AGENTS_LIST: agents.AgentsListResult,
    methods.AGENTS_CONTEXT_FORM: agents.ContextForm,
    methods.RUN_START: runs.RunStarted,
    methods.RUN_CANCEL: Empty,
    methods.RUN_PROMPT: runs.RunStarted,
    methods.RUN_RESUME: runs.RunStarted,
    methods.RUN_FORK: runs.RunStarted,
    methods.RUN_DELETE: Empty,
    methods.RUN_EXPORT: runs.RunExportResult,
    methods.RUN_LIST: runs.RunListResult,
    methods.RUN_GET: runs.RunGetResult,
    methods.RUN_FULL_TEXT: runs.RunFullTextResult,
    methods.APPROVAL_PENDING: approvals.ApprovalPendingResult,
    methods.APPROVAL_ARGUMENTS: approvals.ApprovalArgumentsResult,
    methods.RUN_SET_MODE: Empty,
    methods.GRANTS_LIST: approvals.GrantsListResult,
    methods.GRANTS_REVOKE: Empty,
    methods.DECISIONS_LIST: approvals.DecisionsListResult,
    methods.APPROVAL_REQUEST: approvals.ApprovalAnswer,
    methods.HOST_INITIALIZE: host.HostInitializeResult,
    methods.HOST_LOAD: host.HostLoadResult,
}
"""Request → model of its result."""
