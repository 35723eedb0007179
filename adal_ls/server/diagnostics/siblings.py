"""The modules beside a tools file, which it imports and which import it: open in the editor, or on disk."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from urllib.parse import quote

from adal_ls.server.documents.documents import Document, opened
from adal_ls.workspace import disk, uris

MAX_MODULES = 500
"""Modules read of one folder."""


def modules(document: Document, open_documents: Iterable[Document]) -> dict[str, Document]:
    """The modules of the folder of `document`, itself included, by the names they are imported by: `pack.deep` too.

    The text in the editor counts where a module is open. One that Python would refuse to read is left out: nothing can
    be imported from it.
    """
    found = {"tools": document}
    path = uris.to_path(document.uri)
    if path is None:
        return found
    texts = {text.identity: text for text in open_documents}
    folder = os.path.dirname(path)
    for below in _files(folder):
        file = os.path.join(folder, *below)
        identity = uris.real(file)
        if identity == document.identity:
            continue
        text = texts.get(identity) or _read(file, f"{document.uri.rpartition('/')[0]}/{quote('/'.join(below))}")
        if text is not None:
            parts = [*below[:-1], *([] if below[-1] == "__init__.py" else [below[-1].removesuffix(".py")])]
            found.setdefault(".".join(parts), text)
    return found


def _files(folder: str) -> Iterator[list[str]]:
    """The Python files of a folder and of the packages in it, by the parts of their paths; a package comes before a
    module of the same name, as for Python."""
    known = 0
    for below, packages, names in os.walk(folder):  # nothing where it is not saved yet
        packages[:] = sorted(name for name in packages if name.isidentifier() and name != "__pycache__")
        parts = [part for part in os.path.relpath(below, folder).split(os.sep) if part != os.curdir]
        for name in sorted(names, key=lambda name: (name != "__init__.py", name)):
            if not name.endswith(".py") or (name == "__init__.py" and not parts):
                continue
            if known == MAX_MODULES:
                return
            known += 1
            yield [*parts, name]


def _read(file: str, uri: str) -> Document | None:
    content = disk.read(file)
    return None if content is None or content.faults else opened(uri, None, content.text)
