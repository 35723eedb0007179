"""Runs in a client that knows LSP alone: message boxes to approve, work-done progress, the answer as a message."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from adal_ls.server.capabilities import Client
from adal_ls.server.hosting.runs import OnDecision, cancelled
from adal_ls.server.progress import Progress
from adal_ls.server.transport.rpc import Answer, Connection, Json, Message, OnAnswer
from adal_ls.workspace import uris, visible

DENY = "Deny"

_ERROR, _WARNING, _INFO, _LOG = 1, 2, 3, 4  # LSP MessageType

_SHOWN = 2_000  # characters of a result in a message box

FetchArguments = Callable[[str, OnAnswer], None]


class PlainFace:
    """See the module. One work-done progress per run, where the client has them."""

    def __init__(self, editor: Connection, client: Client, send_droppable: Callable[[Message], None]) -> None:
        self._editor = editor
        self._client = client
        self._send_droppable = send_droppable
        self._tokens = itertools.count(1)
        self._progress: dict[str, Progress] = {}  # by run id
        self._errors: dict[str, str] = {}
        self.fetch_arguments: FetchArguments = lambda _, on_answer: on_answer(Answer())

    def update(self, update: dict[str, Json]) -> None:
        run_id, event = update["runId"], update["event"]
        kind = event.get("type")
        if kind == "finished":
            self._end_progress(run_id)
            self._finish(run_id, event)
        elif kind == "error":
            self._errors[run_id] = str(event.get("message"))
        elif kind == "notice":
            self._editor.notify(
                "window/logMessage", {"type": _INFO, "message": visible.escaped(str(event.get("text")))}
            )
        else:
            self._show_progress(run_id, kind, event)

    def resolved(self, resolved: dict[str, Json]) -> None:
        """Nothing: the question itself was taken back."""

    def ask(self, request: dict[str, Json], decided: OnDecision) -> Callable[[], None]:
        question = _Question(self._editor, request, decided)
        if request.get("arguments") is not None:
            question.show(request["arguments"])
        else:
            self.fetch_arguments(str(request.get("approvalId")), question.fetched)
        return question.take_back

    def run_of(self, token: Json) -> str | None:
        """The run whose progress has `token` (`window/workDoneProgress/cancel`)."""
        return next((run_id for run_id, progress in self._progress.items() if progress.token == token), None)

    def tried(self, tool: str, answer: Answer) -> None:
        """How trying a tool ended: what a model would read, cut to what a message box can hold."""
        if answer.error is not None:
            self._message(_ERROR, f"{tool} was not run: {answer.error.message}")
            return
        said = str(answer.result.get("observation"))
        text = said if len(said) <= _SHOWN else f"{said[:_SHOWN]} … ({len(said)} characters)"
        failed = answer.result.get("status") != "success"
        self._message(_ERROR if failed else _INFO, f"{tool}: {text}")

    def _finish(self, run_id: str, event: dict[str, Json]) -> None:
        failure = self._errors.pop(run_id, None)
        reason, answer = event.get("stopReason"), event.get("answer")
        if failure is not None or reason == "error":
            said = f"\n\n{answer}" if answer else ""
            self._message(_ERROR, f"The run failed: {failure or 'no reason was given'}{said}")
        elif reason == "cancelled":
            self._message(_INFO, "The run was cancelled.")
        elif reason == "limit":
            self._message(_WARNING, f"The run stopped at a limit. {answer or ''}".rstrip())
        else:
            self._message(_INFO, str(answer) if answer else "The run ended without an answer.")

    def _message(self, kind: int, text: str) -> None:
        self._editor.notify("window/showMessage", {"type": kind, "message": visible.escaped(text, keep="\n\t")})

    def _show_progress(self, run_id: str, kind: Json, event: dict[str, Json]) -> None:
        if not self._client.work_done_progress:
            return
        progress = self._progress.get(run_id)
        if progress is None:
            token = f"adal-run-{next(self._tokens)}"
            progress = self._progress[run_id] = Progress(
                self._editor, self._send_droppable, token, "Agent run", cancellable=True
            )
        if kind == "toolCall":
            progress.report(visible.escaped(f"{event.get('tool')}: {event.get('status')}"))
        elif kind == "state":
            progress.report(str(event.get("state")).replace("_", " "))

    def _end_progress(self, run_id: str) -> None:
        progress = self._progress.pop(run_id, None)
        if progress is not None:
            progress.end()


class _Question:
    """One approval as a message box. Only a button that stands for an option allows anything."""

    def __init__(self, editor: Connection, request: dict[str, Json], decided: OnDecision) -> None:
        self._editor = editor
        self._request = request
        self._decided = decided
        self._key: int | None = None
        self._over = False

    def fetched(self, answer: Answer) -> None:
        if answer.error is not None or not isinstance(answer.result, dict) or "arguments" not in answer.result:
            self._decide(cancelled(self._request, "the arguments could not be shown, so nobody was asked"))
        else:
            self.show(answer.result["arguments"])

    def show(self, shown: Json) -> None:
        if self._over:
            return
        titles = option_titles(self._request.get("options", []))
        params = {
            "type": _WARNING,
            "message": question_text(self._request, shown),
            "actions": [{"title": title} for title in {**titles, DENY: None}],
        }
        self._key = self._editor.request(
            "window/showMessageRequest", params, lambda answer: self._answered(answer, titles)
        )

    def take_back(self) -> None:
        self._over = True
        if self._key is not None:
            self._editor.cancel(self._key)

    def _answered(self, answer: Answer, titles: dict[str, dict[str, Json]]) -> None:
        if answer.error is not None:
            reason = f"the editor could not ask: {answer.error.message}"
            self._decide(cancelled(self._request, reason))
            return
        title = answer.result.get("title") if isinstance(answer.result, dict) else None
        # Dismissed, or a title that was not offered: denied.
        option = titles.get(title if isinstance(title, str) else DENY) or titles.get(DENY)
        if option is None:
            self._decide(cancelled(self._request, "denied by the user"))
            return
        decision: dict[str, Json] = {
            "approvalId": self._request.get("approvalId"),
            "argsDigest": self._request.get("argsDigest"),
            "outcome": "selected",
            "optionId": option.get("optionId"),
        }
        if str(option.get("kind")).startswith("reject"):
            decision["feedback"] = "denied by the user"
        self._decide(decision)

    def _decide(self, decision: dict[str, Json]) -> None:
        if not self._over:
            self._over = True
            self._decided(decision)


def option_titles(options: list[dict[str, Json]]) -> dict[str, dict[str, Json]]:
    """Button title → option, in the order offered. The plain rejection is always called "Deny"."""
    titles: dict[str, dict[str, Json]] = {}
    for option in options:
        if option.get("kind") == "reject_once":
            titles.setdefault(DENY, option)
            continue
        title = visible.escaped(str(option.get("label")), keep="")
        if title == DENY or title in titles:
            title = f"{title} ({option.get('optionId')})"
        titles[title] = option
    return titles


def question_text(request: dict[str, Json], arguments: Json) -> str:
    """What the person reads: tool, complete arguments, command, rules. Nothing in it can hide."""
    preview = request.get("preview") or {}
    lines = [f"Allow the tool {visible.escaped(str(request.get('tool')), keep='')} to run?"]
    lines.append(f"Arguments: {visible.arguments(arguments)}")
    for label, text in (
        ("Command", preview.get("command")),
        ("Folder", preview.get("cwd")),
        ("Changes", preview.get("diff")),
    ):
        if text:
            lines.append(f"{label}: {visible.escaped(str(text))}")
    if request.get("source"):
        lines.append(f"Defined at: {visible.escaped(_place(request['source']))}")
    lines += [f"Risk: {visible.escaped(str(risk))}" for risk in request.get("risk", [])]
    for title, option in option_titles(request.get("options", [])).items():
        if option.get("rule"):
            lines.append(f"{title} means: {visible.escaped(str(option['rule']))}")
    return "\n".join(lines)


def _place(source: dict[str, Json]) -> str:
    """`path:line` of an LSP location, lines from 1."""
    uri, line = str(source.get("uri")), source["range"]["start"]["line"]
    return f"{uris.to_path(uri) or uri}:{line + 1}"
