"""The conversation with the agent host: started on demand, greeted first, replaced after it died."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from adal_ls.protocol import methods
from adal_ls.server.transport.rpc import (
    METHOD_NOT_FOUND,
    REQUEST_CANCELLED,
    REQUEST_FAILED,
    Answer,
    Connection,
    Id,
    Json,
    Message,
    OnAnswer,
    RpcError,
)
from adal_ls.version import __version__

if TYPE_CHECKING:
    from adal_ls.server.hosting.host_process import HostProcess

GREETING_LIMIT = 20.0
"""Seconds a host may take until it answered the first message; on a cold disk its imports take a few."""

ENDING_LIMIT = 2.0
"""Seconds the server waits at its own end for a host that is being ended."""

NO_RUNTIME = "the agent runtime is not set up: no Python with the adal-ls package is known"

State = Literal["absent", "greeting", "ready", "refused"]

OnRequest = Callable[[Id, Json], None]
OnNotification = Callable[[Json], None]


def command_line(python: str) -> tuple[str, ...]:
    """How an interpreter that has the package runs the host."""
    # -I: the environment variables PYTHON*, the user's site packages and the current folder have no say in what the
    # host imports.
    return (python, "-I", "-m", "adal_ls.agent")


class _Question:
    """A request to the host; `key` is its id once it was sent."""

    __slots__ = ("key", "method", "on_answer", "params")

    def __init__(self, method: str, params: Json, on_answer: OnAnswer) -> None:
        self.method = method
        self.params = params
        self.on_answer = on_answer
        self.key: int | None = None

    def fail(self, code: int, reason: str) -> None:
        self.on_answer(Answer(error=RpcError(code, reason)))


class Host:
    """At most one host process. All methods and callbacks are for the main thread; `post` brings calls there."""

    def __init__(
        self,
        post: Callable[[Callable[[], None]], None],
        greeting: Callable[[], dict[str, Json]],
        command: Sequence[str] | None,
    ) -> None:
        """`greeting` gives the parameters of the first message (`HostInitializeParams`) when a host starts.

        Without a `command` no interpreter can run a host: every request is refused with `NO_RUNTIME`.
        """
        self._post = post
        self._greeting = greeting
        self._command = tuple(command) if command else None
        self._process: HostProcess | None = None
        self._connection = Connection(self._send)
        self._waiting: list[_Question] = []  # until the host is greeted
        self._ending: list[tuple[HostProcess, threading.Thread]] = []
        self._why_refused = ""
        self._deadline: threading.Timer | None = None
        self.state: State = "absent"
        self.on_request: dict[str, OnRequest] = {}
        self.on_notification: dict[str, OnNotification] = {}
        self.on_ready: Callable[[dict[str, Json]], None] = lambda _: None
        self.on_gone: Callable[[str, bool], None] = lambda _reason, _wanted: None
        self.on_cancelled: Callable[[Id], None] = lambda _: None

    @property
    def connection(self) -> Connection:
        """For answers to the host's own requests."""
        return self._connection

    def ask(self, method: str, params: Json, on_answer: OnAnswer) -> Callable[[], None]:
        """Sends a request, and starts a host first if there is none. Returns what takes the request back."""
        question = _Question(method, params, on_answer)
        if self._command is None:
            question.fail(REQUEST_FAILED, NO_RUNTIME)
        elif self.state == "refused":
            question.fail(REQUEST_FAILED, self._why_refused)
        elif self.state == "ready":
            self._put(question)
        else:
            self._waiting.append(question)
            if self.state == "absent":
                self._start_or_fail(self._command)
        return lambda: self._take_back(question)

    def end(self) -> None:
        """Ends the host. Blocks until it and what it started are gone (about a second at most)."""
        self._dispose()
        for _, thread in self._ending:
            thread.join(timeout=ENDING_LIMIT)

    def kill(self) -> None:
        """Ends the host at once. Safe from any thread: the last resort of a server that must go."""
        for process in (self._process, *(ending for ending, _ in self._ending)):
            if process is not None:
                process.kill()

    def dismiss(self, reason: str) -> None:
        """Ends the host without waiting for it; what was asked of it is answered with `reason`."""
        if self._process is not None:
            self._dispose()
            self._lost(reason, wanted=True)

    def _put(self, question: _Question) -> None:
        question.key = self._connection.request(question.method, question.params, question.on_answer)

    def _take_back(self, question: _Question) -> None:
        if question in self._waiting:
            self._waiting.remove(question)
            question.fail(REQUEST_CANCELLED, "cancelled")
        elif question.key is not None:
            self._connection.cancel(question.key)

    def _start_or_fail(self, command: Sequence[str]) -> None:
        try:
            self._start(command)
        except OSError as fault:
            reason = f"the agent host cannot be started: {fault}"
            self._fail_waiting(reason)
            self.on_gone(reason, False)

    def _fail_waiting(self, reason: str) -> None:
        waiting, self._waiting = self._waiting, []
        for question in waiting:
            question.fail(REQUEST_FAILED, reason)

    def _start(self, command: Sequence[str]) -> None:
        box: list[HostProcess] = []

        def current() -> bool:
            return bool(box) and self._process is box[0]

        def received(message: Message) -> None:
            self._post(lambda: self._receive(message) if current() else None)

        def ended(reason: str) -> None:
            self._post(lambda: self._died(reason) if current() else None)

        from adal_ls.server.hosting.host_process import (
            HostProcess,  # needs subprocess, which a start without a host does not
        )

        process = HostProcess(command, received, ended)
        box.append(process)
        self._process = process
        self.state = "greeting"
        self._connection.request(methods.HOST_INITIALIZE, self._greeting(), self._greeted)
        self._deadline = threading.Timer(
            GREETING_LIMIT, lambda: self._post(lambda: self._too_late() if current() else None)
        )
        self._deadline.daemon = True
        self._deadline.start()

    def _greeted(self, answer: Answer) -> None:
        if self.state != "greeting":
            return  # it died meanwhile, and `_died` said so
        self._stop_clock()
        result: Any = answer.result if isinstance(answer.result, dict) else {}
        if answer.error is not None:
            self._refuse(f"the agent host refused to start: {answer.error.message}")
        elif result.get("protocolVersion") != methods.PROTOCOL_VERSION:
            self._refuse(
                f"the agent host (adal-ls {result.get('version', 'of an unknown version')}) does not fit this server "
                f"(adal-ls {__version__}): install the same version of adal-ls in both places, then restart the server"
            )
        else:
            self.state = "ready"
            self.on_ready(result)
            waiting, self._waiting = self._waiting, []
            for question in waiting:
                self._put(question)

    def _refuse(self, reason: str) -> None:
        self._dispose()
        self._why_refused = reason
        self.state = "refused"
        self._fail_waiting(reason)
        self.on_gone(reason, False)

    def _too_late(self) -> None:
        if self.state == "greeting" and self._process is not None:
            self._process.kill()  # `_died` follows

    def _died(self, reason: str) -> None:
        self._process = None
        self._stop_clock()
        self.state = "absent"
        self._lost(reason, wanted=False)

    def _lost(self, reason: str, *, wanted: bool) -> None:
        self._connection.abandon(reason)
        self._fail_waiting(reason)
        self.on_gone(reason, wanted)

    def _dispose(self) -> None:
        """Ends the process on a thread: the loop has better things to do than to wait for it."""
        process, self._process = self._process, None
        self._stop_clock()
        self.state = "absent"
        if process is not None:
            thread = threading.Thread(target=process.end, name="end host", daemon=True)
            thread.start()
            self._ending = [*(entry for entry in self._ending if entry[1].is_alive()), (process, thread)]

    def _stop_clock(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _send(self, message: Message) -> None:
        if self._process is not None:
            self._process.send(message)

    def _receive(self, message: Message) -> None:
        method = message.get("method")
        params = message.get("params")
        if not isinstance(method, str):
            self._connection.settle(message)
        elif method == "$/cancelRequest":
            self.on_cancelled(params.get("id") if isinstance(params, dict) else None)
        elif "id" not in message:
            handler = self.on_notification.get(method)
            if handler is not None:
                handler(params)
        else:
            key = message["id"]
            self._connection.owe(key)
            asked = self.on_request.get(method)
            if asked is None:
                self._connection.refuse(key, RpcError(METHOD_NOT_FOUND, f"unknown method {method}"))
            else:
                asked(key, params)
