"""Runs agents in a user's own script: the same loop and gate, with tools in this process and approvals by callback.

Nothing is recorded: events are on the handle of the run, conversations in memory.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from adal_ls.agent.approvals import digest
from adal_ls.agent.approvals.approval import Approvals
from adal_ls.agent.approvals.callback import CallbackApprover
from adal_ls.agent.builtin.context import BuiltinContext
from adal_ls.agent.gate import GateContext
from adal_ls.agent.inprocess.tools import CALL, InProcessTools, NotedCaller
from adal_ls.agent.mcp.servers import McpServers
from adal_ls.agent.mcp.tools import ServedTools, add_served
from adal_ls.agent.models import model
from adal_ls.agent.models.choice import choose_model
from adal_ls.agent.models.stream import Model, ModelError
from adal_ls.agent.projects.interpreters import choose_interpreter, environments
from adal_ls.agent.projects.provided import lay_over
from adal_ls.agent.runs.history import Conversation
from adal_ls.agent.runs.limits import Limits
from adal_ls.agent.runs.loop import Episode
from adal_ls.agent.runs.memory import Memory
from adal_ls.agent.runs.prompt import system_prompt
from adal_ls.agent.runs.registry import RegisteredTool, RegistryError, ToolRegistry, build_registry
from adal_ls.agent.workspaces.run_workspaces import RunWorkspaces, new_pool
from adal_ls.agent.workspaces.workspace_executor import ExecutorPool
from adal_ls.naming import provider_alias
from adal_ls.protocol.runs import (
    ErrorEvent,
    Event,
    NoticeEvent,
    TextEvent,
    ToolCallEvent,
    ToolProgressEvent,
    ToolResultEvent,
    UsageEvent,
)
from adal_ls.protocol.tools import Location, Position, Range
from adal_ls.sdk.errors import AdalError, InvalidConfigError, MissingModelError, ModelFailedError, RunCancelledError
from adal_ls.sdk.events import AgentTextDelta, AgentToolCall, AgentToolResult, AgentWarning, Usage
from adal_ls.sdk.hosted import McpServer, WorkspaceTool
from adal_ls.sdk.runner import Emit, RunRequest, RunResult
from adal_ls.sdk.toolset import ToolEntry
from adal_ls.worker.listing import ListedTool
from adal_ls.worker.provided import listed
from adal_ls.worker.sources import Sources

YOLO = "Permission mode yolo: tools run without asking."
UNCONFINED = "bash runs WITHOUT a sandbox, because ADAL_ALLOW_UNSANDBOXED_BASH is set: with all your rights and files."


class InProcessRunner:
    """Implements `sdk.runner.Runner`. A project's runner also has the tools of its CUSTOM_TOOLS."""

    def __init__(
        self,
        *,
        memory: Memory | None = None,
        custom: Sequence[ListedTool] = (),
        sources: Sources | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        """`notes`: what each run should say about tools that are missing."""
        self._memory = memory or Memory()
        self._custom = tuple(custom)
        self._sources = sources
        self._notes = tuple(notes)
        self._pool = new_pool()
        self._servers: dict[Path, McpServers] = {}

    def prepare(self, request: RunRequest) -> InProcessTurn:
        root = request.options.project_root or Path.cwd()
        name = request.model or request.options.model
        system = request.system_prompt or system_prompt(root, trusted=request.options.project_root is not None)
        conversation = self._memory.open(request.ctx.memory_scope, system)
        try:
            if not name or not name.strip():
                raise MissingModelError(
                    f"agent '{request.ctx.agent_id}' has no model: give model='openai/gpt-4o' (or another) to "
                    "create_agent, create_runtime or load_project; model='offline' works without one"
                )
            try:
                chosen = choose_model(name, root=root)
            except ModelError as fault:
                raise ModelFailedError(fault.message, fault.code) from None
        except AdalError:
            self._memory.close(request.ctx.memory_scope)
            raise
        return InProcessTurn(
            request=request,
            root=root,
            model=chosen,
            conversation=conversation,
            custom=self._custom,
            sources=self._sources or Sources(str(root)),
            notes=self._notes,
            pool=self._pool,
            servers=self._servers.setdefault(root, McpServers(root)),
            close=lambda: self._memory.close(request.ctx.memory_scope),
        )

    async def close(self) -> None:
        servers, self._servers = self._servers, {}
        for each in servers.values():
            await each.close()
        await model.close()


@dataclass(slots=True)
class InProcessTurn:
    """Implements `sdk.runner.Turn`."""

    request: RunRequest
    root: Path
    model: Model
    conversation: Conversation
    custom: Sequence[ListedTool]
    sources: Sources
    notes: Sequence[str]
    pool: ExecutorPool
    servers: McpServers
    close: Callable[[], None]
    usage: Usage = field(default_factory=Usage, init=False)
    failure: AdalError | None = field(default=None, init=False)
    called: dict[str, str] = field(default_factory=dict, init=False)
    """Call id → tool."""

    async def run(self, tools: tuple[ToolEntry, ...], emit: Emit) -> RunResult:
        workspaces = RunWorkspaces(self.root, self.pool)
        try:
            return await self._run(tools, emit, workspaces)
        finally:
            await asyncio.shield(workspaces.release())

    async def _run(self, tools: tuple[ToolEntry, ...], emit: Emit, workspaces: RunWorkspaces) -> RunResult:
        served = await self.servers.serve([each.hosted for each in tools if isinstance(each.hosted, McpServer)])
        builtins = workspaces.builtins()
        unconfined = builtins.workspace.unconfined
        yolo = self.request.options.permission_mode == "yolo"
        said = [(YOLO, yolo), (UNCONFINED, unconfined)]
        for note in (*self.notes, *(note for note, holds in said if holds)):
            emit(AgentWarning(note))
        functions = {tool.loaded.name: tool for tool in self.custom}
        provided = [_registered(tool, self.sources) for tool in self.custom]
        for entry in tools:
            if isinstance(entry.hosted, WorkspaceTool):
                provided.append(workspaces.tool(entry.hosted))
            if entry.hosted is not None:
                continue
            tool, notes = listed(entry)
            functions[tool.loaded.name] = tool
            provided.append(_registered(tool, self.sources))
            for note in notes:
                emit(AgentWarning(note))
        code = InProcessTools(
            functions,
            self.sources,
            on_yield=lambda call_id, tool, text: emit(
                AgentToolResult(call_id, tool, "success", text, preliminary=True)
            ),
            warn=lambda text: emit(AgentWarning(text)),
        )
        registry = self._registry(provided, [_noted(each, code) for each in served], unconfined=unconfined)
        if registry.left_out:
            emit(AgentWarning(f"Tools left out: {'; '.join(registry.left_out)}"))
        self.conversation.add_prompt(self.request.prompt)
        finished = await Episode(
            self.model,
            self.conversation,
            self._gate(registry, code, builtins, emit),
            lambda event: self._tell(event, emit),
            lambda event, full: emit(_result(event, full, code.outputs.pop(event.call_id, None))),
            limits=Limits(steps=self.request.stop_when),
        ).run()
        if finished.stop_reason == "cancelled":
            raise RunCancelledError("the run was cancelled")
        if finished.stop_reason == "error":
            raise self.failure or AdalError("the run failed without saying why")
        ctx = self.request.ctx
        return RunResult(finished.answer or "", finished.stop_reason, self.usage, ctx.agent_call_id, ctx.memory_scope)

    def _registry(
        self, provided: Sequence[RegisteredTool], served: Sequence[ServedTools], *, unconfined: bool
    ) -> ToolRegistry:
        enabled, disabled = self.request.options.enabled_default_tools, self.request.options.disabled_default_tools
        try:
            base = build_registry(enabled=enabled, disabled=disabled, unconfined=unconfined)
            own = lay_over(base, provided, enabled=enabled, disabled=disabled)
            return add_served(own, served, enabled=enabled, disabled=disabled)
        except InvalidConfigError:
            raise
        except (ValueError, RegistryError) as fault:
            raise InvalidConfigError(str(fault)) from fault

    def _gate(self, registry: ToolRegistry, code: InProcessTools, builtins: BuiltinContext, emit: Emit) -> GateContext:
        options = self.request.options
        approvals = Approvals(None)
        if options.can_use_tool is not None:
            approver = CallbackApprover(
                options.can_use_tool, options.can_use_tool_timeout, lambda approval_id: approvals.arguments(approval_id)
            )
            approvals = Approvals(approver)
        return GateContext(
            run_id=self.request.ctx.agent_call_id,
            registry=registry,
            mode=options.permission_mode,
            root=self.root,
            approvals=approvals,
            custom=code,
            emit=lambda event: self._tell(event, emit),
            any_name=self.model.any_name,
            pythons=environments(choose_interpreter(None, self.root)),
            builtins=builtins,
        )

    def _tell(self, event: Event, emit: Emit) -> None:
        """What the loop and the gate say, in the words of the SDK."""
        if isinstance(event, TextEvent):
            emit(AgentTextDelta(event.delta))
        elif isinstance(event, ToolCallEvent):
            if event.status == "pending":
                self.called[event.call_id] = event.tool
                emit(AgentToolCall(event.call_id, event.tool, event.arguments))
            elif event.status == "in_progress":
                CALL.set(event.call_id)  # said in the task of the call, right before its tool is called
        elif isinstance(event, ToolProgressEvent):
            emit(AgentToolResult(event.call_id, self.called[event.call_id], "success", event.text, preliminary=True))
        elif isinstance(event, NoticeEvent):
            emit(AgentWarning(event.text))
        elif isinstance(event, UsageEvent):
            self.usage = _sum(self.usage, event)
        elif isinstance(event, ErrorEvent):
            self.failure = ModelFailedError(event.message, event.code)


def _noted(served: ServedTools, code: InProcessTools) -> ServedTools:
    """The tools of a server, with their data noted for the events of the run."""
    tools = (
        replace(tool, caller=NotedCaller(tool.caller, code.outputs)) for tool in served.tools if tool.caller is not None
    )
    return replace(served, tools=tuple(tools))


def _registered(tool: ListedTool, sources: Sources) -> RegisteredTool:
    loaded = tool.loaded
    return RegisteredTool(
        name=loaded.name,
        alias=provider_alias(loaded.name),
        description=loaded.description,
        parameters=loaded.parameters,
        kind="custom",
        require_approval=loaded.require_approval,
        source_digest=digest.sources_digest(sources.digests),
        location=_location(loaded.file, loaded.line),
    )


def _location(file: str, line: int) -> Location | None:
    if not Path(file).is_absolute():  # code made from text, such as "<string>"
        return None
    start = Position(line=max(0, line - 1), character=0)
    return Location(uri=Path(file).as_uri(), range=Range(start=start, end=start))


def _result(event: ToolResultEvent, full: str | None, output: Any) -> AgentToolResult:
    """`full`: the whole text where the model sees it cut; of a tool without data it is the data."""
    return AgentToolResult(
        event.call_id,
        event.tool,
        event.status,
        event.observation,
        output=full if output is None else output,
        display=event.display,
        trace=event.trace,
    )


def _sum(known: Usage, more: UsageEvent) -> Usage:
    """Its cost is unknown as soon as one part's is."""
    unknown = more.cost is None or (known.cost is None and known != Usage())
    return Usage(
        known.input_tokens + more.input_tokens,
        known.output_tokens + more.output_tokens,
        None if unknown else (known.cost or 0.0) + (more.cost or 0.0),
    )
