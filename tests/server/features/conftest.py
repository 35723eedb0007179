"""Snapshots of a text, with a cursor in it."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types

from adal_ls.lint import Config
from adal_ls.server import capabilities
from adal_ls.server.diagnostics.analysis import analyse
from adal_ls.server.documents.documents import opened
from adal_ls.server.documents.positions import to_units
from adal_ls.server.documents.snapshot import Snapshot

CLIENT: dict[str, Any] = {
    "textDocument": {
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}},
            "isPreferredSupport": True,
        },
    },
    "workspace": {"workspaceEdit": {"documentChanges": True}},
}


class Marked:
    """A snapshot of `text` without its mark `$0`, and where the mark stood in the client's units."""

    def __init__(self, text: str, client: dict[str, Any], uri: str, version: int | None) -> None:
        offset = text.index("$0")
        document = opened(uri, version, text.replace("$0", ""))
        flags = capabilities.read(client)
        self.text = document.text
        self.uri = uri
        self.snapshot = Snapshot(flags, analyse(document, Config()))
        before = opened(uri, version, text[:offset]).lines
        line, column = len(before) - 1, len(before[-1])
        self.position = types.Position(line, to_units(document.line(line), column, flags.encoding))


@pytest.fixture
def marked() -> Any:
    def make(text: str, client: dict[str, Any] = CLIENT, version: int | None = 3) -> Marked:
        return Marked(text, client, "file:///p/.adal/tools.py", version)

    return make
