"""A server as pygls' documentation has one, with handlers that show its faults."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

server = LanguageServer("plain", "1")


@server.feature("textDocument/hover")
def hover(params: types.HoverParams) -> types.Hover:
    return types.Hover(contents="hover")


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


@server.feature("plain/wait")
@server.thread()
def wait(params: Any) -> str:
    time.sleep(0.5)
    return "waited"


server.start_io()
