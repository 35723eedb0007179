"""The modules beside the tools files: their texts for lint, and where its findings about them are shown."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from adal_ls.server.documents.documents import Document, Documents, opened
from adal_ls.workspace import disk, uris
from adal_ls.workspace.modules import FolderModules
from adal_ls.workspace.projects import FOLDER, is_tools_file

if TYPE_CHECKING:
    from adal_ls.lint import Finding, ModuleText


class Beside:
    """Texts of modules: of the editor where they are open, else from disk."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._folders: dict[str, FolderModules] = {}

    def modules(self, document: Document) -> FolderModules | None:
        """Resolves what a tools file imports; None for one that stands in no folder."""
        path = uris.to_path(document.uri)
        if path is None:
            return None
        folder = os.path.dirname(path)
        if folder not in self._folders:
            self._folders[folder] = FolderModules(folder, self._open_text)
        return self._folders[folder]

    def shown(self, found: Mapping[ModuleText, Sequence[Finding]]) -> Iterator[tuple[Document, Sequence[Finding]]]:
        """The modules that there are findings in, each as the client knows it."""
        for text, findings in found.items():
            known = self._documents.of_file(uris.real(text.key))
            yield known[0] if known else opened(uris.from_path(text.key), None, text.text), findings

    def document(self, uri: str) -> Document | None:
        """A module by its URI: as it is open in the editor, else as it is on disk; None where it is neither."""
        identity = uris.identity(uri)
        known = self._documents.of_file(identity)
        if known:
            return known[0]
        content = disk.read(identity)
        return None if content is None else opened(uri, None, content.text)

    def _open_text(self, path: str) -> tuple[object, str] | None:
        known = self._documents.of_file(uris.real(path)) if any(True for _ in self._documents) else []
        return (known[0].number, known[0].text) if known else None


def tools_file_of(document: Document) -> str | None:
    """The identity of the tools file that a Python file may be a module of; None for the tools file itself."""
    if is_tools_file(document.uri) or not document.identity.endswith(".py"):
        return None
    before, found, _ = document.identity.rpartition(f"{os.sep}{FOLDER}{os.sep}")
    return os.path.join(before, FOLDER, "tools.py") if found else None
