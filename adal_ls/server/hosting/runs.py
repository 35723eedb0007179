"""Runs and approvals between editor and host: forwarded as they stand, answered here when one side goes away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from adal_ls.protocol import methods
from adal_ls.server.capabilities import Client
from adal_ls.server.hosting.host import Host
from adal_ls.server.projects import Projects
from adal_ls.server.transport.rpc import (
    INVALID_PARAMS,
    REQUEST_CANCELLED,
    REQUEST_FAILED,
    Answer,
    Connection,
    Id,
    Json,
    OnAnswer,
    RpcError,
)

UNTRUSTED = (
    "the workspace is not trusted, so no agent runs and no tools are loaded: trust it in the editor (VS Code: "
    'Workspaces: Manage Workspace Trust; others: initializationOptions {"trusted": true})'
)

FORWARDED = (
    methods.RUN_CANCEL,
    methods.RUN_LIST,
    methods.RUN_GET,
    methods.RUN_FULL_TEXT,
    methods.RUN_FORK,
    methods.RUN_DELETE,
    methods.RUN_EXPORT,
    methods.APPROVAL_PENDING,
    methods.APPROVAL_ARGUMENTS,
    methods.RUN_SET_MODE,
    methods.GRANTS_LIST,
    methods.GRANTS_REVOKE,
    methods.DECISIONS_LIST,
)
"""Requests of the editor that the host answers as they stand."""

OnDecision = Callable[[dict[str, Json]], None]


class Face(Protocol):
    """How runs show in an editor: by `adal/*` messages, or by what every LSP client has."""

    def update(self, update: dict[str, Json]) -> None:
        """One `RunUpdate`."""

    def ask(self, request: dict[str, Json], decided: OnDecision) -> Callable[[], None]:
        """Shows an approval. `decided` gets the `ApprovalAnswer` once. Returns what takes the question back."""

    def resolved(self, resolved: dict[str, Json]) -> None:
        """One `ApprovalResolved`."""


class AdalFace:
    """A client that declares `experimental.adal`."""

    def __init__(self, editor: Connection, client: Client) -> None:
        self._editor = editor
        self._client = client

    def update(self, update: dict[str, Json]) -> None:
        if self._client.adal_run_updates:
            self._editor.notify(methods.RUN_UPDATE, update)

    def ask(self, request: dict[str, Json], decided: OnDecision) -> Callable[[], None]:
        def answered(answer: Answer) -> None:
            decided(decision(request, answer))

        key = self._editor.request(methods.APPROVAL_REQUEST, request, answered)
        return lambda: self._editor.cancel(key)

    def resolved(self, resolved: dict[str, Json]) -> None:
        self._editor.notify(methods.APPROVAL_RESOLVED, resolved)


def decision(request: dict[str, Json], answer: Answer) -> dict[str, Json]:
    """The editor's answer to an approval; anything but a well-formed one counts as no approval, with the reason."""
    if answer.error is not None:
        return cancelled(request, f"the editor could not ask: {answer.error.message}")
    given = answer.result
    if not isinstance(given, dict):
        return cancelled(request, "the editor's answer was not an object")
    for field in ("approvalId", "argsDigest"):
        if given.get(field) != request.get(field):
            return cancelled(request, f"the editor's answer carried another {field} than the question")
    if given.get("outcome") == "cancelled":
        return given
    offered = [option.get("optionId") for option in request.get("options", [])]
    if given.get("outcome") != "selected" or given.get("optionId") not in offered:
        return cancelled(request, "the editor's answer chose none of the options")
    return given


def cancelled(request: dict[str, Json], reason: str) -> dict[str, Json]:
    """An `ApprovalAnswer` that approves nothing and says why."""
    return {
        "approvalId": request.get("approvalId"),
        "argsDigest": request.get("argsDigest"),
        "outcome": "cancelled",
        "feedback": reason,
    }


class _Question:
    """An approval that waits for the person."""

    def __init__(self, request: dict[str, Json]) -> None:
        self.request = request
        self.take_back: Callable[[], None] = lambda: None


class Runs:
    """The open runs and the open approvals of this session."""

    def __init__(
        self, editor: Connection, host: Host, projects: Projects, face: Face, trusted: Callable[[], bool]
    ) -> None:
        self._editor = editor
        self._host = host
        self._projects = projects
        self._face = face
        self._trusted = trusted
        self._seq: dict[str, int] = {}  # open runs → number of their last event
        self._ended: set[str] = set()
        self._idle: list[Callable[[], None]] = []
        self._asked: dict[Id, _Question] = {}  # by the key of the host's request
        host.on_notification[methods.RUN_UPDATE] = self._update
        host.on_notification[methods.APPROVAL_RESOLVED] = face.resolved
        host.on_notification[methods.TOOLS_TRY_PROGRESS] = lambda told: editor.notify(methods.TOOLS_TRY_PROGRESS, told)
        host.on_request[methods.APPROVAL_REQUEST] = self._approve
        host.on_cancelled = self._withdrawn

    @property
    def active(self) -> bool:
        return bool(self._seq)

    def when_idle(self, action: Callable[[], None]) -> None:
        """Calls `action` once no run is open any more."""
        self._idle.append(action)

    def forward(self, key: Id, method: str, params: Json) -> None:
        """Has the host answer request `key` of the editor.

        Raises:
            RpcError: the workspace is not trusted.
        """
        self._require_trust()
        if method == methods.APPROVAL_PENDING and self._host.state == "absent":
            self._editor.answer(key, {"approvals": []})  # without a host nothing waits, and none is started to say so
            return
        self._ask_host(key, method, params or {}, lambda _: None)

    def start(self, key: Id, params: Json) -> None:
        """`adal/run/start`, and the command of the same purpose.

        Raises:
            RpcError: no prompt, not trusted, or it is not clear which project is meant.
        """
        if not isinstance(params, dict) or not isinstance(params.get("prompt"), str):
            raise RpcError(INVALID_PARAMS, "prompt is missing")
        self._require_trust()
        wanted = {**params, "projectRoot": self._projects.root_for(params.get("projectRoot"))}
        self._ask_host(key, methods.RUN_START, wanted, self._started)

    def take_up(self, key: Id, method: str, params: Json) -> None:
        """`adal/run/prompt` and `adal/run/resume`: the run goes on.

        Raises:
            RpcError: the workspace is not trusted.
        """
        self._require_trust()
        run_id = params.get("runId") if isinstance(params, dict) else None

        def took_up(result: Json) -> None:
            self._ended.discard(str(run_id))
            self._started(result)

        self._ask_host(key, method, params or {}, took_up)

    def warm(self, params: Json) -> None:
        """`adal/run/warm`: a host is started where there is none, and makes itself ready for a run."""
        if self._trusted():
            self._host.ask(methods.RUN_WARM, params or {}, lambda _: None)

    def try_tool(self, key: Id, params: Json) -> None:
        """`adal/tools/try`: answered when the tool has ended, so it never holds anything else up.

        Raises:
            RpcError: no tool named, not trusted, or it is not clear which project is meant.
        """
        self._ask_host(key, methods.TOOLS_TRY, self._to_try(params), lambda _: None)

    def try_aside(self, params: Json, tried: Callable[[str, Answer], None]) -> None:
        """The same without a request that waits: `tried` gets the tool's name and the outcome.

        Raises:
            RpcError: as for `try_tool`.
        """
        wanted = self._to_try(params)
        self._host.ask(methods.TOOLS_TRY, wanted, lambda answer: tried(wanted["tool"], answer))

    def _to_try(self, params: Json) -> dict[str, Json]:
        if not isinstance(params, dict) or not isinstance(params.get("tool"), str):
            raise RpcError(INVALID_PARAMS, "tool is missing")
        self._require_trust()
        return {**params, "projectRoot": self._projects.root_for(params.get("projectRoot"))}

    def cancel(self, run_id: str) -> None:
        """Cancels a run on the server's own account (a progress button); the outcome shows in the run's events."""
        if run_id in self._seq:
            self._host.ask(methods.RUN_CANCEL, {"runId": run_id}, lambda _: None)

    def arguments(self, approval_id: str, on_answer: OnAnswer) -> None:
        """Fetches the arguments of an approval that was too large to carry them."""
        self._host.ask(methods.APPROVAL_ARGUMENTS, {"approvalId": approval_id}, on_answer)

    def host_gone(self, reason: str) -> None:
        """Ends every open run and takes every open question back; `reason` says why."""
        asked, self._asked = self._asked, {}
        for question in asked.values():
            question.take_back()
            self._face.resolved({"approvalId": question.request.get("approvalId"), "reason": "withdrawn"})
        for run_id, seq in list(self._seq.items()):
            error = {"type": "error", "code": "host_died", "message": reason}
            self._update({"runId": run_id, "seq": seq + 1, "event": error})
            self._update({"runId": run_id, "seq": seq + 2, "event": {"type": "finished", "stopReason": "error"}})

    def _require_trust(self) -> None:
        if not self._trusted():
            raise RpcError(REQUEST_FAILED, UNTRUSTED)

    def _ask_host(self, key: Id, method: str, params: Json, on_result: Callable[[Json], None]) -> None:
        def answered(answer: Answer) -> None:
            if answer.error is not None:
                self._editor.refuse(key, answer.error)
            else:
                on_result(answer.result)
                self._editor.answer(key, answer.result)

        take_back = self._host.ask(method, params, answered)
        self._editor.when_cancelled(key, take_back)

    def _started(self, result: Json) -> None:
        run_id = result.get("runId") if isinstance(result, dict) else None
        if isinstance(run_id, str) and run_id not in self._ended:
            self._seq.setdefault(run_id, 0)

    def _update(self, update: Json) -> None:
        run_id, event = update.get("runId"), update.get("event", {})
        self._seq[run_id] = update.get("seq", 0)
        if event.get("type") == "finished":
            del self._seq[run_id]
            self._ended.add(run_id)
        self._face.update(update)
        if not self._seq:
            idle, self._idle = self._idle, []
            for action in idle:
                action()

    def _approve(self, key: Id, request: Json) -> None:
        question = _Question(request)

        def decided(answer: dict[str, Json]) -> None:
            # Taken back meanwhile, or from a host that is gone: the present one may use the same key.
            if self._asked.get(key) is question:
                del self._asked[key]
                self._host.connection.answer(key, answer)

        self._asked[key] = question
        question.take_back = self._face.ask(request, decided)

    def _withdrawn(self, key: Id) -> None:
        """The host takes an approval back; the answer the editor may still send reaches nobody."""
        question = self._asked.pop(key, None)
        if question is not None:
            question.take_back()
            self._host.connection.refuse(key, RpcError(REQUEST_CANCELLED, "cancelled"))
