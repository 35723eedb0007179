"""A server as pygls' documentation has one, with handlers that show its faults."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
import time
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

if "--log" in sys.argv:
    logging.basicConfig(level=logging.INFO)

server = LanguageServer("plain", "1")
hovers: list[types.HoverParams] = []


@server.feature("textDocument/hover")
def hover(params: types.HoverParams) -> types.Hover:
    hovers.append(params)
    return types.Hover(contents=f"hover {len(hovers)}")


@server.feature("textDocument/didChange")
def changed(params: types.DidChangeTextDocumentParams) -> None:
    raise LookupError("a fault in a validator")


@server.feature("plain/echo")
def echo(params: Any) -> str:
    return repr(params)


@server.feature("plain/fault")
def fault(params: Any) -> None:
    raise LookupError("a fault")


@server.feature("plain/print")
def printing(params: Any) -> None:
    os.write(1, b"printed\n")


@server.feature("plain/child")
def child(params: Any) -> None:
    subprocess.run([sys.executable, "-c", "import sys; sys.stdin.buffer.raw.read(40)"], check=False)


@server.feature("plain/leave")
def leave(params: Any) -> None:
    raise SystemExit(3)


@server.command("plain.run")
async def run() -> None:
    await asyncio.sleep(0.3)
    server.protocol.notify("plain/ended", {})


@server.feature("textDocument/didSave")
async def saved(params: types.DidSaveTextDocumentParams) -> None:
    await asyncio.sleep(0.2)
    document = server.workspace.get_text_document(params.text_document.uri)
    server.protocol.notify("plain/saw", {"version": document.version})


@server.feature("plain/slow")
def slow(params: Any) -> None:
    time.sleep(0.4)


@server.feature("plain/long")
@server.thread()
def long(params: Any) -> None:
    time.sleep(3)


@server.feature("plain/large")
def large(params: Any) -> str:
    return "x" * 60_000


@server.feature("plain/ask")
async def ask(params: Any) -> str:
    try:
        await asyncio.wait_for(server.protocol.send_request_async("plain/question", {}), 0.1)
    except asyncio.TimeoutError:
        return "too late"
    return "in time"


@server.feature("plain/wait")
@server.thread()
def wait(params: Any) -> str:
    time.sleep(0.5)
    return "waited"


server.start_io()
