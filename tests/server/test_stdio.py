from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.server.client import Client

NOISY = """
import os, subprocess, sys, threading
from adal_ls.server import serve
from adal_ls.server.diagnostics import diagnostics
analyse = diagnostics.analyse

def noisy(*arguments, **named):
    print("printed")
    sys.stdout.write("Content-Length: 5\\r\\n\\r\\nhello")
    sys.stdout.flush()
    os.write(1, b"written")
    subprocess.run([sys.executable, "-c", "import sys; print(sys.stdin.read(40)); print('child')"])
    return analyse(*arguments, **named)

diagnostics.analyse = noisy
serve()
"""


def test_nothing_that_prints_or_reads_can_reach_the_message_stream(
    start_process: Callable[..., Client], tmp_path: Path
) -> None:
    with (tmp_path / "stderr").open("wb") as stderr:
        client = start_process((sys.executable, "-c", NOISY), stderr=stderr)
        client.initialize()
        for number in range(3):
            uri = f"file:///p{number}/.adal/tools.py"
            client.open(uri, "CUSTOM_TOOLS = []\n")
            client.diagnostics(uri)
        client.shut_down()
    said = (tmp_path / "stderr").read_text()
    assert said.count("printed") == 3
    assert said.count("written") == 3
    assert said.count("child") == 3


def test_sixty_thousand_letters_beyond_ascii_arrive_whole(client: Client) -> None:
    client.initialize()
    text = '"""' + "é漢😀" * 20_000 + '"""\nCUSTOM_TOOLS = [missing]\n'
    client.open("file:///p/.adal/tools.py", text)
    found = client.diagnostics("file:///p/.adal/tools.py")
    assert any(item["range"]["start"]["line"] == 1 for item in found)


def test_a_client_that_does_not_read_does_not_stop_the_server() -> None:
    """200 answers of about 60 kB, none read before all is sent; a pipe holds 64 kB."""
    process = subprocess.Popen([sys.executable, "-m", "adal_ls"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    try:

        def send(message: object) -> None:
            body = json.dumps(message).encode()
            process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)  # type: ignore[union-attr]

        capabilities: dict[str, Any] = {"textDocument": {"diagnostic": {}}}
        send({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"capabilities": capabilities}})
        text = "CUSTOM_TOOLS = [\n" + "    missing,\n" * 300 + "]\n"
        item = {"uri": "file:///p/.adal/tools.py", "languageId": "python", "version": 1, "text": text}
        send({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": item}})
        for number in range(1, 201):
            document = {"uri": "file:///p/.adal/tools.py"}
            params = {"textDocument": document}
            send({"jsonrpc": "2.0", "id": number, "method": "textDocument/diagnostic", "params": params})
        send({"jsonrpc": "2.0", "id": 201, "method": "shutdown"})
        process.stdin.flush()  # would block for ever if the server had stopped reading
        answers = 0
        while answers < 202:
            size = int(process.stdout.readline().split(b":")[1])
            process.stdout.readline()
            assert b'"id"' in process.stdout.read(size)
            answers += 1
        send({"jsonrpc": "2.0", "method": "exit"})
        process.stdin.flush()
        assert process.wait(5) == 0
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()
