"""Trying a tool: one call with arguments that a person gave, without a model, through the same gate as in a run."""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

from adal_ls.agent import gate
from adal_ls.agent.approvals.approval import Approvals
from adal_ls.agent.approvals.options import ALLOW_ONCE
from adal_ls.agent.builtin.catalog import BUILTINS
from adal_ls.agent.builtin.context import BuiltinContext
from adal_ls.agent.gate import CallResult, GateContext
from adal_ls.agent.models.assembly import ModelCall
from adal_ls.agent.projects.interpreters import choose_interpreter, environments
from adal_ls.agent.projects.projects import Projects
from adal_ls.agent.runs.registry import no_such_tool, registry_of
from adal_ls.agent.workspaces.workspace_executor import WorkspaceExecutor, is_unconfined
from adal_ls.agent.workspaces.workspace_policy import WorkspacePolicy
from adal_ls.protocol.approvals import ApprovalAnswer, ApprovalRequest, ApprovalResolved
from adal_ls.protocol.host import HostSettings
from adal_ls.protocol.runs import ToolProgressEvent
from adal_ls.protocol.tools import ToolsTryParams, ToolsTryResult


class _Consent:
    """The person who pressed Run: allows the one call there is, and nothing for later."""

    async def ask(self, request: ApprovalRequest) -> ApprovalAnswer:
        return ApprovalAnswer(
            approval_id=request.approval_id,
            args_digest=request.args_digest,
            outcome="selected",
            option_id=ALLOW_ONCE.option_id,
        )

    def resolved(self, resolved: ApprovalResolved) -> None:
        """Nobody was asked, so nobody need be told."""


async def try_tool(
    params: ToolsTryParams, root: Path, projects: Projects, settings: HostSettings, on_text: Callable[[str], None]
) -> ToolsTryResult:
    """Loads the tools of `root` and runs one of them to its end. Cancelling the caller stops it with all its processes.

    Args:
        on_text: gets what the tool prints or yields meanwhile.

    Raises:
        ValueError: there is no such tool, or the project's tools cannot be loaded; the text says which.
        RegistryError: more tools than a run can have.
    """
    attempt = f"try-{uuid4().hex}"
    await projects.catch_up(root)
    lease, why = await projects.lease(root, attempt)
    stopped = True
    try:
        unconfined = is_unconfined(settings.allow_unsandboxed_bash)
        registry = registry_of(
            lease, settings.enabled_default_tools, settings.disabled_default_tools, unconfined=unconfined
        )
        if registry.find(params.tool) is None:
            known = [spec["function"]["name"] for spec in registry.specs(any_name=True)]
            known.sort(key=lambda name: name in BUILTINS)  # those of the project first
            near = next(iter(difflib.get_close_matches(params.tool, known, n=1)), None)
            raise ValueError(why or no_such_tool(params.tool, near, known))
        context = GateContext(
            run_id=attempt,
            registry=registry,
            mode="default",
            root=root,
            approvals=Approvals(_Consent()),
            custom=lease,
            emit=lambda event: on_text(event.text) if isinstance(event, ToolProgressEvent) else None,
            any_name=True,
            pythons=environments(choose_interpreter(settings.interpreter, root)),
            builtins=BuiltinContext(root, executor=WorkspaceExecutor(root, WorkspacePolicy.of(root), unconfined)),
        )
        result = await gate.execute(ModelCall("try", params.tool, dict(params.arguments)), context)
        stopped = False
    finally:
        if lease is not None:
            await asyncio.shield(lease.release(stop=stopped))
        await asyncio.shield(projects.ended(root, attempt))
    return _told(result)


def _told(result: CallResult) -> ToolsTryResult:
    return ToolsTryResult(
        status=result.status,
        output=result.output,
        observation=result.observation,
        display=result.display,
        printed=result.printed,
        trace=result.trace,
        duration_ms=result.duration_ms,
    )
