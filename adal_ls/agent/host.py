"""The host's JSON-RPC face: `adal/*` messages between the server and a `Runtime`."""

from __future__ import annotations

import asyncio
import platform
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

from pydantic import ValidationError

from adal_ls.agent.approvals.decisions import within
from adal_ls.agent.approvals.grants import GrantsError
from adal_ls.agent.projects.watching import Watcher
from adal_ls.agent.runs.export import as_json, as_markdown
from adal_ls.agent.runs.registry import RegistryError, builtin_tools
from adal_ls.agent.runs.runtime import Runtime, UnknownRunError
from adal_ls.agent.store.store import StoreError
from adal_ls.agent.store.stores import Stores
from adal_ls.protocol import methods
from adal_ls.protocol.agents import (
    AgentsFailure,
    AgentsListParams,
    AgentsListResult,
    ContextForm,
    ContextFormParams,
)
from adal_ls.protocol.approvals import (
    ApprovalAnswer,
    ApprovalArgumentsParams,
    ApprovalArgumentsResult,
    ApprovalPendingResult,
    ApprovalRequest,
    ApprovalResolved,
    DecisionsListParams,
    DecisionsListResult,
    GrantsListParams,
    GrantsListResult,
    GrantsRevokeParams,
)
from adal_ls.protocol.base import Empty, Message
from adal_ls.protocol.host import (
    HostChanged,
    HostInitializeParams,
    HostInitializeResult,
    HostLoadParams,
    HostLoadResult,
    HostProject,
    HostSettings,
)
from adal_ls.protocol.runs import (
    RunCancelParams,
    RunDeleteParams,
    RunExportParams,
    RunExportResult,
    RunForkParams,
    RunFullTextParams,
    RunFullTextResult,
    RunGetParams,
    RunListParams,
    RunListResult,
    RunPromptParams,
    RunResumeParams,
    RunSetModeParams,
    RunStarted,
    RunStartParams,
    RunUpdate,
    RunWarmParams,
)
from adal_ls.protocol.tools import Project, Tool, ToolsTryParams, ToolsTryProgress, ToolsTryResult, TrustChanged
from adal_ls.sdk.errors import AdalError, UnknownAgentError
from adal_ls.version import __version__
from adal_ls.wire.peer import INVALID_PARAMS, REQUEST_FAILED, Handler, Json, Peer, RpcError

_GONE = "the editor went away (its window was closed or reloaded)"
_NOT_TRUSTED = "The workspace is not trusted: nothing of it is loaded or run until you trust it."

_MOST_RUNS = 1000  # in one message
_PAGE = 250_000  # bytes of a run's events in one message; one event alone may take more (`event_size.LIMIT`)
_ARGUMENTS = 400_000  # bytes of the arguments in one message of the decision log
_PART = 100_000  # characters of a text in one message, up to six times as many bytes in JSON

P = TypeVar("P", bound=Message)


class Host:
    """Answers the server. One runtime, made by `adal/host/initialize`."""

    def __init__(self, send: Callable[[bytes], None]) -> None:
        self.peer = Peer(send, self._handlers())
        self._runtime: Runtime | None = None
        self._stores: list[Stores] = []
        self._exported: tuple[tuple[str, str], str] | None = None  # what is fetched in parts just now
        self._cancels: set[asyncio.Task[None]] = set()
        self._watcher: Watcher | None = None

    async def close(self) -> None:
        """The server went away: cancels runs, ends workers, closes the store and the connection."""
        if self._watcher is not None:
            self._watcher.end()
        if self._runtime is not None:
            await self._runtime.close(_GONE)
        for stores in self._stores:
            stores.close()
        self.peer.close()

    def _handlers(self) -> dict[str, Handler]:
        return {
            methods.HOST_INITIALIZE: _typed(HostInitializeParams, self._initialize),
            methods.HOST_LOAD: _typed(HostLoadParams, self._load),
            methods.TOOLS_TRY: _typed(ToolsTryParams, self._try),
            methods.AGENTS_LIST: _typed(AgentsListParams, self._agents),
            methods.AGENTS_CONTEXT_FORM: _typed(ContextFormParams, self._context_form),
            methods.RUN_START: _typed(RunStartParams, self._start),
            methods.RUN_CANCEL: _typed(RunCancelParams, self._cancel),
            methods.RUN_PROMPT: _typed(RunPromptParams, self._prompt),
            methods.RUN_RESUME: _typed(RunResumeParams, self._resume),
            methods.RUN_FORK: _typed(RunForkParams, self._fork),
            methods.RUN_DELETE: _typed(RunDeleteParams, self._delete),
            methods.RUN_EXPORT: _typed(RunExportParams, self._export),
            methods.RUN_LIST: _typed(RunListParams, self._list),
            methods.RUN_GET: _typed(RunGetParams, self._get),
            methods.RUN_FULL_TEXT: _typed(RunFullTextParams, self._full_text),
            methods.RUN_WARM: _typed(RunWarmParams, self._warm),
            methods.APPROVAL_PENDING: _typed(Empty, self._pending),
            methods.APPROVAL_ARGUMENTS: _typed(ApprovalArgumentsParams, self._arguments),
            methods.RUN_SET_MODE: _typed(RunSetModeParams, self._set_mode),
            methods.GRANTS_LIST: _typed(GrantsListParams, self._grants),
            methods.GRANTS_REVOKE: _typed(GrantsRevokeParams, self._revoke),
            methods.DECISIONS_LIST: _typed(DecisionsListParams, self._decisions),
            methods.TRUST_CHANGED: _typed(TrustChanged, self._trust),
        }

    async def _initialize(self, params: HostInitializeParams) -> HostInitializeResult:
        if self._runtime is not None:
            raise RpcError(REQUEST_FAILED, "the host is initialized already")
        if params.protocol_version != methods.PROTOCOL_VERSION:
            raise RpcError(
                REQUEST_FAILED,
                f"the server (adal-ls {params.version}) speaks protocol {params.protocol_version}, the agent host "
                f"(adal-ls {__version__}) protocol {methods.PROTOCOL_VERSION}: install the same version of adal-ls "
                "in both places",
            )
        roots = [Path(root) for root in params.workspace_roots]
        # Two: a long look at the store of a run that is going on must not make its next event wait.
        self._stores = [Stores(roots), Stores(roots)]
        self._runtime = Runtime(
            store=self._stores[0],
            settings=params.settings,
            approver=_ServerApprover(self.peer),
            on_update=self._tell_update,
            on_project=self._tell_project,
            trusted=params.trusted,
            roots=roots,
        )
        if params.watch:
            self._watcher = Watcher(self._tell_changed)
        return HostInitializeResult(
            protocol_version=methods.PROTOCOL_VERSION,
            version=__version__,
            python=platform.python_version(),
            tools=_builtin_tools(params.settings),
            warnings=await asyncio.to_thread(self._stores[0].notices),
        )

    async def _load(self, params: HostLoadParams) -> HostLoadResult:
        runtime, root = self._trusted(), Path(params.project_root)
        if self._watcher is not None:
            self._watcher.add(root)  # before it is read, so that no change falls in between
        return HostLoadResult(project=await runtime.load(root, unsaved=params.unsaved))

    async def _try(self, params: ToolsTryParams) -> ToolsTryResult:
        try:
            return await self._trusted().try_tool(params, lambda text: self._tell_progress(params.try_id, text))
        except (ValueError, RegistryError) as fault:
            raise RpcError(INVALID_PARAMS, str(fault)) from fault

    async def _agents(self, params: AgentsListParams) -> AgentsListResult:
        root = self._project_root(params.project_root)
        agents, error = await self._trusted().agents(root)
        errors = [] if error is None else [AgentsFailure(project_root=str(root), message=error)]
        return AgentsListResult(agents=agents, errors=errors)

    async def _context_form(self, params: ContextFormParams) -> ContextForm:
        return await self._trusted().context_form(params.agent, self._project_root(params.project_root))

    def _project_root(self, given: str | None) -> Path:
        if given is None:
            raise RpcError(INVALID_PARAMS, "projectRoot is missing")  # the server names it
        return Path(given)

    async def _start(self, params: RunStartParams) -> RunStarted:
        runtime = self._trusted()
        try:
            return RunStarted(run_id=runtime.start(params))
        except AdalError:
            raise
        except ValueError as fault:
            raise RpcError(INVALID_PARAMS, str(fault)) from fault

    async def _cancel(self, params: RunCancelParams) -> Empty:
        runtime = self._initialized()
        if not runtime.knows(params.run_id):
            raise RpcError(REQUEST_FAILED, f"no run {params.run_id} was started in this session")
        # Answered at once: the run itself says when it has stopped.
        cancel = asyncio.ensure_future(runtime.cancel(params.run_id))
        self._cancels.add(cancel)
        cancel.add_done_callback(self._cancels.discard)
        return Empty()

    async def _prompt(self, params: RunPromptParams) -> RunStarted:
        return self._went_on(params.run_id, lambda runtime: runtime.prompt(params))

    async def _resume(self, params: RunResumeParams) -> RunStarted:
        return self._went_on(params.run_id, lambda runtime: runtime.resume(params))

    def _went_on(self, run_id: str, act: Callable[[Runtime], None]) -> RunStarted:
        try:
            act(self._trusted())
        except AdalError:
            raise
        except ValueError as fault:
            raise RpcError(INVALID_PARAMS, str(fault)) from fault
        return RunStarted(run_id=run_id)

    async def _fork(self, params: RunForkParams) -> RunStarted:
        new_id = uuid4().hex
        await asyncio.to_thread(self._asked.fork, params.run_id, new_id, params.before_seq)
        return RunStarted(run_id=new_id)

    async def _delete(self, params: RunDeleteParams) -> Empty:
        await asyncio.to_thread(self._asked.delete, params.run_id)
        return Empty()

    async def _export(self, params: RunExportParams) -> RunExportResult:
        write = as_markdown if params.format == "markdown" else as_json
        asked, wanted = self._asked, (params.run_id, params.format)
        if params.offset == 0 or self._exported is None or self._exported[0] != wanted:
            self._exported = (wanted, await asyncio.to_thread(lambda: write(asked.get(params.run_id))))
        text, end = self._exported[1], params.offset + _PART
        if end >= len(text):
            self._exported = None
        return RunExportResult(text=text[params.offset : end], next=end if end < len(text) else None)

    async def _list(self, params: RunListParams) -> RunListResult:
        most = min(params.limit, _MOST_RUNS)
        return RunListResult(runs=await asyncio.to_thread(self._asked.runs, params.query, params.project_root, most))

    async def _get(self, params: RunGetParams) -> Json:
        asked = self._asked

        def page() -> Json:
            return asked.get(params.run_id, params.from_seq, _PAGE).wire()

        return await asyncio.to_thread(page)  # as JSON, too: a thousand events are no moment's work

    async def _full_text(self, params: RunFullTextParams) -> RunFullTextResult:
        whole = await asyncio.to_thread(self._asked.full_text, params.run_id, params.call_id, params.of)
        if whole is None:
            raise RpcError(REQUEST_FAILED, f"nothing was cut of the {params.of} of call {params.call_id}")
        return RunFullTextResult(text=whole[params.offset : params.offset + _PART], total=len(whole))

    async def _warm(self, params: RunWarmParams) -> None:
        runtime = self._initialized()
        if runtime.trusted:
            runtime.warm(params.model)

    async def _pending(self, params: Empty) -> ApprovalPendingResult:  # noqa: ARG002
        return ApprovalPendingResult(approvals=self._initialized().pending())

    async def _arguments(self, params: ApprovalArgumentsParams) -> ApprovalArgumentsResult:
        try:
            return ApprovalArgumentsResult(arguments=self._initialized().approval_arguments(params.approval_id))
        except KeyError:
            raise RpcError(REQUEST_FAILED, f"no approval {params.approval_id} waits for an answer") from None

    async def _set_mode(self, params: RunSetModeParams) -> Empty:
        self._trusted().set_mode(params.run_id, params.mode)
        return Empty()

    async def _grants(self, params: GrantsListParams) -> GrantsListResult:
        return GrantsListResult(grants=[grant.told() for grant in self._initialized().grants(params.project_root)])

    async def _revoke(self, params: GrantsRevokeParams) -> Empty:
        if not self._initialized().revoke(params.grant_id):
            raise RpcError(
                REQUEST_FAILED, f"there is no remembered approval {params.grant_id}; it may be revoked already"
            )
        return Empty()

    async def _decisions(self, params: DecisionsListParams) -> DecisionsListResult:
        found = await asyncio.to_thread(self._asked.decisions, params.run_id, params.project_root, params.limit)
        return DecisionsListResult(decisions=within(found, _ARGUMENTS))

    async def _trust(self, params: TrustChanged) -> None:
        runtime = self._initialized()
        await runtime.set_trusted(params.trusted)

    def _initialized(self) -> Runtime:
        if self._runtime is None:
            raise RpcError(REQUEST_FAILED, f"the host was not initialized: send {methods.HOST_INITIALIZE} first")
        return self._runtime

    @property
    def _asked(self) -> Stores:
        """The stores that requests look into, on threads."""
        self._initialized()
        return self._stores[1]

    def _trusted(self) -> Runtime:
        runtime = self._initialized()
        if not runtime.trusted:
            raise RpcError(REQUEST_FAILED, _NOT_TRUSTED)
        return runtime

    def _tell_update(self, update: RunUpdate) -> None:
        self.peer.notify(methods.RUN_UPDATE, update.wire())

    def _tell_progress(self, try_id: str | None, text: str) -> None:
        if try_id is not None:
            self.peer.notify(methods.TOOLS_TRY_PROGRESS, ToolsTryProgress(try_id=try_id, text=text).wire())

    def _tell_changed(self, paths: list[str]) -> None:
        self.peer.notify(methods.HOST_CHANGED, HostChanged(paths=paths).wire())

    def _tell_project(self, project: Project) -> None:
        self.peer.notify(methods.HOST_PROJECT, HostProject(project=project).wire())


def _builtin_tools(settings: HostSettings) -> list[Tool]:
    try:
        return builtin_tools(settings.enabled_default_tools, settings.disabled_default_tools)
    except ValueError:
        return []  # settings that no run can have: each run says so, with the reason


class _ServerApprover:
    """Asks the person through the server. An approval in an editor never expires."""

    corrects = True

    def __init__(self, peer: Peer) -> None:
        self._peer = peer

    async def ask(self, request: ApprovalRequest) -> ApprovalAnswer:
        return ApprovalAnswer.model_validate(await self._peer.request(methods.APPROVAL_REQUEST, request.wire()))

    def resolved(self, resolved: ApprovalResolved) -> None:
        self._peer.notify(methods.APPROVAL_RESOLVED, resolved.wire())


def _typed(model: type[P], handle: Callable[[P], Awaitable[Message | Json]]) -> Handler:
    """A handler that gets its params as a model; what does not fit is answered as invalid params, readably.

    `handle` gives a message, or one that is JSON already.
    """

    async def handler(params: Json) -> Json:
        try:
            typed = model.model_validate(params)
        except ValidationError as fault:
            raise RpcError(INVALID_PARAMS, readable(fault)) from None
        try:
            result = await handle(typed)
        except AdalError as fault:
            code = INVALID_PARAMS if isinstance(fault, UnknownAgentError) else REQUEST_FAILED
            raise RpcError(code, f"{fault.code}: {fault.message}", {"code": fault.code}) from fault
        except (StoreError, GrantsError, UnknownRunError, PermissionError) as fault:
            raise RpcError(REQUEST_FAILED, str(fault)) from fault
        return result.wire() if isinstance(result, Message) else result

    return handler


def readable(fault: ValidationError) -> str:
    """One line a problem: where in the params, and what is wrong."""
    problems: list[str] = []
    for error in fault.errors(include_url=False, include_context=False, include_input=False):
        where: Any = ".".join(str(part) for part in error["loc"]) or "params"
        problems.append(f"{where}: {error['msg']}")
    return "; ".join(problems)
