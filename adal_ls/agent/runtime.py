"""Runs: starts, stores, reports and cancels them. Used by the host's JSON-RPC face and by the command line."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from adal_ls import naming
from adal_ls.agent import model, trying
from adal_ls.agent.approval import Approvals, Approver
from adal_ls.agent.builtin.catalog import BUILTINS
from adal_ls.agent.builtin.context import BuiltinContext
from adal_ls.agent.builtin.todos import TodoList
from adal_ls.agent.choice import choose_model
from adal_ls.agent.gate import GateContext
from adal_ls.agent.grants import Grant, Grants
from adal_ls.agent.history import Conversation
from adal_ls.agent.interpreters import choose_interpreter, environments
from adal_ls.agent.lease import ToolsLease
from adal_ls.agent.loop import Episode
from adal_ls.agent.offline import NAME as OFFLINE
from adal_ls.agent.projects import Projects
from adal_ls.agent.prompt import system_prompt
from adal_ls.agent.registry import RegistryError, registry_of
from adal_ls.agent.store import Store, StoreError, now
from adal_ls.agent.stream import ModelError
from adal_ls.agent.workspace_executor import ExecutorPool, WorkspaceExecutor, is_unconfined
from adal_ls.agent.workspace_policy import WorkspacePolicy
from adal_ls.protocol.approvals import ApprovalRequest
from adal_ls.protocol.host import HostSettings
from adal_ls.protocol.runs import (
    ErrorEvent,
    Event,
    FinishedEvent,
    ModeEvent,
    NoticeEvent,
    PermissionMode,
    PromptEvent,
    Run,
    RunStartParams,
    RunUpdate,
    StateEvent,
    Todo,
    TodosEvent,
    ToolResultEvent,
)
from adal_ls.protocol.tools import Project, ToolsTryParams, ToolsTryResult

_TITLE = 80

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


class UnknownRunError(Exception):
    """No run of that id is going on here."""


@dataclass(slots=True)
class _Running:
    params: RunStartParams
    root: Path
    mode: PermissionMode
    finished: asyncio.Future[FinishedEvent]
    task: asyncio.Task[None] | None = None
    context: GateContext | None = None
    executor: WorkspaceExecutor | None = None
    cancelling: bool = field(default=False)
    last_seq: int = field(default=0)


class Runtime:
    """The runs of one process. All methods belong on one event loop."""

    def __init__(
        self,
        *,
        store: Store,
        settings: HostSettings,
        approver: Approver | None,
        on_update: Callable[[RunUpdate], None],
        on_project: Callable[[Project], None],
        trusted: bool = False,
        roots: Sequence[Path] = (),
    ) -> None:
        """`roots` are the workspace's folders, for a run that names none. Without trust no custom tool is loaded."""
        self.trusted = trusted
        self._store = store
        self._settings = settings
        self._roots = list(roots)
        self._on_update = on_update
        self._grants = Grants()
        self._approvals = Approvals(approver, self._grants)
        self._unconfined = is_unconfined(settings.allow_unsandboxed_bash)
        self._pool = ExecutorPool(unconfined=self._unconfined)
        self._projects = Projects(settings.interpreter, on_project)
        self._runs: dict[str, _Running] = {}

    async def load(self, root: Path, *, unsaved: bool = False) -> Project:
        """Loads or reloads a project's custom tools.

        `unsaved`: no save and no wish of a person is behind it; then code that may be an agent's is not imported.

        Raises:
            PermissionError: the workspace is not trusted, or the folder is not of the workspace.
        """
        if not self.trusted:
            raise PermissionError(f"{root} is not trusted: its tools are not loaded until you trust the workspace")
        return await self._projects.load(self._of_workspace(root), unsaved=unsaved)

    def start(self, params: RunStartParams) -> str:
        """Starts a run and returns its id at once; everything that can take time happens in the run.

        Raises:
            ValueError: parameters that no run can have; the text says which.
            PermissionError: a folder that is not of the workspace.
        """
        if params.agent not in (None, "default"):
            raise ValueError(f"there is no agent '{params.agent}'; the agents there are: default")
        naming.select_builtins(BUILTINS, *self._tool_choice(params))
        run_id = uuid4().hex
        name = next((given for given in (params.model, self._settings.model) if given and given.strip()), OFFLINE)
        running = _Running(
            params,
            self._root(params.project_root),
            params.permission_mode or self._settings.permission_mode,
            asyncio.get_running_loop().create_future(),
        )
        moment = now()
        title = " ".join(params.prompt.split())[:_TITLE] or "(empty prompt)"
        self._store.create(Run(run_id=run_id, title=title, model=name, state="running", created=moment, updated=moment))
        self._runs[run_id] = running
        running.task = asyncio.ensure_future(self._run(run_id, running))
        return run_id

    async def try_tool(self, params: ToolsTryParams, on_text: Callable[[str], None]) -> ToolsTryResult:
        """Runs one tool with arguments of a person's own, who thereby allows it. Cancelling the caller stops it.

        Args:
            on_text: gets what the tool prints or yields meanwhile.

        Raises:
            ValueError: no such tool, or it is not clear which project is meant.
            PermissionError: the workspace is not trusted, or the folder is not of the workspace.
        """
        root = self._root(params.project_root)
        if not self.trusted:
            raise PermissionError(f"{root} is not trusted: no tool of it runs until you trust the workspace")
        return await trying.try_tool(params, root, self._projects, self._settings, on_text)

    async def wait(self, run_id: str) -> FinishedEvent:
        """The end of a run of this process.

        Raises:
            UnknownRunError: it was not started here.
        """
        return await asyncio.shield(self._find(run_id).finished)

    async def cancel(self, run_id: str, why: str | None = None) -> None:
        """Cancels a run and waits until it has stopped; nothing happens to one that has ended.

        Args:
            why: what ends it, where that is not the wish of the person; then the run says so.

        Raises:
            UnknownRunError: it was not started here.
        """
        running = self._find(run_id)
        if running.finished.done() or running.task is None:
            return
        if not running.cancelling:
            running.cancelling = True
            await asyncio.sleep(0)  # a task that is cancelled before its first step would never say that it ended
            if why is not None:
                self._emit(run_id, NoticeEvent(text=f"Stopped: {why}."))
                if running.context is not None:
                    running.context.cancelled = f"cancelled: {why}"
            self._emit(run_id, StateEvent(state="cancelling"))
            running.task.cancel()
        await asyncio.wait({running.task})

    def set_mode(self, run_id: str, mode: PermissionMode) -> None:
        """Switches the permission mode of a run that is going on: for calls that are decided about from now on.

        A question that waits goes on waiting for its answer, whatever the new mode would have said.

        Raises:
            UnknownRunError: it was not started here, or has ended.
        """
        running = self._find(run_id)
        if running.finished.done():
            raise UnknownRunError(f"run {run_id} has ended; its permission mode cannot be switched any more")
        if running.mode == mode:
            return
        running.mode = mode
        if running.context is not None:
            running.context.mode = mode
        self._tell_mode(run_id, mode)

    def knows(self, run_id: str) -> bool:
        """Whether the run was started in this process."""
        return run_id in self._runs

    async def set_trusted(self, trusted: bool) -> None:
        """The person granted trust, or withdrew it: then all runs are cancelled and all workers ended."""
        self.trusted = trusted
        if not trusted:
            await self.close("trust in the workspace was withdrawn")

    def pending(self) -> list[ApprovalRequest]:
        """The approvals that wait for an answer."""
        return self._approvals.pending()

    def approval_arguments(self, approval_id: str) -> dict[str, Any]:
        """The full arguments of a waiting approval.

        Raises:
            KeyError: nothing of that id waits.
        """
        return self._approvals.arguments(approval_id)

    def grants(self, project_root: str | None = None) -> list[Grant]:
        """The remembered approvals that count for a folder, or for the whole workspace, oldest first.

        Raises:
            GrantsError: those of a folder are void, because somebody changed them.
        """
        return self._grants.listed([Path(project_root)] if project_root is not None else self._roots)

    def revoke(self, grant_id: str) -> bool:
        """Forgets a remembered approval; whether there was one.

        Raises:
            GrantsError: it cannot be removed, so it still counts.
        """
        return self._grants.revoke(grant_id)

    async def close(self, why: str | None = None) -> None:
        """Cancels all runs (`why` as for `cancel`) and ends all workers. The store stays open; it is the caller's."""
        await asyncio.gather(*(self.cancel(run_id, why) for run_id in self._runs))
        await self._pool.close()
        await self._projects.close()
        await model.close()

    def _find(self, run_id: str) -> _Running:
        if run_id not in self._runs:
            raise UnknownRunError(f"no run {run_id} was started in this session")
        return self._runs[run_id]

    def _root(self, given: str | None) -> Path:
        if given is not None:
            root = Path(given)
            if not root.is_dir():
                raise ValueError(f"projectRoot is not a folder: {given}")
            return self._of_workspace(root)
        if len(self._roots) == 1:
            return self._roots[0].resolve()
        if not self._roots:
            raise ValueError("there is no folder to run in: give projectRoot")
        raise ValueError(f"several folders are open; give projectRoot, one of: {', '.join(map(str, self._roots))}")

    def _of_workspace(self, root: Path) -> Path:
        """The real path of a folder that the workspace's trust covers.

        Raises:
            PermissionError: it lies outside every folder of the workspace.
        """
        real = root.resolve()
        if self._roots and not any(real.is_relative_to(folder.resolve()) for folder in self._roots):
            raise PermissionError(
                f"{root} is not in the workspace ({', '.join(map(str, self._roots))}), so its trust does not cover it"
            )
        return real

    def _tool_choice(self, params: RunStartParams) -> tuple[list[str] | None, list[str] | None]:
        """Enabled and disabled built-ins: the run's own choice, else the setting's."""
        if params.enabled_default_tools is not None or params.disabled_default_tools is not None:
            return params.enabled_default_tools, params.disabled_default_tools
        return self._settings.enabled_default_tools, self._settings.disabled_default_tools

    def _tell_mode(self, run_id: str, mode: PermissionMode) -> None:
        self._emit(run_id, ModeEvent(mode=mode))
        self._emit(run_id, NoticeEvent(text=_MODES[mode]))

    def _emit(self, run_id: str, event: Event, full: str | None = None) -> None:
        """Stored first, then told: what was shown is never lost."""
        update = self._store.append(run_id, event, full=full)
        self._runs[run_id].last_seq = update.seq
        self._on_update(update)

    async def _run(self, run_id: str, running: _Running) -> None:
        """One episode from its prompt to its one `finished` event, whatever happens."""
        lease: ToolsLease | None = None
        finished = FinishedEvent(stop_reason="error")
        try:
            self._emit(run_id, PromptEvent(text=running.params.prompt))
            self._emit(run_id, StateEvent(state="running"))
            if running.mode != "default":
                self._tell_mode(run_id, running.mode)
            if self._unconfined:
                self._emit(run_id, NoticeEvent(text=_UNCONFINED))
            lease = await self._lease(run_id, running.root)
            episode = self._episode(run_id, running, lease)
            finished = await episode.run()
        except asyncio.CancelledError:
            finished = FinishedEvent(stop_reason="cancelled")
        except ModelError as error:
            self._emit(run_id, ErrorEvent(code=error.code, message=error.message))
        except RegistryError as error:
            self._emit(run_id, ErrorEvent(code="tools", message=str(error)))
        except Exception as fault:  # noqa: BLE001 - the boundary that owns it: every episode ends with `finished`
            _log.exception("run %s failed", run_id)
            finished = FinishedEvent(stop_reason="error")
            with contextlib.suppress(StoreError):  # then the end cannot be stored either, and `_finish` tells it
                self._emit(run_id, ErrorEvent(code="internal", message=f"{type(fault).__name__}: {fault}"))
        finally:
            try:
                if lease is not None:
                    # Shielded: a cancel in this moment must neither keep the tools nor hide the end.
                    await asyncio.shield(lease.release(stop=finished.stop_reason == "cancelled"))
                if running.executor is not None:
                    await asyncio.shield(self._pool.release(running.executor))
                await asyncio.shield(self._projects.ended(running.root, run_id))
            finally:
                self._finish(run_id, running, finished)

    def _finish(self, run_id: str, running: _Running, finished: FinishedEvent) -> None:
        try:
            self._emit(run_id, finished)
        except StoreError as fault:
            # Told all the same: whoever watches must not wait for ever. The store shows the run as interrupted.
            _log.error("the end of run %s is not stored: %s", run_id, fault)
            finished = FinishedEvent(stop_reason="error")
            for event in (ErrorEvent(code="store", message=str(fault)), finished):
                running.last_seq += 1
                self._on_update(RunUpdate(run_id=run_id, seq=running.last_seq, event=event))
        finally:
            running.finished.set_result(finished)

    async def _lease(self, run_id: str, root: Path) -> ToolsLease | None:
        """The project's tools for this run; what is missing is said, and the run goes on without."""
        if not self.trusted:
            self._emit(run_id, NoticeEvent(text="Custom tools are not loaded: the workspace is not trusted."))
            return None
        lease, notice = await self._projects.lease(root, run_id)
        if notice is not None:
            self._emit(run_id, NoticeEvent(text=notice))
        if lease is not None and lease.left_out is not None:
            self._emit(run_id, NoticeEvent(text=lease.left_out))
        return lease

    def _episode(self, run_id: str, running: _Running, lease: ToolsLease | None) -> Episode:
        enabled, disabled = self._tool_choice(running.params)
        registry = registry_of(lease, enabled, disabled, unconfined=self._unconfined)
        for tool in BUILTINS.values():
            if tool.key and tool.name in (enabled or ()) and tool.name not in registry.tools:
                self._emit(run_id, NoticeEvent(text=f"{tool.name} is not there: set {tool.key} to a key for it."))
        if missing := naming.without_tools(BUILTINS, enabled or ()):
            text = f"No built-in tool of this version has the name or group {', '.join(missing)}; it is only reserved."
            self._emit(run_id, NoticeEvent(text=text))
        if registry.left_out:
            self._emit(run_id, NoticeEvent(text=f"Custom tools left out: {'; '.join(registry.left_out)}"))
        chosen = choose_model(running.params.model, self._settings.model, root=running.root)
        conversation = Conversation(system_prompt(running.root, trusted=self.trusted))
        conversation.add_prompt(running.params.prompt)

        def emit(event: Event) -> None:
            self._emit(run_id, event)

        def store_result(event: ToolResultEvent, full: str | None) -> None:
            self._emit(run_id, event, full)

        running.executor = self._pool.acquire(running.root, WorkspacePolicy.of(running.root))
        todos = TodoList(lambda todos: emit(TodosEvent(todos=[Todo(**asdict(todo)) for todo in todos])))
        context = GateContext(
            run_id=run_id,
            registry=registry,
            mode=running.mode,
            root=running.root,
            approvals=self._approvals,
            custom=lease,
            emit=emit,
            any_name=chosen.any_name,
            pythons=environments(choose_interpreter(self._settings.interpreter, running.root)),
            builtins=BuiltinContext(running.root, executor=running.executor, todos=todos),
        )
        running.context = context
        return Episode(chosen, conversation, context, emit, store_result)
