"""What is said of a project's agents file: lint's findings, and a load that failed in it.

Such a file is a document as a tools file is one, but for what only tools have.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from adal_ls.server.capabilities import Client
from adal_ls.server.diagnostics.beside import Beside
from adal_ls.server.diagnostics.diagnostic_items import load_failure, to_lsp
from adal_ls.server.diagnostics.reported import Judge
from adal_ls.server.documents.documents import Document, Documents, opened
from adal_ls.server.transport.rpc import Connection, Json
from adal_ls.workspace import disk, uris
from adal_ls.workspace.projects import AGENTS, FOLDER, of_file

if TYPE_CHECKING:
    from adal_ls.lint import Config, Finding

Items = list[dict[str, Json]]


class _Linted(NamedTuple):
    document: Document
    config: Config
    sound: bool
    findings: Sequence[Finding]


class AgentsFiles:
    """The diagnostics of all agents files, open or not. Everything by the identity of the file."""

    def __init__(
        self,
        editor: Connection,
        client: Client,
        documents: Documents,
        beside: Beside,
        config: Callable[[str], Config],
        loaded: Callable[[str], dict[str, Json]],
        judged: Judge,
    ) -> None:
        """`loaded` and `judged` are those of `Reports`, `config` that of `Diagnostics`."""
        self._editor = editor
        self._client = client
        self._documents = documents
        self._beside = beside
        self._config = config
        self._loaded = loaded
        self._judged = judged
        self._paths: dict[str, str] = {}  # as the project or the client spells it: a link has another identity
        self._linted: dict[str, _Linted] = {}
        self._told: dict[str, tuple[str, Items]] = {}  # the URI, and what was pushed under it
        self._numbers: dict[str, tuple[int, Items]] = {}  # how often a pull had another answer, and the last one

    def knows(self, identity: str) -> bool:
        """Whether it is an agents file."""
        return identity in self._paths

    def look_again(self, root: str) -> bool:
        """The file of a project, a module beside it or a load of it is another; whether a pull has another answer."""
        path = os.path.join(root, FOLDER, AGENTS)
        identity = uris.real(path)
        self._paths.setdefault(identity, path)
        return self.look_at(identity)

    def look_at(self, identity: str) -> bool:
        """See `look_again`."""
        self._linted.pop(identity, None)
        return self.tell(identity)

    def tell(self, identity: str) -> bool:
        """Pushes what is to be said now, if it is another thing than before. As `look_again`."""
        document = self._document(identity)
        items = [] if document is None else self._items(document)
        if self._client.pull_diagnostics:
            return self._numbers.get(identity, (0, []))[1] != items
        uri, before = self._told.get(identity, ("", []))
        if before and (document is None or document.uri != uri):  # gone, or another spelling of the same URI
            self._push(identity, uri, [])
        if document is not None and (identity in self._told or items):
            self._push(identity, document.uri, items, document.version)
        return False

    def report(self, document: Document, previous: Json, session: str) -> dict[str, Json]:
        """What a client gets that pulls."""
        items = self._items(document)
        number, before = self._numbers.get(document.identity, (0, None))
        if before != items:
            number += 1
            self._numbers[document.identity] = (number, items)
        result_id = f"{session}.agents.{number}"
        if previous == result_id:
            return {"kind": "unchanged", "resultId": result_id}
        return {"kind": "full", "resultId": result_id, "items": items}

    def closed(self) -> Iterator[Document]:
        """The files that something is said of and that are not open."""
        for identity in list(self._paths):
            document = None if self._documents.of_file(identity) else self._document(identity)
            if document is not None and self._items(document):
                yield document

    def _push(self, identity: str, uri: str, items: Items, version: int | None = None) -> None:
        if version is None and self._told.get(identity) == (uri, items):
            return
        self._told[identity] = (uri, items)
        params: dict[str, Json] = {"uri": uri, "diagnostics": items}
        if version is not None:
            params["version"] = version
        self._editor.notify("textDocument/publishDiagnostics", params)

    def _document(self, identity: str) -> Document | None:
        """The file as it is open in the editor, else as it is on disk; None where it is neither."""
        known = self._documents.of_file(identity)
        if known:
            return known[0]
        kept = self._linted.get(identity)
        if kept is not None:
            return kept.document
        content = disk.read(identity)
        return None if content is None else self._lint_content(identity, content)

    def _lint_content(self, identity: str, content: disk.Content) -> Document:
        before = self._told.get(identity)
        uri = before[0] if before is not None else uris.from_path(self._paths.get(identity, identity))
        document = opened(uri, None, content.text)
        config = self._config(self._root(identity))
        findings = self._check(document, config) if content.readable else []
        sound = not content.faults
        self._linted[identity] = _Linted(document, config, sound, (*content.faults, *findings))
        return document

    def _items(self, document: Document) -> Items:
        if document.version is not None:
            self._paths[document.identity] = uris.to_path(document.uri) or document.identity
        root = self._root(document.identity)
        config = self._config(root)
        kept = self._linted.get(document.identity)
        if kept is None or kept.document is not document or kept.config != config:
            kept = _Linted(document, config, True, self._check(document, config))
            self._linted[document.identity] = kept
        findings = self._judged(root, document, kept.findings) if kept.sound else kept.findings
        items = [to_lsp(document, finding, self._client) for finding in findings]
        return [*items, *self._failed(root, document, findings, config)]

    def _check(self, document: Document, config: Config) -> list[Finding]:
        from adal_ls import lint  # after `initialize` is answered

        return lint.check_agents(document.text, config, self._beside.modules(document))

    def _failed(
        self, root: str, document: Document, findings: Sequence[Finding], config: Config
    ) -> Iterator[dict[str, Json]]:
        """What a load that failed in this file told, unless lint says it already."""
        failure = self._loaded(root).get("failure")
        blamed = failure.get("location") if failure is not None else None
        if failure is None or blamed is None or uris.identity(blamed["uri"]) != document.identity:
            return
        from adal_ls.lint.agents import tells  # after `initialize` is answered

        if tells(findings, failure["code"], blamed["range"]["start"]["line"], document.text):
            return
        found = load_failure(document, failure, self._client, config)
        if found is not None:
            yield found

    def _root(self, identity: str) -> str:
        return of_file(self._paths.get(identity, identity)).root
