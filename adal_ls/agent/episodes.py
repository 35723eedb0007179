"""One episode of a run, from its prompt to its one `finished`: its tools, its conversation, its model, its end."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from adal_ls import naming
from adal_ls.agent.approval import Approvals
from adal_ls.agent.builtin.catalog import BUILTINS
from adal_ls.agent.builtin.context import BuiltinContext
from adal_ls.agent.builtin.todos import Todo as ListedTodo
from adal_ls.agent.builtin.todos import TodoList
from adal_ls.agent.choice import choose_model
from adal_ls.agent.event_size import bounded
from adal_ls.agent.gate import GateContext
from adal_ls.agent.history import Conversation
from adal_ls.agent.interpreters import choose_interpreter, environments
from adal_ls.agent.journal import Journal
from adal_ls.agent.lease import ToolsLease
from adal_ls.agent.limits import Limits
from adal_ls.agent.loop import Episode, sent_name
from adal_ls.agent.projects import Projects
from adal_ls.agent.prompt import system_prompt
from adal_ls.agent.registry import RegistryError, ToolRegistry, registry_of
from adal_ls.agent.replay import replay
from adal_ls.agent.secret_values import RedactedEvents, SecretValues
from adal_ls.agent.store import StoreError
from adal_ls.agent.stream import ModelError
from adal_ls.agent.workspace_executor import ExecutorPool, WorkspaceExecutor
from adal_ls.agent.workspace_policy import WorkspacePolicy
from adal_ls.protocol.host import HostSettings
from adal_ls.protocol.runs import (
    ErrorEvent,
    Event,
    FinishedEvent,
    ModeEvent,
    NoticeEvent,
    PermissionMode,
    PromptEvent,
    RunStartParams,
    RunUpdate,
    StateEvent,
    Todo,
    TodosEvent,
    ToolResultEvent,
)

CONTINUE = "Go on."
"""The prompt of a run that is taken up again without one, where the model had the last word."""

_UNCONFINED = (
    "bash runs WITHOUT a sandbox, because your settings say so (allowUnsandboxedBash): with all your rights, files and "
    "network."
)

_MODES: dict[PermissionMode, str] = {
    "default": "Permission mode default: everything but reading and searching asks.",
    "acceptEdits": "Permission mode acceptEdits: edits inside the workspace run without asking.",
    "yolo": "Permission mode yolo: tools run without asking.",
}

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Running:
    """A run whose episode goes on in this process, or was the last one that did.

    `prompt` begins the episode; None takes an interrupted one up where it ended. `heard` are prompts that came since.
    """

    run_id: str
    params: RunStartParams
    prompt: str | None
    root: Path
    mode: PermissionMode
    finished: asyncio.Future[FinishedEvent]
    heard: list[str] = field(default_factory=list)
    resumed: bool = False
    task: asyncio.Task[None] | None = None
    context: GateContext | None = None
    executor: WorkspaceExecutor | None = None
    cancelling: bool = False
    last_seq: int = 0
    secrets: SecretValues = field(default_factory=lambda: SecretValues(os.environ))
    redacted: RedactedEvents = field(init=False)

    def __post_init__(self) -> None:
        self.redacted = RedactedEvents(self.secrets)


@dataclass(slots=True)
class Episodes:
    """What the episodes of one process share."""

    journal: Journal
    settings: HostSettings
    approvals: Approvals
    projects: Projects
    pool: ExecutorPool
    unconfined: bool
    trusted: Callable[[], bool]
    on_update: Callable[[RunUpdate], None]

    def emit(self, running: Running, event: Event, full: str | None = None) -> None:
        """Stored first, then told: what was shown is never lost. Here, and only here, secrets are taken out."""
        for told in running.redacted.pass_on(event):
            whole = running.secrets.redact(full) if full is not None and isinstance(told, ToolResultEvent) else None
            small, arguments = bounded(told)
            update = self.journal.append(running.run_id, small, arguments if whole is None else whole)
            running.last_seq = update.seq
            self.on_update(update)

    def tell_mode(self, running: Running, mode: PermissionMode) -> None:
        self.emit(running, ModeEvent(mode=mode))
        self.emit(running, NoticeEvent(text=_MODES[mode]))

    async def run(self, running: Running) -> None:
        """The episode, whatever happens; it ends with `finished`."""
        lease: ToolsLease | None = None
        finished = FinishedEvent(stop_reason="error")
        try:
            earlier = await self.journal.told(running.run_id) if running.resumed else []
            if running.prompt is not None and not running.resumed:
                self.emit(running, PromptEvent(text=running.prompt))
            self.emit(running, StateEvent(state="running"))
            if running.mode != "default":
                self.tell_mode(running, running.mode)
            if self.unconfined:
                self.emit(running, NoticeEvent(text=_UNCONFINED))
            lease = await self._lease(running)
            finished = await self._episode(running, lease, earlier).run()
        except asyncio.CancelledError:
            finished = FinishedEvent(stop_reason="cancelled")
        except ModelError as error:
            self.emit(running, ErrorEvent(code=error.code, message=error.message))
        except RegistryError as error:
            self.emit(running, ErrorEvent(code="tools", message=str(error)))
        except Exception as fault:  # noqa: BLE001 - the boundary that owns it: every episode ends with `finished`
            _log.exception("run %s failed", running.run_id)
            finished = FinishedEvent(stop_reason="error")
            with contextlib.suppress(StoreError):  # then the end cannot be stored either, and `_finish` tells it
                self.emit(running, ErrorEvent(code="internal", message=f"{type(fault).__name__}: {fault}"))
        finally:
            try:
                if lease is not None:
                    # Shielded: a cancel in this moment must neither keep the tools nor hide the end.
                    await asyncio.shield(lease.release(stop=finished.stop_reason == "cancelled"))
                if running.executor is not None:
                    await asyncio.shield(self.pool.release(running.executor))
                await asyncio.shield(self.projects.ended(running.root, running.run_id))
            finally:
                self._finish(running, finished)

    def _finish(self, running: Running, finished: FinishedEvent) -> None:
        try:
            if running.heard and finished.stop_reason != "end_turn":
                unheard, running.heard = running.heard, []
                self.emit(
                    running, NoticeEvent(text=f"Not told to the model, because the run ended: {' '.join(unheard)}")
                )
            self.emit(running, finished)
        except StoreError as fault:
            # Told all the same: whoever watches must not wait for ever. The store shows the run as interrupted.
            _log.error("the end of run %s is not stored: %s", running.run_id, fault)
            finished = FinishedEvent(stop_reason="error")
            for event in (ErrorEvent(code="store", message=str(fault)), finished):
                running.last_seq += 1
                self.on_update(RunUpdate(run_id=running.run_id, seq=running.last_seq, event=event))
        finally:
            answer = None if finished.answer is None else running.secrets.redact(finished.answer)
            running.finished.set_result(finished.model_copy(update={"answer": answer}))

    async def _lease(self, running: Running) -> ToolsLease | None:
        """The project's tools for this run; what is missing is said, and the run goes on without."""
        if not self.trusted():
            text = "Custom tools are not loaded: the workspace is not trusted."
            self.emit(running, NoticeEvent(text=text))
            return None
        lease, notice = await self.projects.lease(running.root, running.run_id)
        if notice is not None:
            self.emit(running, NoticeEvent(text=notice))
        if lease is not None and lease.left_out is not None:
            self.emit(running, NoticeEvent(text=lease.left_out))
        return lease

    def _registry(self, running: Running, lease: ToolsLease | None) -> ToolRegistry:
        enabled, disabled = tool_choice(running.params, self.settings)
        registry = registry_of(lease, enabled, disabled, unconfined=self.unconfined)
        for tool in BUILTINS.values():
            if tool.key and tool.name in (enabled or ()) and tool.name not in registry.tools:
                self.emit(running, NoticeEvent(text=f"{tool.name} is not there: set {tool.key} to a key for it."))
        if missing := naming.without_tools(BUILTINS, enabled or ()):
            text = f"No built-in tool of this version has the name or group {', '.join(missing)}; it is only reserved."
            self.emit(running, NoticeEvent(text=text))
        if registry.left_out:
            self.emit(running, NoticeEvent(text=f"Custom tools left out: {'; '.join(registry.left_out)}"))
        return registry

    def _episode(self, running: Running, lease: ToolsLease | None, earlier: list[Event]) -> Episode:
        registry = self._registry(running, lease)
        model = choose_model(running.params.model, self.settings.model, root=running.root)

        def emit(event: Event) -> None:
            self.emit(running, event)

        def store_result(event: ToolResultEvent, full: str | None) -> None:
            self.emit(running, event, full)

        def heard() -> list[str]:
            prompts, running.heard = running.heard, []
            return prompts

        running.executor = self.pool.acquire(running.root, WorkspacePolicy.of(running.root))
        todos = TodoList(
            lambda todos: emit(TodosEvent(todos=[Todo(**asdict(todo)) for todo in todos])), _todos_of(earlier)
        )
        context = GateContext(
            run_id=running.run_id,
            registry=registry,
            mode=running.mode,
            root=running.root,
            approvals=self.approvals,
            custom=lease,
            emit=emit,
            any_name=model.any_name,
            pythons=environments(choose_interpreter(self.settings.interpreter, running.root)),
            settled=lambda: self.journal.settled(running.run_id),
            builtins=BuiltinContext(running.root, executor=running.executor, todos=todos),
        )
        running.context = context
        conversation = Conversation(
            system_prompt(running.root, trusted=self.trusted(), given=running.params.system_prompt)
        )
        if running.resumed:
            for lost in replay(conversation, earlier, lambda name: sent_name(name, registry, any_name=model.any_name)):
                emit(lost)  # every call of a transcript has one result, also one that a crash cut short
            prompt = running.prompt or (CONTINUE if conversation.answered else None)
            if prompt is not None:
                emit(PromptEvent(text=prompt))
                conversation.add_prompt(prompt)
        else:
            conversation.add_prompt(running.prompt or "")
        return Episode(model, conversation, context, emit, store_result, limits=Limits.of(running.params), heard=heard)


def _todos_of(earlier: list[Event]) -> tuple[ListedTodo, ...]:
    """The list as the run has written it last."""
    written = [event for event in earlier if isinstance(event, TodosEvent)]
    return tuple(ListedTodo(todo.content, todo.status) for todo in written[-1].todos) if written else ()


def tool_choice(params: RunStartParams, settings: HostSettings) -> tuple[list[str] | None, list[str] | None]:
    """Enabled and disabled built-ins: the run's own choice, else the setting's."""
    if params.enabled_default_tools is not None or params.disabled_default_tools is not None:
        return params.enabled_default_tools, params.disabled_default_tools
    return settings.enabled_default_tools, settings.disabled_default_tools
