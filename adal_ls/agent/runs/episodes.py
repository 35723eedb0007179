"""One episode of a run, from its prompt to its one `finished`: its tools, its conversation, its model, its end."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass

from adal_ls import naming
from adal_ls.agent.approvals.approval import Approvals
from adal_ls.agent.builtin.catalog import BUILTINS
from adal_ls.agent.builtin.context import BuiltinContext
from adal_ls.agent.builtin.todos import Todo as ListedTodo
from adal_ls.agent.builtin.todos import TodoList
from adal_ls.agent.gate import GateContext
from adal_ls.agent.mcp.tools import add_served
from adal_ls.agent.models.choice import advice, choose_model
from adal_ls.agent.models.offline import NAME as OFFLINE
from adal_ls.agent.models.stream import ModelError
from adal_ls.agent.projects.agent_infos import DEFAULT, find
from adal_ls.agent.projects.interpreters import choose_interpreter, environments
from adal_ls.agent.projects.lease import ToolsLease
from adal_ls.agent.projects.projects import Projects
from adal_ls.agent.projects.provided import lay_over
from adal_ls.agent.runs.agent_episode import AgentEpisode
from adal_ls.agent.runs.event_size import bounded
from adal_ls.agent.runs.history import Conversation
from adal_ls.agent.runs.limits import Limits
from adal_ls.agent.runs.loop import Episode, sent_name
from adal_ls.agent.runs.prompt import system_prompt
from adal_ls.agent.runs.registry import RegistryError, ToolRegistry, registry_of
from adal_ls.agent.runs.replay import open_questions, replay
from adal_ls.agent.runs.running import Running
from adal_ls.agent.store.journal import Journal
from adal_ls.agent.store.store import StoreError
from adal_ls.agent.workspaces.run_workspaces import RunWorkspaces
from adal_ls.agent.workspaces.workspace_executor import ExecutorPool
from adal_ls.protocol.host import HostSettings
from adal_ls.protocol.runs import (
    EpisodeEvent,
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
    ToolCallEvent,
    ToolResultEvent,
)
from adal_ls.sdk.context import ToolContext
from adal_ls.sdk.errors import AdalError, InvalidConfigError, ProjectLoadError
from adal_ls.worker.agent_data import LoadedAgent
from adal_ls.worker.provided_data import ProviderError
from adal_ls.workspace.projects import FOLDER

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
class _Held:
    """What an episode has to give back."""

    workspaces: RunWorkspaces
    lease: ToolsLease | None = None
    agent: AgentEpisode | None = None


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
        held = _Held(RunWorkspaces(running.root, self.pool))
        finished = FinishedEvent(stop_reason="error")
        try:
            if running.prompt is not None and not running.resumed:
                self.emit(running, PromptEvent(text=running.prompt))
            self.emit(running, StateEvent(state="running"))
            earlier = await self._earlier(running)
            if running.mode != "default":
                self.tell_mode(running, running.mode)
            if self.unconfined:
                self.emit(running, NoticeEvent(text=_UNCONFINED))
            held.lease = await self._lease(running)
            held.agent = self._agent(running, held)
            self.emit(running, self._introduction(running, held.agent))
            finished = await (await self._episode(running, held, earlier)).run()
        except asyncio.CancelledError:
            finished = FinishedEvent(stop_reason="cancelled")
        except Exception as fault:  # noqa: BLE001 - the boundary that owns it: every episode ends with `finished`
            self._tell_failure(running, fault)
        finally:
            running.ending = True
            # To its end however often the run is cancelled: a tool process must not stay, nor a provider be forgotten.
            leaving = asyncio.ensure_future(self._leave(running, held, finished))
            while not leaving.done():
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.wait({leaving})
            running.context = None  # the run is known for as long as the host lives; its tools and its worker are not
            self._finish(running, leaving.result())

    async def _earlier(self, running: Running) -> list[RunUpdate]:
        """What was said in the conversation before this episode."""
        if not running.resumed and running.scope == running.run_id:
            return []
        updates = await self.journal.conversation(running.run_id, running.scope)
        return [update for update in updates if running.resumed or update.run_id != running.run_id]

    def _introduction(self, running: Running, agent: AgentEpisode | None) -> EpisodeEvent:
        wanted = (running.params.model, agent.agent.model if agent is not None else None, self.settings.model)
        return EpisodeEvent(
            agent=running.params.agent or DEFAULT,
            agent_call_id=running.agent_call_id,
            memory_scope=running.scope,
            model=next((name.strip() for name in wanted if name and name.strip()), OFFLINE),
        )

    def _tell_failure(self, running: Running, fault: Exception) -> None:
        """Why the episode ends; where that cannot be stored, its end cannot either, and `_finish` tells it."""
        trace = None
        if isinstance(fault, ModelError | AdalError):
            code, message = fault.code, fault.message
            trace = fault.trace if isinstance(fault, ProviderError) else None
        elif isinstance(fault, RegistryError | StoreError):
            code, message = "tools" if isinstance(fault, RegistryError) else "store", str(fault)
        else:
            _log.error("run %s failed", running.run_id, exc_info=fault)
            code, message = "internal", f"{type(fault).__name__}: {fault}"
        with contextlib.suppress(StoreError):
            self.emit(running, ErrorEvent(code=code, message=message, trace=trace or None))

    async def _leave(self, running: Running, held: _Held, finished: FinishedEvent) -> FinishedEvent:
        """Tells the providers of the end and gives everything back. Returns how the episode ended then."""
        cancelled = finished.stop_reason == "cancelled"
        try:
            if held.agent is not None:
                finished = await self._end(running, held.agent, finished)
            if held.lease is not None:
                await held.lease.release(stop=cancelled)
            await held.workspaces.release()
            await self.projects.ended(running.root, running.run_id)
        except Exception as fault:  # noqa: BLE001 - as in `run`
            finished = FinishedEvent(stop_reason="error", answer=finished.answer)
            self._tell_failure(running, fault)
        return finished

    async def _end(self, running: Running, agent: AgentEpisode, finished: FinishedEvent) -> FinishedEvent:
        """`on_run_end` of all providers. What it raises fails a good episode; a failed one has its own error."""
        good = finished.stop_reason in ("end_turn", "limit")
        try:
            await agent.end(cancelled=finished.stop_reason == "cancelled")
        except ProviderError as fault:
            if good:
                self._tell_failure(running, fault)
                return FinishedEvent(stop_reason="error", answer=finished.answer)
            with contextlib.suppress(StoreError):
                self.emit(running, NoticeEvent(text=f"on_run_end failed, too: {fault.message}"))
        return finished

    def _finish(self, running: Running, finished: FinishedEvent) -> None:
        if running.interrupted and finished.stop_reason == "cancelled":
            finished = finished.model_copy(update={"interrupted": True})
        try:
            unheard = running.take_unheard(finished)
            if unheard:
                self.emit(
                    running, NoticeEvent(text=f"Not told to the model, because the run ended: {' '.join(unheard)}")
                )
            self.emit(running, finished)
        except StoreError as fault:
            # Told all the same: whoever watches must not wait for ever. The store shows the run as interrupted.
            _log.error("the end of run %s is not stored: %s", running.run_id, fault)
            self.journal.give_up(running.run_id)
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
            if (running.root / FOLDER).is_dir():  # else there is nothing that trust would load
                text = "Custom tools are not loaded: the workspace is not trusted."
                self.emit(running, NoticeEvent(text=text))
            return None
        lease, notice = await self.projects.lease(running.root, running.run_id)
        if notice is not None:
            self.emit(running, NoticeEvent(text=notice))
        if lease is not None and lease.left_out is not None:
            self.emit(running, NoticeEvent(text=lease.left_out))
        return lease

    def _agent(self, running: Running, held: _Held) -> AgentEpisode | None:
        """The project's agent of the run; None for the one that every folder has.

        Raises:
            AdalError: there is none of that id.
        """
        agents, failure = (held.lease.agents, held.lease.agents_failure) if held.lease is not None else (None, None)
        if failure is not None and (running.params.agent or DEFAULT) != DEFAULT:
            raise ProjectLoadError(f"the agents of this project could not be loaded: {failure}")
        found = find(agents, running.params.agent)
        if found is None or held.lease is None:
            return None
        ctx = ToolContext(
            agent_id=found.id,
            agent_call_id=running.agent_call_id,
            memory_scope=running.scope,
            project_root=running.root,
            tool_provider_context=running.params.tool_context,
        )
        return AgentEpisode(
            found, held.lease, ctx, held.workspaces, lambda text: self.emit(running, NoticeEvent(text=text))
        )

    async def _registry(self, running: Running, held: _Held) -> ToolRegistry:
        enabled, disabled = tool_choice(running.params, self.settings)
        agent = held.agent
        if agent is not None:
            enabled, disabled = narrowed(agent.agent, enabled, disabled)
        registry = registry_of(held.lease, enabled, disabled, unconfined=self.unconfined)
        if agent is not None and held.lease is not None:
            provided, servers = await agent.tools(running.root)
            served = await held.lease.servers.serve(servers)
            registry = lay_over(registry, provided, enabled=enabled, disabled=disabled)
            registry = add_served(registry, served, enabled=enabled, disabled=disabled)
        for tool in BUILTINS.values():
            if tool.key and tool.name in (enabled or ()) and tool.name not in registry.tools:
                self.emit(running, NoticeEvent(text=f"{tool.name} is not there: set {tool.key} to a key for it."))
        if missing := naming.without_tools(BUILTINS, enabled or ()):
            text = f"No built-in tool of this version has the name or group {', '.join(missing)}; it is only reserved."
            self.emit(running, NoticeEvent(text=text))
        if registry.left_out:
            self.emit(running, NoticeEvent(text=f"Tools left out: {'; '.join(registry.left_out)}"))
        return registry

    async def _episode(self, running: Running, held: _Held, earlier: list[RunUpdate]) -> Episode:
        agent = held.agent.agent if held.agent is not None else None
        model = choose_model(
            running.params.model, agent.model if agent else None, self.settings.model, root=running.root
        )
        if not running.resumed and (hint := advice(model.name)) is not None:
            self.emit(running, NoticeEvent(text=hint))
        registry = await self._registry(running, held)

        def emit(event: Event) -> None:
            self.emit(running, event)

        def store_result(event: ToolResultEvent, full: str | None) -> None:
            self.emit(running, event, full)

        def heard() -> list[str]:
            prompts, running.heard = running.heard, []
            return prompts

        events = [update.event for update in earlier]
        todos = TodoList(
            lambda todos: emit(TodosEvent(todos=[Todo(**asdict(todo)) for todo in todos])), _todos_of(events)
        )
        context = GateContext(
            run_id=running.run_id,
            registry=registry,
            mode=running.mode,
            root=running.root,
            approvals=self.approvals,
            custom=held.lease,
            emit=emit,
            any_name=model.any_name,
            pythons=environments(choose_interpreter(self.settings.interpreter, running.root)),
            settled=lambda: self.journal.settled(running.run_id),
            builtins=BuiltinContext(running.root, executor=held.workspaces.own_executor(), todos=todos),
        )
        running.context = context
        given = running.params.system_prompt or (agent.system_prompt if agent is not None else None)
        conversation = Conversation(system_prompt(running.root, trusted=self.trusted(), given=given))
        own = {
            update.event.call_id
            for update in earlier
            if update.run_id == running.run_id and isinstance(update.event, ToolCallEvent)
        }
        asked_anew = running.resumed and running.prompt is None
        reopened = [call for call in open_questions(events) if call.call_id in own] if asked_anew else []

        def sent(name: str) -> str:
            return sent_name(name, registry, any_name=model.any_name)

        for lost in replay(conversation, events, sent, to_come={call.call_id for call in reopened}):
            if lost.call_id in own:
                emit(lost)  # every call of a transcript has one result, also one that a crash cut short
        prompt = running.prompt or (CONTINUE if running.resumed and conversation.answered and not reopened else None)
        if prompt is not None or not running.resumed:
            if running.resumed:
                emit(PromptEvent(text=prompt or ""))
            conversation.add_prompt(prompt or "")
        limits = Limits.of(running.params, steps=agent.stop_when if agent is not None else None)
        return Episode(model, conversation, context, emit, store_result, limits=limits, heard=heard, reopened=reopened)


def _todos_of(earlier: list[Event]) -> tuple[ListedTodo, ...]:
    """The list as the run has written it last."""
    written = [event for event in earlier if isinstance(event, TodosEvent)]
    return tuple(ListedTodo(todo.content, todo.status) for todo in written[-1].todos) if written else ()


def narrowed(
    agent: LoadedAgent, enabled: list[str] | None, disabled: list[str] | None
) -> tuple[list[str] | None, list[str] | None]:
    """The person's choice of built-in tools, and of those what the agent's runtime leaves: it can only take away.

    Raises:
        InvalidConfigError: the agent names something that is no built-in tool.
    """
    if agent.enabled is None and agent.disabled is None:
        return enabled, disabled
    try:
        own = naming.select_builtins(naming.RESERVED, agent.enabled, agent.disabled)
    except ValueError as fault:
        raise InvalidConfigError(f"agent '{agent.id}': {fault}") from fault
    left = own & naming.select_builtins(naming.RESERVED, enabled, disabled)
    return None, sorted(set(naming.RESERVED) - left)


def tool_choice(params: RunStartParams, settings: HostSettings) -> tuple[list[str] | None, list[str] | None]:
    """Enabled and disabled built-ins: the run's own choice, else the setting's."""
    if params.enabled_default_tools is not None or params.disabled_default_tools is not None:
        return params.enabled_default_tools, params.disabled_default_tools
    return settings.enabled_default_tools, settings.disabled_default_tools
