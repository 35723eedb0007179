"""Findings of lint for the editor: pushed, or answered where the client pulls. Both on the stage-1 path."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from adal_ls.server import pull_params
from adal_ls.server.analysis import Analysis, analyse
from adal_ls.server.beside import Beside, tools_file_of
from adal_ls.server.capabilities import Client
from adal_ls.server.diagnostic_items import load_failure, to_lsp
from adal_ls.server.documents import Document, Documents, opened
from adal_ls.server.projects import Projects
from adal_ls.server.rpc import Connection, Json
from adal_ls.workspace import disk, uris
from adal_ls.workspace.projects import Project, is_tools_file, of_file

if TYPE_CHECKING:
    from adal_ls.lint import Config, Finding, Resolve

PATIENCE = 0.2
"""Seconds diagnostics may wait behind a stream of edits."""

Judge = Callable[["str", Document, "Sequence[Finding]"], "Sequence[Finding]"]
"""From a project's root, a text and its findings to those that the Python of the project's tools leaves of them."""

_session = os.urandom(4).hex()  # a client may still hold result ids of the server before this one


def analyse_content(document: Document, content: disk.Content, config: Config, resolve: Resolve | None) -> Analysis:
    """Lints what was read from disk, if anything could be."""
    analysis = analyse(document, config, resolve)
    findings = (*content.faults, *analysis.findings) if content.readable else content.faults
    return replace(analysis, findings=findings, sound=not content.faults)


class Diagnostics:
    """The analyses of all tools files, open or not, and what the client was told about them."""

    def __init__(
        self,
        editor: Connection,
        client: Client,
        documents: Documents,
        projects: Projects,
        config: Callable[[str], Config],
        loaded: Callable[[str], dict[str, Json]],
        judged: Judge,
    ) -> None:
        """`loaded` gives what the host told last about a project (`Project` of the protocol), by its root; `judged` the
        findings of a text as the Python judges that runs the project's tools."""
        self._loaded = loaded
        self._judged = judged
        self._told: dict[str, int] = {}  # the file's identity -> how often another thing was told about it
        self._known: dict[str, Json] = {}  # ... and what the host told last, as far as it shows
        self._judgements: dict[str, Sequence[Finding]] = {}  # the findings that were told, by the file's identity
        self._differences: dict[str, tuple[Document, list[Finding]]] = {}  # by the file's identity
        self._editor = editor
        self._client = client
        self._documents = documents
        self._projects = projects
        self._config = config
        self._open: dict[str, Analysis] = {}  # by the URI's spelling
        self._disk: dict[str, Analysis] = {}  # by the file's identity
        self._uris: dict[str, str] = {}  # the file's identity -> the URI the client knows it by
        self._due: dict[str, Document] = {}  # changed and not published yet, by the URI's spelling
        self._due_since = 0.0
        self._beside = Beside(documents)
        self._shown_beside: dict[str, dict[str, str]] = {}  # the tools file's identity -> URIs of modules beside it
        self._renewed: dict[str, Analysis] = {}  # what was told of a text that is looked at again, by URI's spelling
        self._stale: set[str] = set()  # open tools files with a module beside them that changed, by identity
        self._published: dict[str, dict[str, str]] = {}  # the file's identity -> URIs it has diagnostics under

    def analysis(self, uri: str) -> Analysis | None:
        """The newest analysis of a tools file; None for any other document."""
        document = self._documents.get(uri)
        if document is not None:
            return _kept(self._of_open(document)) if is_tools_file(document.uri) else None
        return _kept(self._disk.get(uris.identity(uri)))

    def is_open(self, identity: str) -> bool:
        """Whether the file is open in the editor, under whatever URI."""
        return bool(self._documents.of_file(identity))

    def of_project(self, project: Project) -> Analysis | None:
        """The newest analysis of a project's file: of the open text if it is open."""
        document = next(iter(self._documents.of_file(project.identity)), None)
        return _kept(self._of_open(document) if document is not None else self._disk.get(project.identity))

    def opened(self, document: Document) -> None:
        """A document was opened: from now on its text counts, under the URI it was opened with."""
        if not is_tools_file(document.uri):
            self._module_changed(document)
            return
        self._uris[document.identity] = document.uri
        self._disk.pop(document.identity, None)
        if not self._client.pull_diagnostics:
            self._clear_other(document.identity, [document])
        self.changed(document)

    def changed(self, document: Document) -> None:
        """An open document has another text. Its diagnostics follow with the next `publish_due`."""
        self._module_changed(document)
        if is_tools_file(document.uri) and not self._client.pull_diagnostics:
            self._renewed.pop(uris.spelling(document.uri), None)
            self._make_due(document)

    def _make_due(self, document: Document) -> None:
        if not self._due:
            self._due_since = time.monotonic()
        self._due[uris.spelling(document.uri)] = document

    def publish_due(self, *, idle: bool) -> None:
        """Pushes what is due: at once if no message is waiting, else when it has waited `PATIENCE`.

        An edit that another edit follows in the queue is never linted: what it would say is out of date. Where the
        client waits for each answer, nothing is ever skipped.
        """
        if self._due and (idle or time.monotonic() - self._due_since > PATIENCE):
            due, self._due = self._due, {}
            for key, document in due.items():
                before, analysis = self._renewed.pop(key, None), self._of_open(document)
                if before is None or before.document is not document or before.findings != analysis.findings:
                    self._publish(analysis)
                elif before.beside != analysis.beside:
                    self._publish_beside(document.identity, analysis)

    def closed(self, document: Document) -> None:
        """A document was closed: from now on the file on disk counts."""
        self._open.pop(uris.spelling(document.uri), None)
        gc.unfreeze()
        self._due.pop(uris.spelling(document.uri), None)
        self._renewed.pop(uris.spelling(document.uri), None)
        self._module_changed(document)
        if is_tools_file(document.uri):
            self.check_disk(document.identity)

    def _module_changed(self, document: Document) -> None:
        """A Python file was opened, edited or closed: lint looks again at the tools file that may import it."""
        identity = tools_file_of(document)
        if identity is None:
            return
        known = self._documents.of_file(identity)
        for tools in known:
            self._renew(tools)
        if not known and identity in self._disk:
            self.check_disk(identity)

    def _renew(self, document: Document) -> None:
        """An open tools file is to be looked at again, though its text is the same."""
        self._stale.add(document.identity)
        key = uris.spelling(document.uri)
        known = self._open.pop(key, None)
        if key not in self._due and not self._client.pull_diagnostics:
            if known is not None:
                self._renewed[key] = known
            self._make_due(document)

    def check_disk(self, identity: str) -> None:
        """Reads a project's file anew, if it is not open, and tells the client what is wrong with it."""
        self._disk.pop(identity, None)
        project = self._projects.get(identity)
        still_open = self._documents.of_file(identity)
        for document in still_open:
            self._renew(document)
        if project is not None and not still_open:
            uri = self._uris.get(identity, project.uri)
            content = disk.read(project.file)
            if content is not None:
                document = opened(uri, None, content.text)
                resolve = self._beside.modules(document)
                self._disk[identity] = analyse_content(document, content, self._config(project.root), resolve)
        if not self._client.pull_diagnostics:
            self._publish_disk(identity)

    def load_told(self, project: Project) -> None:
        """The host told how a load ended: what it says of the file is shown with what lint says."""
        told = self._loaded(project.root)
        shown = (told.get("failure"), self._compare(project, told))
        if shown == self._known.get(project.identity, (None, [])):
            return
        self._known[project.identity] = shown
        self._told[project.identity] = self._told.get(project.identity, 0) + 1
        for document in self._documents.of_file(project.identity):
            self.changed(document)
        if not self._client.pull_diagnostics:
            self._publish_disk(project.identity)
        self.refresh()

    def _compare(self, project: Project, told: dict[str, Json]) -> list[Finding]:
        """Finds where the loaded file gives other tools than its text shows, if it still is that text."""
        self._differences.pop(project.identity, None)
        if told.get("state") != "loaded" or told.get("fileDigest") is None:
            return []
        analysis = self.of_project(project)
        if analysis is None:
            return []
        import hashlib  # not at the start: nothing is loaded then

        text = analysis.document.text.encode("utf-8", "surrogatepass")
        if hashlib.sha256(text).hexdigest() != told["fileDigest"]:
            return []
        from adal_ls import lint

        tools, left_out = told.get("tools", []), told.get("leftOut", [])
        found = lint.differences(analysis.file, analysis.findings, tools, left_out)
        self._differences[project.identity] = (analysis.document, found)
        return found

    def judged_anew(self, identity: str) -> None:
        """The Python that runs the tools may say another thing of a file: if it does, the client hears it."""
        document = next(iter(self._documents.of_file(identity)), None)
        analysis = self._disk.get(identity) if document is None else self._open.get(uris.spelling(document.uri))
        before = self._judgements.get(identity)
        if analysis is None or before is None or [*before] == [*self._judge(analysis)]:
            return
        self._told[identity] = self._told.get(identity, 0) + 1
        for document in self._documents.of_file(identity):
            self.changed(document)
        if not self._client.pull_diagnostics:
            self._publish_disk(identity)
        self.refresh()

    def judge_again(self) -> None:
        """Another Python runs the tools, or may be asked from now on, or no more."""
        for identity in {document.identity for document in self._documents} | self._disk.keys():
            self.judged_anew(identity)

    def check_open(self) -> None:
        """All open documents again, after a change of settings."""
        self._open.clear()
        for document in self._documents:
            self.changed(document)

    def refresh(self) -> None:
        """Asks a pulling client to pull again."""
        if self._client.pull_diagnostics and self._client.refresh_diagnostics:
            self._editor.request("workspace/diagnostic/refresh", None, lambda _: None)

    def pull(self, params: Json) -> dict[str, Json]:
        """`textDocument/diagnostic`."""
        uri = pull_params.uri(params)
        analysis = self.analysis(uri)
        if analysis is None:
            return self._report_beside(uri, params.get("previousResultId"))
        return self._report(analysis, params.get("previousResultId"))

    def pull_workspace(self, params: Json) -> dict[str, Json]:
        """`workspace/diagnostic`: the files that are not open, and an empty report for those that went away."""
        previous = pull_params.previous(params)
        items: list[dict[str, Json]] = []
        for analysis in self._disk.values():
            uri = analysis.document.uri
            report = self._report(analysis, previous.pop(uris.spelling(uri), ("", None))[1])
            items.append({"uri": uri, "version": None, **report})
            for document, said in self._said_beside(analysis):
                if document.version is None:
                    previous.pop(uris.spelling(document.uri), None)
                    items.append({"uri": document.uri, "version": None, "kind": "full", "items": said})
        for uri, _ in previous.values():
            if self._documents.get(uri) is None:
                items.append({"uri": uri, "version": None, "kind": "full", "items": []})
        return {"items": items}

    def _report_beside(self, uri: str, previous: Json) -> dict[str, Json]:
        """The report of a document that may be a module beside a tools file."""
        asked = self._documents.get(uri)
        identity = None if asked is None else tools_file_of(asked)
        known = self._documents.of_file(identity) if identity is not None else []
        analysis = self._of_open(known[0]) if known else self._disk.get(identity or "")
        if analysis is None or asked is None:
            return {"kind": "full", "items": []}
        result_id = self._result_id(analysis)
        if previous == result_id:
            return {"kind": "unchanged", "resultId": result_id}
        said = (items for document, items in self._said_beside(analysis) if document.identity == asked.identity)
        items = [item for of_document in said for item in of_document]
        return {"kind": "full", "resultId": result_id, "items": items}

    def _report(self, analysis: Analysis, previous: Json) -> dict[str, Json]:
        result_id = self._result_id(analysis)
        if previous == result_id:
            return {"kind": "unchanged", "resultId": result_id}
        return {"kind": "full", "resultId": result_id, "items": self._items(analysis)}

    def _result_id(self, analysis: Analysis) -> str:
        return f"{_session}.{analysis.serial}.{self._told.get(analysis.document.identity, 0)}"

    def _said_beside(self, analysis: Analysis) -> Iterator[tuple[Document, list[dict[str, Json]]]]:
        """The modules beside a tools file that something is said of: by lint, or by a load that failed in one."""
        failure: dict[str, Json] | None = self._loaded(self._root(analysis.document)).get("failure")
        blamed = (failure or {}).get("location")
        elsewhere = uris.identity(blamed["uri"]) if blamed is not None else analysis.document.identity
        for document, findings in self._beside.shown(analysis.beside):
            said = [to_lsp(document, finding, self._client) for finding in findings]
            if document.identity == elsewhere and failure is not None:
                said.append(load_failure(document, failure, self._client))
                elsewhere = analysis.document.identity
            yield document, said
        if elsewhere != analysis.document.identity and failure is not None and blamed is not None:
            module = self._beside.document(blamed["uri"])
            if module is not None:
                yield module, [load_failure(module, failure, self._client)]

    def _judge(self, analysis: Analysis) -> Sequence[Finding]:
        document = analysis.document
        if not analysis.sound:
            return analysis.findings
        return self._judged(self._root(document), document, analysis.findings)

    def _items(self, analysis: Analysis) -> list[dict[str, Json]]:
        document, root = analysis.document, self._root(analysis.document)
        findings = self._judgements[document.identity] = self._judge(analysis)
        items = [to_lsp(document, finding, self._client) for finding in findings]
        compared, differences = self._differences.get(document.identity, (None, []))
        if compared is document:  # of another text nothing is known until it is loaded
            items += [to_lsp(document, finding, self._client) for finding in differences]
        failure: dict[str, Json] | None = self._loaded(root).get("failure")
        # The same syntax error from both would show twice; lint's has the exact range and is the newer one.
        if failure is not None and failure["code"] not in {item["code"] for item in items if item["code"] == "ADAL001"}:
            items.append(load_failure(document, failure, self._client))
        return items

    def _of_open(self, document: Document) -> Analysis:
        key = uris.spelling(document.uri)
        known = self._open.get(key)
        if known is None or known.document is not document:
            stale = document.identity in self._stale
            self._stale.discard(document.identity)
            resolve = self._beside.modules(document)
            known = self._open[key] = analyse(document, self._config(self._root(document)), resolve, refresh=stale)
        return known

    def _root(self, document: Document) -> str:
        project = self._projects.get(document.identity)
        return project.root if project is not None else of_file(document.identity).root

    def _publish(self, analysis: Analysis) -> None:
        document = analysis.document
        items = self._items(analysis)
        params: dict[str, Json] = {"uri": document.uri, "diagnostics": items}
        if document.version is not None:
            params["version"] = document.version
        under = self._published.setdefault(document.identity, {})
        before = under.get(uris.spelling(document.uri), document.uri)
        if before != document.uri:  # another spelling of the same URI, which some clients take for another document
            self._editor.notify("textDocument/publishDiagnostics", {"uri": before, "diagnostics": []})
        self._editor.notify("textDocument/publishDiagnostics", params)
        if items:
            under[uris.spelling(document.uri)] = document.uri
        else:
            under.pop(uris.spelling(document.uri), None)
        self._publish_beside(document.identity, analysis)

    def _publish_beside(self, identity: str, analysis: Analysis | None) -> None:
        """Pushes what is said of tools in modules beside a tools file, and empties what was said before."""
        before = self._shown_beside.pop(identity, {})
        shown = self._shown_beside[identity] = dict[str, str]()
        for document, items in self._said_beside(analysis) if analysis is not None else ():
            params: dict[str, Json] = {"uri": document.uri, "diagnostics": items}
            if document.version is not None:
                params["version"] = document.version
            self._editor.notify("textDocument/publishDiagnostics", params)
            shown[uris.spelling(document.uri)] = document.uri
        for spelled, uri in before.items():
            if spelled not in shown:
                self._editor.notify("textDocument/publishDiagnostics", {"uri": uri, "diagnostics": []})

    def _publish_disk(self, identity: str) -> None:
        """Brings what the client shows for a file that is not open in line with the disk."""
        analysis = self._disk.get(identity)
        self._clear_other(identity, [] if analysis is None else [analysis.document])
        if analysis is not None:
            shown = uris.spelling(analysis.document.uri) in self._published.get(identity, {})
            if shown or self._items(analysis):
                self._publish(analysis)
            else:
                self._publish_beside(identity, analysis)
        elif not self._documents.of_file(identity):
            self._publish_beside(identity, None)

    def _clear_other(self, identity: str, kept: list[Document]) -> None:
        """Empties the lists of the file under every URI but those of `kept` and of its open documents."""
        spelled = {uris.spelling(document.uri) for document in kept}
        spelled |= {uris.spelling(document.uri) for document in self._documents.of_file(identity)}
        under = self._published.get(identity, {})
        for stale in [key for key in under if key not in spelled]:
            self._editor.notify("textDocument/publishDiagnostics", {"uri": under.pop(stale), "diagnostics": []})


def _kept(analysis: Analysis | None) -> Analysis | None:
    """For whoever is going to read the file."""
    if analysis is not None:
        analysis.reading.keep()
    return analysis
