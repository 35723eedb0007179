"""A language server as the benchmark sees it: started, asked, measured. Blocking, no threads but the reader."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import psutil

LIMIT = 60.0
"""Seconds any single wait may take."""


class Server:
    """One run of a server. Requests of the server are answered with null."""

    def __init__(self, command: list[str]) -> None:
        self.begun = time.perf_counter()
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
        )
        self._messages: queue.SimpleQueue[tuple[float, dict[str, Any]] | None] = queue.SimpleQueue()
        self._id = 0
        threading.Thread(target=self._read, daemon=True).start()

    def initialize(self, folder: Path) -> float:
        """Seconds from the start of the process to the answer."""
        params = {
            "processId": None,
            "rootUri": folder.as_uri(),
            "capabilities": {"textDocument": {"publishDiagnostics": {"versionSupport": True}, "hover": {}}},
            "workspaceFolders": [{"uri": folder.as_uri(), "name": "bench"}],
        }
        _, answered = self.request("initialize", params)
        self.notify("initialized", {})
        return answered - self.begun

    def open(self, uri: str, text: str) -> None:
        item = {"uri": uri, "languageId": "python", "version": 0, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})

    def change(self, uri: str, version: int, line: int, old: str, new: str) -> None:
        """Replaces `old`, the start of a line, by `new`."""
        span = {"start": {"line": line, "character": 0}, "end": {"line": line, "character": len(old)}}
        document = {"uri": uri, "version": version}
        self.notify(
            "textDocument/didChange", {"textDocument": document, "contentChanges": [{"range": span, "text": new}]}
        )

    def diagnostics(self, uri: str, *, broken: bool | None = None, version: int | None = None) -> float:
        """When diagnostics came; with `broken`, the first that tell whether the text has a syntax error, and with
        `version`, those of a version (or of none, where the server does not tell)."""
        while True:
            when, message = self._next()
            if message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri:
                if version is not None and message["params"].get("version", version) != version:
                    continue
                errors = any(found.get("severity", 1) == 1 for found in message["params"]["diagnostics"])
                if broken is None or errors == broken:
                    return when

    def request(self, method: str, params: Any) -> tuple[Any, float]:
        self._id += 1
        self._send({"id": self._id, "method": method, "params": params})
        while True:
            when, message = self._next()
            if message.get("id") == self._id and "method" not in message:
                return message.get("result"), when

    def notify(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def memory(self) -> float:
        """MiB of the process and its children (resident)."""
        return sum(process.memory_info().rss for process in self._family()) / 2**20

    def processor(self) -> float:
        """Seconds of CPU so far."""
        return sum(sum(process.cpu_times()[:2]) for process in self._family())

    def kill(self) -> None:
        for process in self._family():
            process.kill()
        self._process.wait()

    def _family(self) -> list[psutil.Process]:
        own = psutil.Process(self._process.pid)
        return [own, *own.children(recursive=True)]

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def _next(self) -> tuple[float, dict[str, Any]]:
        found = self._messages.get(timeout=LIMIT)
        if found is None:
            raise RuntimeError("the server ended")
        message = found[1]
        if "id" in message and "method" in message:
            items = (
                message.get("params", {}).get("items", []) if message["method"] == "workspace/configuration" else None
            )
            result = None if items is None else [None for _ in items]
            self._send({"id": message["id"], "result": result})
        return found

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        with open(stream.fileno(), "rb", closefd=False) as reader:
            size = 0
            while line := reader.readline():
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    size = int(value)
                elif line == b"\r\n":
                    body = reader.read(size)
                    self._messages.put((time.perf_counter(), json.loads(body)))
        self._messages.put(None)
