"""Runs: starts, stores, reports and cancels them. Used by the host's JSON-RPC face and by the command line."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from adal_ls import naming
from adal_ls.agent.approvals.approval import Approvals, Approver
from adal_ls.agent.approvals.grants import Grant, Grants
from adal_ls.agent.builtin.catalog import BUILTINS
from adal_ls.agent.models import choice, model
from adal_ls.agent.models.offline import NAME as OFFLINE
from adal_ls.agent.projects.agent_infos import DEFAULT, form, infos
from adal_ls.agent.projects.lease import Snapshot
from adal_ls.agent.projects.projects import Projects
from adal_ls.agent.runs import trying
from adal_ls.agent.runs.episodes import Episodes, tool_choice
from adal_ls.agent.runs.running import Running
from adal_ls.agent.store.journal import Journal, RunStore
from adal_ls.agent.store.secret_values import SecretValues
from adal_ls.agent.store.store import RunBusyError, StoreError, now
from adal_ls.agent.workspaces.workspace_executor import ExecutorPool, is_unconfined
from adal_ls.agent.workspaces.workspace_folders import WorkspaceFolders
from adal_ls.protocol.agents import AgentInfo, ContextForm
from adal_ls.protocol.approvals import ApprovalRequest
from adal_ls.protocol.host import HostSettings
from adal_ls.protocol.runs import (
    FinishedEvent,
    NoticeEvent,
    PermissionMode,
    Run,
    RunPromptParams,
    RunResumeParams,
    RunStartParams,
    RunUpdate,
    StateEvent,
)
from adal_ls.protocol.tools import Project, ToolsTryParams, ToolsTryResult
from adal_ls.sdk.errors import ProjectLoadError, ScopeBusyError

_TITLE = 80

_log = logging.getLogger(__name__)


def _log_failure(warming: asyncio.Future[Any]) -> None:
    """The first run that needs the model layer meets the failure again, and tells it."""
    if not warming.cancelled() and warming.exception() is not None:
        _log.warning("the model layer could not be loaded ahead: %s", warming.exception())


class UnknownRunError(Exception):
    """No run of that id is going on here."""


class Runtime:
    """The runs of one process. All methods belong on one event loop."""

    def __init__(
        self,
        *,
        store: RunStore,
        settings: HostSettings,
        approver: Approver | None,
        on_update: Callable[[RunUpdate], None],
        on_project: Callable[[Project], None],
        trusted: bool = False,
        roots: Sequence[Path] = (),
    ) -> None:
        """`roots` are the workspace's folders, for a run that names none. Without trust no custom tool is loaded."""
        self.trusted = trusted
        self._journal = Journal(store)
        self._settings = settings
        self._folders = WorkspaceFolders(roots)
        self._grants = Grants()
        self._approvals = Approvals(approver, self._grants)
        unconfined = is_unconfined(settings.allow_unsandboxed_bash)
        self._pool = ExecutorPool(unconfined=unconfined)
        self._projects = Projects(settings, on_project)
        self._episodes = Episodes(
            self._journal,
            settings,
            self._approvals,
            self._projects,
            self._pool,
            unconfined,
            trusted=lambda: self.trusted,
            on_update=on_update,
        )
        self._runs: dict[str, Running] = {}
        self._warming: asyncio.Future[Any] | None = None

    async def load(self, root: Path, *, unsaved: bool = False) -> Project:
        """Loads or reloads a project's custom tools.

        `unsaved`: no save and no wish of a person is behind it; then code that may be an agent's is not imported.

        Raises:
            PermissionError: the workspace is not trusted, or the folder is not of the workspace.
        """
        if not self.trusted:
            raise PermissionError(f"{root} is not trusted: its tools are not loaded until you trust the workspace")
        return await self._projects.load(self._folders.inside(root), unsaved=unsaved)

    def start(self, params: RunStartParams) -> str:
        """Starts a run and returns its id at once; everything that can take time happens in the run.

        Raises:
            ValueError: parameters that no run can have; the text says which.
            UnknownAgentError: there is no such agent, as far as that is known; else the run says so.
            ScopeBusyError: a run is going on in the memory scope.
            PermissionError: a folder that is not of the workspace.
        """
        naming.select_builtins(BUILTINS, *tool_choice(params, self._settings))
        root = self._folders.meant(params.project_root)
        self._projects.check_agent(root, params.agent)
        self._check_idle(params.scope, root)
        run_id, moment, secrets = uuid4().hex, now(), SecretValues(os.environ)
        run = Run(
            run_id=run_id,
            title=secrets.redact(" ".join(params.prompt.split()))[:_TITLE] or "(empty prompt)",
            agent=(params.agent or "").strip() or DEFAULT,
            model=self._model_name(params.model),
            state="running",
            created=moment,
            updated=moment,
        )
        kept = params.model_copy(update={"project_root": str(root)})
        system = params.system_prompt and secrets.redact(params.system_prompt)
        self._journal.create(run, kept.model_copy(update={"system_prompt": system}))
        self._begin(run_id, kept, params.prompt, params.permission_mode or self._settings.permission_mode)
        return run_id

    def prompt(self, params: RunPromptParams) -> None:
        """A further prompt in the conversation of a run. One that is going on hears it at its next model request.

        Raises:
            UnknownRunError: no such run.
            RunBusyError: another process is at it.
            ValueError: its folder is gone.
            PermissionError: its folder is not of the workspace any more.
        """
        running = self._runs.get(params.run_id)
        if running is not None and not running.finished.done():
            if running.cancelling:
                raise RunBusyError(f"run {params.run_id} is being cancelled; send the prompt once it has stopped")
            # Tools are made once in an episode: another context than its own begins the next one.
            elsewhere = params.tool_context not in (None, running.params.tool_context)
            if elsewhere or running.later or running.ending:
                running.later.append(params)
            else:
                running.heard.append(params.prompt)
            return
        self._take_up(params, params.prompt)

    def resume(self, params: RunResumeParams) -> None:
        """Takes an ended or interrupted run up again; what waited for an approval is asked about anew.

        Raises:
            As `prompt`; RunBusyError also where it is going on here.
        """
        running = self._runs.get(params.run_id)
        if running is not None and not running.finished.done():
            raise RunBusyError(f"run {params.run_id} is going on; there is nothing to take up again")
        self._take_up(params, params.prompt)

    def _take_up(self, params: RunPromptParams | RunResumeParams, prompt: str | None) -> Running:
        kept = self._journal.run(params.run_id)
        root = self._folders.meant(kept.project_root)
        given = self._journal.adopt(params.run_id, params.model)
        self._check_idle(given.scope or params.run_id, root, but=params.run_id)
        changed = {"project_root": str(root), "model": params.model or given.model, "tool_context": params.tool_context}
        if isinstance(params, RunResumeParams):
            changed |= params.model_dump(include={"max_steps", "max_seconds", "max_cost"}, exclude_none=True)
        mode = params.permission_mode or self._settings.permission_mode
        return self._begin(params.run_id, given.model_copy(update=changed), prompt, mode, resumed=True)

    def _begin(
        self, run_id: str, params: RunStartParams, prompt: str | None, mode: PermissionMode, *, resumed: bool = False
    ) -> Running:
        running = Running(
            run_id=run_id,
            params=params,
            prompt=prompt,
            root=self._folders.meant(params.project_root),
            mode=mode,
            finished=asyncio.get_running_loop().create_future(),
            resumed=resumed,
        )
        self._runs[run_id] = running
        running.task = asyncio.ensure_future(self._episodes.run(running))
        running.task.add_done_callback(lambda _: self._hear(running))
        return running

    def _hear(self, running: Running) -> None:
        """What was said while the episode was ending begins the next one."""
        if self._runs.get(running.run_id) is not running:
            return
        if running.heard:
            context = running.params.tool_context
            prompt = "\n\n".join(running.heard)
            following = self._take_up(
                RunPromptParams(run_id=running.run_id, prompt=prompt, tool_context=context), prompt
            )
            following.later = running.later
        elif running.later:
            first, *rest = running.later
            following = self._take_up(first, first.prompt)
            following.later = rest

    def _check_idle(self, scope: str | None, root: Path, but: str | None = None) -> None:
        """
        Raises:
            ScopeBusyError: another run than `but` is going on in the memory scope.
        """
        scope = (scope or "").strip()
        for run in self._journal.in_scope(scope, root) if scope else ():
            if run.run_id != but and run.state not in ("finished", "interrupted"):
                raise ScopeBusyError(
                    f"run {run.run_id} is going on in the memory scope '{scope}': wait for its end, or prompt that run"
                )

    def _model_name(self, given: str | None) -> str:
        return next((name for name in (given, self._settings.model) if name and name.strip()), OFFLINE)

    async def try_tool(self, params: ToolsTryParams, on_text: Callable[[str], None]) -> ToolsTryResult:
        """Runs one tool with arguments of a person's own, who thereby allows it. Cancelling the caller stops it.

        Args:
            on_text: gets what the tool prints or yields meanwhile.

        Raises:
            ValueError: no such tool, or it is not clear which project is meant.
            PermissionError: the workspace is not trusted, or the folder is not of the workspace.
        """
        root = self._folders.meant(params.project_root)
        if not self.trusted:
            raise PermissionError(f"{root} is not trusted: no tool of it runs until you trust the workspace")
        return await trying.try_tool(params, root, self._projects, self._settings, on_text)

    async def agents(self, root: Path) -> tuple[list[AgentInfo], str | None]:
        """The agents of a project, and why its newest ones are not there. Loads it if it never was.

        Raises:
            PermissionError: the workspace is not trusted, or the folder is not of the workspace.
        """
        snapshot, project = await self._known(root)
        return infos(snapshot, project.root), project.error

    async def context_form(self, agent: str, root: Path) -> ContextForm:
        """The form for the tool context of an agent.

        Raises:
            UnknownAgentError: there is none of that id.
            ProjectLoadError: the project's agents could not be loaded.
            PermissionError: as for `agents`.
        """
        snapshot, project = await self._known(root)
        if project.error is not None and (snapshot is None or snapshot.agents_failure is not None):
            raise ProjectLoadError(f"the agents of this project could not be loaded: {project.error}")
        return form(snapshot, agent)

    async def _known(self, root: Path) -> tuple[Snapshot | None, Project]:
        if not self.trusted:
            raise PermissionError(f"{root} is not trusted: its agents are not loaded until you trust the workspace")
        return await self._projects.known(self._folders.inside(root))

    async def wait(self, run_id: str) -> FinishedEvent:
        """The end of a run of this process.

        Raises:
            UnknownRunError: it was not started here.
        """
        return await asyncio.shield(self._find(run_id).finished)

    async def cancel(self, run_id: str, why: str | None = None, *, interrupted: bool = False) -> None:
        """Cancels a run and waits until it has stopped; nothing happens to one that has ended.

        Args:
            why: what ends it, where that is not the wish of the person; then the run says so.
            interrupted: it is to be taken up again; calls that wait for an answer go on waiting for it until then.

        Raises:
            UnknownRunError: it was not started here.
        """
        running = self._find(run_id)
        if running.finished.done() or running.task is None:
            return
        if not running.cancelling:
            running.cancelling = True
            running.interrupted = interrupted
            if running.context is not None:
                running.context.interrupted = interrupted
            await asyncio.sleep(0)  # a task that is cancelled before its first step would never say that it ended
            if why is not None and running.context is not None:
                running.context.cancelled = f"cancelled: {why}"
            # A store that cannot be written must not keep a run from being stopped; its end says what is wrong.
            with contextlib.suppress(StoreError):
                if why is not None:
                    self._episodes.emit(
                        running, NoticeEvent(text=f"{'Interrupted' if interrupted else 'Stopped'}: {why}.")
                    )
                self._episodes.emit(running, StateEvent(state="cancelling"))
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
        self._episodes.tell_mode(running, mode)

    def knows(self, run_id: str) -> bool:
        """Whether the run was started in this process."""
        return run_id in self._runs

    async def set_trusted(self, trusted: bool) -> None:
        """The person granted trust, or withdrew it: then all runs are cancelled and all workers ended."""
        self.trusted = trusted
        if not trusted:
            await self._close("trust in the workspace was withdrawn", dispose=False)  # no more of its code runs

    def pending(self) -> list[ApprovalRequest]:
        """The approvals that wait for an answer."""
        return self._approvals.pending()

    def approval_arguments(self, approval_id: str) -> dict[str, Any]:
        """The full arguments of a waiting approval.

        Raises:
            KeyError: nothing of that id waits.
        """
        return self._approvals.arguments(approval_id)

    def warm(self, given: str | None = None) -> None:
        """Makes ready in the background what the first run with a model would wait for, if it needs that.

        Args:
            given: the model; the setting's where it is None.
        """
        if choice.is_remote(self._model_name(given)) and self._warming is None:
            self._warming = asyncio.ensure_future(model.load())
            self._warming.add_done_callback(_log_failure)

    def grants(self, project_root: str | None = None) -> list[Grant]:
        """The remembered approvals that count for a folder, or for the whole workspace, oldest first.

        Raises:
            GrantsError: those of a folder are void, because somebody changed them.
        """
        return self._grants.listed([Path(project_root)] if project_root is not None else self._folders.folders)

    def revoke(self, grant_id: str) -> bool:
        """Forgets a remembered approval; whether there was one.

        Raises:
            GrantsError: it cannot be removed, so it still counts.
        """
        return self._grants.revoke(grant_id)

    async def close(self, why: str | None = None) -> None:
        """Cancels all runs and ends all workers. The store stays open; it is the caller's.

        Args:
            why: as for `cancel`; with one the runs are interrupted.
        """
        await self._close(why, dispose=True, interrupted=why is not None)

    async def _close(self, why: str | None, *, dispose: bool, interrupted: bool = False) -> None:
        for running in self._runs.values():
            running.later.clear()  # nothing begins any more
        await asyncio.gather(*(self.cancel(run_id, why, interrupted=interrupted) for run_id in self._runs))
        await self._pool.close()
        await self._projects.close(dispose=dispose)
        await self._journal.close()
        await model.close()

    def _find(self, run_id: str) -> Running:
        if run_id not in self._runs:
            raise UnknownRunError(f"no run {run_id} was started in this session")
        return self._runs[run_id]
