"""A strict LSP client: every message is checked, and nothing may stay unread.

`memory.MemoryClient` drives the server inside the test's own process, in milliseconds; `stdio.StdioClient` starts it as
an editor does, for what only a process can show. Both end a session by the book, and fail the test that left a message
unread, a request unanswered or a process behind.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import psutil

SERVER = (sys.executable, "-m", "adal_ls")

LIMIT = 15.0
"""Seconds any single wait may take; the machine that runs the tests may be busy."""

GONE_WITHIN = 2.0
"""Seconds after the end of a server in which all that it started must be gone."""

MARK = "ADAL_TEST_SESSION"
"""The environment variable that tells the processes of one session, however far down, from all others."""


class ResponseError(Exception):
    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.data = data


class Client(ABC):
    """One session. `tolerated` are methods whose messages may stay unread."""

    def __init__(self, source: BinaryIO, sink: BinaryIO, mark: str, tolerated: Iterable[str]) -> None:
        """Reads from `source` what the server writes, and writes to `sink`. `mark` is the value of `MARK`."""
        self._stdout = source
        self._stdin = sink
        self._mark = mark
        self.tolerated = set(tolerated)
        self.unread: list[dict[str, Any]] = []
        self.answers: dict[int | str, dict[str, Any]] = {}
        self.faults: list[str] = []
        self._handlers: dict[str, Callable[[Any], Any]] = {}
        self._asked: dict[int | str, str] = {}
        self._ids = itertools.count(1)
        self._changed = threading.Condition()
        self._ended = False
        self._checked = False
        self._hung_up = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    # The server

    @abstractmethod
    def is_over(self) -> bool:
        """Whether the server has ended."""

    @abstractmethod
    def wait_end(self, timeout: float = LIMIT) -> int:
        """Waits until the server has ended. Returns its exit code."""

    @abstractmethod
    def kill(self) -> None:
        """Ends the server if it still runs, without any check. For teardown after a failed test."""

    # Sending

    def send_bytes(self, data: bytes) -> None:
        self._stdin.write(data)
        self._stdin.flush()

    def send(self, message: Any) -> None:
        body = json.dumps(message).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def notify(self, method: str, params: Any = None) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method: str, params: Any = None) -> int:
        """Sends a request without waiting. Returns its id."""
        key = next(self._ids)
        self._asked[key] = method
        self.send({"jsonrpc": "2.0", "id": key, "method": method, "params": params})
        return key

    def cancel(self, key: int | str) -> None:
        self.notify("$/cancelRequest", {"id": key})

    def answer(self, key: int | str, timeout: float = LIMIT) -> Any:
        """The result of request `key`.

        Raises:
            ResponseError: it was answered with an error.
        """
        message = self._wait(lambda: self.answers.get(key), f"the answer to request {key}", timeout)
        if "error" in message:
            error = message["error"]
            raise ResponseError(error["code"], error["message"], error.get("data"))
        return message["result"]

    def request(self, method: str, params: Any = None, timeout: float = LIMIT) -> Any:
        return self.answer(self.ask(method, params), timeout)

    def on(self, method: str, handler: Callable[[Any], Any]) -> None:
        """Answers the server's requests of this method with what `handler` returns (or raises as ResponseError)."""
        self._handlers[method] = handler

    def respond(self, key: int | str, result: Any) -> None:
        self.send({"jsonrpc": "2.0", "id": key, "result": result})

    def respond_error(self, key: int | str, code: int, message: str) -> None:
        self.send({"jsonrpc": "2.0", "id": key, "error": {"code": code, "message": message}})

    def hang_up(self) -> None:
        """Closes the server's input, as an editor that dies does."""
        self._hung_up = True
        self._stdin.close()

    # Waiting

    def wait_message(
        self, method: str, matches: Callable[[Any], bool] = lambda _: True, timeout: float = LIMIT
    ) -> dict[str, Any]:
        """Takes the first unread message of this method whose params match, as it was sent."""

        def take() -> dict[str, Any] | None:
            for index, message in enumerate(self.unread):
                if message["method"] == method and matches(message.get("params")):
                    return self.unread.pop(index)
            return None

        message: dict[str, Any] = self._wait(take, method, timeout)
        return message

    def wait_for(self, method: str, matches: Callable[[Any], bool] = lambda _: True, timeout: float = LIMIT) -> Any:
        return self.wait_message(method, matches, timeout).get("params")

    def _wait(self, look: Callable[[], Any], what: str, timeout: float) -> Any:
        deadline = time.monotonic() + timeout
        with self._changed:
            while (found := look()) is None:
                left = deadline - time.monotonic()
                if left <= 0 or self._ended:
                    why = "the server ended" if self._ended else f"{timeout} s passed"
                    raise AssertionError(
                        f"no {what}: {why}; unread: {[m['method'] for m in self.unread]} {self.faults}"
                    )
                self._changed.wait(left)
            return found

    # A session

    def initialize(
        self,
        folder: Path | None = None,
        capabilities: dict[str, Any] | None = None,
        options: dict[str, Any] | None = None,
        **params: Any,
    ) -> Any:
        """`initialize` and `initialized`. Returns the result."""
        given: dict[str, Any] = {"processId": None, "rootUri": None, "capabilities": capabilities or {}, **params}
        if folder is not None:
            given["workspaceFolders"] = [{"uri": folder.as_uri(), "name": folder.name}]
        if options is not None:
            given["initializationOptions"] = options
        result = self.request("initialize", given)
        self.notify("initialized", {})
        return result

    def open(self, uri: str, text: str, version: int = 1) -> None:
        item = {"uri": uri, "languageId": "python", "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})

    def change(self, uri: str, version: int, *changes: dict[str, Any]) -> None:
        document = {"uri": uri, "version": version}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": list(changes)})

    def save(self, uri: str) -> None:
        self.notify("textDocument/didSave", {"textDocument": {"uri": uri}})

    def close_document(self, uri: str) -> None:
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def diagnostics(self, uri: str, matches: Callable[[Any], bool] = lambda _: True) -> list[dict[str, Any]]:
        """The next pushed diagnostics of a document."""
        params = self.wait_for("textDocument/publishDiagnostics", lambda p: p["uri"] == uri and matches(p))
        found: list[dict[str, Any]] = params["diagnostics"]
        return found

    # The end

    def shut_down(self) -> None:
        """Ends the session by the book where it still goes on, and checks all that can be checked at the end.

        The fixtures call it; a test does where it wants to look at something after. The second time has no effect.

        Raises:
            AssertionError: the stream broke, a request was not answered once, a message nobody expected is unread, the
                exit code is not that of the specification, or a process of the session is left.
        """
        if self._checked:
            return
        self._checked = True
        if self._hung_up:
            self.wait_end()
        elif not self.is_over():
            if self._is_initialized() and not self._was_shut_down():
                assert self.request("shutdown") is None
            self.notify("exit")
            assert self.wait_end() == (0 if self._was_shut_down() else 1), "exit code"
        self.check()

    def check(self) -> None:
        """After the server ended: nothing broken, nothing unanswered, nothing unread, nobody left."""
        self._checked = True
        self._reader.join(LIMIT)
        self._stdin.close()
        self._stdout.close()
        assert self.faults == [], f"faults: {self.faults}"
        assert self._asked.keys() <= self.answers.keys(), f"unanswered: {self._asked.keys() - self.answers.keys()}"
        unread = [message for message in self.unread if message["method"] not in self.tolerated]
        assert unread == [], f"unread: {unread}"
        self._check_processes()

    def _check_processes(self) -> None:
        deadline = time.monotonic() + GONE_WITHIN
        while left := marked(self._mark):
            if time.monotonic() > deadline:
                told = [f"{process.pid} {' '.join(process.cmdline())}" for process in left if process.is_running()]
                for process in left:
                    process.kill()
                raise AssertionError(f"processes of the session that outlive it: {told}")
            time.sleep(0.02)

    def _is_initialized(self) -> bool:
        return any(method == "initialize" and self._succeeded(key) for key, method in self._asked.items())

    def _was_shut_down(self) -> bool:
        return any(method == "shutdown" and self._succeeded(key) for key, method in self._asked.items())

    def _succeeded(self, key: int | str) -> bool:
        return "result" in self.answers.get(key, {})

    # Reading

    def _read(self) -> None:
        try:
            while (body := self._read_body()) is not None:
                self._take(json.loads(body))
        except Exception as fault:  # noqa: BLE001 - reported by every later wait and by `check`
            self.faults.append(f"not a message: {fault!r}")
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _read_body(self) -> bytes | None:
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            line = self._stdout.readline()
            if not line:
                if head:
                    raise ValueError(f"the stream ended inside a header: {head!r}")
                return None
            head += line
        fields = dict(line.split(b": ", 1) for line in head[:-4].split(b"\r\n"))
        size = fields.pop(b"Content-Length", b"")
        if not size.isdigit() or set(fields) > {b"Content-Type"}:
            raise ValueError(f"header {head!r}")
        body = self._stdout.read(int(size))
        if len(body) != int(size):
            raise ValueError("the stream ended inside a body")
        return body

    def _take(self, message: Any) -> None:
        assert message["jsonrpc"] == "2.0"
        with self._changed:
            if "method" not in message:
                self._take_answer(message)
            elif "id" in message and message["method"] in self._handlers:
                self._respond_by_handler(message)
            else:
                self.unread.append(message)
            self._changed.notify_all()

    def _take_answer(self, message: dict[str, Any]) -> None:
        key = message["id"]
        if key in self.answers:
            self.faults.append(f"request {key} was answered twice")
        if ("result" in message) == ("error" in message):
            self.faults.append(f"answer with neither or both of result and error: {message}")
        self.answers[key] = message

    def _respond_by_handler(self, message: dict[str, Any]) -> None:
        try:
            self.respond(message["id"], self._handlers[message["method"]](message.get("params")))
        except ResponseError as error:
            self.respond_error(message["id"], error.code, error.message)


def marked(mark: str) -> Sequence[psutil.Process]:
    """The processes that were started with this `MARK`, but for zombies and the test's own process."""
    return [process for process in psutil.process_iter() if process.pid != os.getpid() and _is_marked(process, mark)]


def _is_marked(process: psutil.Process, mark: str) -> bool:
    try:
        return process.environ().get(MARK) == mark and process.status() != psutil.STATUS_ZOMBIE
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return False  # went away, or is somebody else's
