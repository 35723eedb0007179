"""Fault 22: a client that does not read."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import psutil

from tests.server.faults.conftest import URI

TEXT = "CUSTOM_TOOLS = [\n" + "    missing,\n" * 300 + "]\n"
"""Its diagnostics take about 60 kB."""


def test_a_client_that_reads_nothing_is_still_read_costs_bounded_memory_and_gets_every_answer_later() -> None:
    """Writes block the loop: stuck after 135 of 2,000 requests with answers of 60 kB."""
    process = subprocess.Popen([sys.executable, "-m", "adal_ls"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    stdin, stdout = process.stdin, process.stdout

    def send(message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def read() -> dict[str, Any]:
        size = int(stdout.readline().split(b":")[1])
        stdout.readline()
        message: dict[str, Any] = json.loads(stdout.read(size))
        return message

    try:
        send({"id": 0, "method": "initialize", "params": {"capabilities": {"textDocument": {"diagnostic": {}}}}})
        item = {"uri": URI, "languageId": "python", "version": 1, "text": TEXT}
        send({"method": "textDocument/didOpen", "params": {"textDocument": item}})
        for key in range(1, 2001):
            send({"id": key, "method": "textDocument/diagnostic", "params": {"textDocument": {"uri": URI}}})
        stdin.flush()  # would block for ever if the server had stopped reading
        assert read()["id"] == 0
        answers = [read() for _ in range(2000)]
        assert [answer["id"] for answer in answers] == list(range(1, 2001))
        assert {answer.get("error", {}).get("code") for answer in answers} == {None, -32803}
        assert psutil.Process(process.pid).memory_info().rss < 150 * 1024 * 1024
        send({"id": 2001, "method": "textDocument/diagnostic", "params": {"textDocument": {"uri": URI}}})
        stdin.flush()
        assert read()["result"]["kind"] == "full", "whoever reads again is answered in full again"
    finally:
        process.kill()
        process.wait()
        stdin.close()
        stdout.close()
