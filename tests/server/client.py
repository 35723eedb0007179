"""A strict LSP client over real pipes: every message is checked, and nothing may stay unread."""

from __future__ import annotations

import contextlib
import itertools
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

SERVER = (sys.executable, "-m", "adal_ls")

LIMIT = 15.0
"""Seconds any single wait may take; the machine that runs the tests may be busy."""


class ResponseError(Exception):
    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.data = data


class Client:
    """Starts a server. `tolerated` are methods whose messages may stay unread."""

    def __init__(self, command: Sequence[str] = SERVER, *, tolerated: Sequence[str] = (), stderr: Any = None) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, bufsize=0
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._stdin = self.process.stdin
        self._stdout = self.process.stdout
        self.tolerated = set(tolerated)
        self.unread: list[dict[str, Any]] = []
        self.answers: dict[int | str, dict[str, Any]] = {}
        self.faults: list[str] = []
        self._handlers: dict[str, Callable[[Any], Any]] = {}
        self._asked: set[int | str] = set()
        self._ids = itertools.count(1)
        self._changed = threading.Condition()
        self._ended = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

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
        self._asked.add(key)
        self.send({"jsonrpc": "2.0", "id": key, "method": method, "params": params})
        return key

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

    def shut_down(self) -> None:
        """Ends the session by the book, and checks all that can be checked at the end."""
        assert self.request("shutdown") is None
        self.notify("exit")
        assert self.process.wait(LIMIT) == 0
        self.check()

    def check(self) -> None:
        """After the server ended: nothing broken, nothing unanswered, nothing unread."""
        self._reader.join(LIMIT)
        self._stdin.close()
        self._stdout.close()
        assert self.faults == []
        assert self._asked <= set(self.answers), f"unanswered: {self._asked - set(self.answers)}"
        unread = [message for message in self.unread if message["method"] not in self.tolerated]
        assert unread == [], unread

    def kill(self) -> None:
        """Ends the server if it still runs. For teardown after a failed test."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(LIMIT)
        for stream in (self._stdin, self._stdout):
            with contextlib.suppress(OSError):
                stream.close()

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

    def _read_exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            part = self._stdout.read(size - len(data))
            if not part:
                break
            data += part
        return data

    def _read_body(self) -> bytes | None:
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            byte = self._stdout.read(1)
            if not byte:
                if head:
                    raise ValueError(f"the stream ended inside a header: {head!r}")
                return None
            head += byte
        fields = dict(line.split(b": ", 1) for line in head[:-4].split(b"\r\n"))
        size = fields.pop(b"Content-Length", b"")
        if not size.isdigit() or set(fields) > {b"Content-Type"}:
            raise ValueError(f"header {head!r}")
        body = self._read_exactly(int(size))
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
