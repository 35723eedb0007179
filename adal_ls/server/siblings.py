"""The modules beside a tools file, which it imports and which import it: open in the editor, or on disk."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from urllib.parse import quote

from adal_ls.server.documents import Document, opened
from adal_ls.workspace import disk, uris

MAX_MODULES = 500
"""Modules read of one folder."""


def modules(document: Document, open_documents: Iterable[Document]) -> dict[str, Document]:
    """The modules of the folder of `document`, itself included, by their names. Packages below it are left out.

    The text in the editor counts where a module is open. One that Python would refuse to read is left out: nothing can
    be imported from it.
    """
    found = {"tools": document}
    path = uris.to_path(document.uri)
    if path is None:
        return found
    texts = {text.identity: text for text in open_documents}
    folder = os.path.dirname(path)
    for name in _names(folder):
        file = os.path.join(folder, name)
        identity = uris.real(file)
        if identity == document.identity:
            continue
        text = texts.get(identity) or _read(file, f"{document.uri.rpartition('/')[0]}/{quote(name)}")
        if text is not None:
            found[name.removesuffix(".py")] = text
    return found


def _names(folder: str) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if entry.name.endswith(".py"))
    except OSError:  # not saved yet
        return
    yield from names[:MAX_MODULES]


def _read(file: str, uri: str) -> Document | None:
    content = disk.read(file)
    return None if content is None or content.faults else opened(uri, None, content.text)
