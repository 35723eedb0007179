"""Findings of lint for the editor: pushed, or answered where the client pulls. Both on the stage-1 path."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from adal_ls.server.capabilities import Client
from adal_ls.server.diagnostics import pull_params
from adal_ls.server.diagnostics.agents_files import AgentsFiles
from adal_ls.server.diagnostics.analysis import Analysis, analyse
from adal_ls.server.diagnostics.beside import Beside, tools_file_of
from adal_ls.server.diagnostics.openings import Openings
from adal_ls.server.diagnostics.published import Published
from adal_ls.server.diagnostics.reported import Judge, Reports
from adal_ls.server.documents.documents import Document, Documents, opened
from adal_ls.server.projects import Projects
from adal_ls.server.transport.rpc import Connection, Json
from adal_ls.workspace import disk, uris
from adal_ls.workspace.projects import Project, is_agents_file, is_tools_file, of_file

if TYPE_CHECKING:
    from adal_ls.lint import Config, Resolve

PATIENCE = 0.2
"""Seconds diagnostics may wait behind a stream of edits."""

BETWEEN = 0.03
"""Seconds between two slices of a text that is being read, while messages are waiting."""

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
        """`loaded` and `judged` are those of `Reports`."""
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
        self._openings = Openings()
        self._went_on = 0.0
        self._beside = Beside(documents)
        self._reports = Reports(client, projects, self._beside, loaded, judged)
        self._published = Published(editor, self._reports)
        self._agents = AgentsFiles(editor, client, documents, self._beside, config, loaded, judged)
        self._renewed: dict[str, Analysis] = {}  # what was told of a text that is looked at again, by URI's spelling
        self._stale: set[str] = set()  # open tools files with a module beside them that changed, by identity

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
            self.changed(document)
            return
        self._uris[document.identity] = document.uri
        self._disk.pop(document.identity, None)
        if not self._client.pull_diagnostics:
            self._published.clear_other(document.identity, self._documents.of_file(document.identity))
        self.changed(document)

    def changed(self, document: Document) -> None:
        """An open document has another text. Its diagnostics follow with the next `publish_due`."""
        self._module_changed(document)
        if is_agents_file(document.uri) or (is_tools_file(document.uri) and not self._client.pull_diagnostics):
            self._renewed.pop(uris.spelling(document.uri), None)
            self._make_due(document)
        elif is_tools_file(document.uri):
            self._begin(document)  # the client is going to ask

    def _make_due(self, document: Document) -> None:
        if not self._due:
            self._due_since = time.monotonic()
        self._due[uris.spelling(document.uri)] = document

    def publish_due(self, *, idle: Callable[[], bool]) -> bool:
        """Pushes what is due: at once if nothing else is to do, else when it has waited `PATIENCE`. Returns whether
        something still is.

        An edit that another edit follows in the queue is never linted: what it would say is out of date. Where the
        client waits for each answer, nothing is ever skipped.
        """
        late = time.monotonic() - self._due_since > PATIENCE
        if self._due and (late or idle()):
            for document in self._due.values():
                if not is_agents_file(document.uri) and not self._is_being_read(document):
                    self._of_open(document)
            if not late and not idle():
                return True  # out of date before it was said; what was linted is of use to whatever came
            due, self._due = self._due, {}
            for key, document in due.items():
                if is_agents_file(document.uri):
                    self._agents.tell(document.identity)
                    continue
                if self._is_being_read(document):  # told once it is read; the errors in names now
                    if self._openings.glances(document):
                        self._published.publish_glance(document)
                    continue
                before, analysis = self._renewed.pop(key, None), self._of_open(document)
                if before is None or before.document is not document or before.findings != analysis.findings:
                    self._published.publish(analysis)
                elif before.beside != analysis.beside:
                    self._published.publish_beside(document.identity, analysis)
        return bool(self._due)

    def go_on(self, *, idle: Callable[[], bool]) -> float | None:
        """Reads a little of a text that is new. Returns the seconds after which to go on; None: nothing is left."""
        if not self._openings.are_left():
            return None
        since = time.monotonic() - self._went_on
        if since < BETWEEN and not idle():
            return BETWEEN - since
        found = self._openings.go_on()
        self._went_on = time.monotonic()
        if found is not None:
            opening, done = found
            document = self._documents.get(opening.document.uri)
            if done and document is not None and not self._client.pull_diagnostics:
                self._make_due(document)
        return 0.0 if self._openings.are_left() or self._due else None

    @property
    def is_reading(self) -> bool:
        """Whether any text is being read."""
        return self._openings.are_left()

    def is_being_read(self, uri: str) -> bool:
        """Whether `when_read` would wait."""
        return self._openings.has(uri)

    def when_read(self, uri: str, action: Callable[[], None]) -> None:
        """Runs `action`, which must not raise, once the text of an open tools file is read."""
        self._openings.when_read(uri, action)

    def _is_being_read(self, document: Document) -> bool:
        """Whether a text is being read, since that takes longer than messages of the editor can wait."""
        return self._begin(document) and not self._openings.read_at_once(document)

    def _begin(self, document: Document) -> bool:
        """Begins to read a text that is new. Whether it is being read."""
        config = self._config(self._reports.root(document))
        return self._openings.begin(document, config, self._beside.modules(document))

    def closed(self, document: Document) -> None:
        """A document was closed: from now on the file on disk counts."""
        self._openings.drop(document.uri)
        self._open.pop(uris.spelling(document.uri), None)
        gc.unfreeze()
        self._due.pop(uris.spelling(document.uri), None)
        self._renewed.pop(uris.spelling(document.uri), None)
        self._module_changed(document)
        if is_tools_file(document.uri):
            self.check_disk(document.identity)
        elif is_agents_file(document.uri):
            self._agents.look_at(document.identity)

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
        self._agents.look_again(of_file(identity).root if project is None else project.root)
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
        pulls_anew = self._agents.look_again(project.root)
        if self._reports.load_ended(project.identity, project.root, lambda: self.of_project(project)):
            self._told_anew(project.identity)
        elif pulls_anew:
            self.refresh()

    def judged_anew(self, identity: str) -> None:
        """The Python that runs the tools may say another thing of a file: if it does, the client hears it."""
        document = next(iter(self._documents.of_file(identity)), None)
        if self._agents.knows(identity):
            if self._agents.tell(identity):
                self.refresh()
            return
        analysis = self._disk.get(identity) if document is None else self._open.get(uris.spelling(document.uri))
        if self._reports.judged_anew(identity, analysis):
            self._told_anew(identity)

    def _told_anew(self, identity: str) -> None:
        """Another thing is to be said of the same text."""
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
        document = self._documents.get(uri)
        if document is not None and is_agents_file(uri):
            return self._agents.report(document, params.get("previousResultId"), _session)
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
            for document, said in self._reports.beside(analysis):
                if document.version is None:
                    previous.pop(uris.spelling(document.uri), None)
                    items.append({"uri": document.uri, "version": None, "kind": "full", "items": said})
        for document in self._agents.closed():
            _, known = previous.pop(uris.spelling(document.uri), ("", None))
            report = self._agents.report(document, known, _session)
            items.append({"uri": document.uri, "version": None, **report})
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
        said = (items for document, items in self._reports.beside(analysis) if document.identity == asked.identity)
        items = [item for of_document in said for item in of_document]
        return {"kind": "full", "resultId": result_id, "items": items}

    def _report(self, analysis: Analysis, previous: Json) -> dict[str, Json]:
        result_id = self._result_id(analysis)
        if previous == result_id:
            return {"kind": "unchanged", "resultId": result_id}
        return {"kind": "full", "resultId": result_id, "items": self._reports.of(analysis)}

    def _result_id(self, analysis: Analysis) -> str:
        return f"{_session}.{analysis.serial}.{self._reports.number(analysis.document.identity)}"

    def _of_open(self, document: Document) -> Analysis:
        key = uris.spelling(document.uri)
        known = self._open.get(key)
        if known is None or known.document is not document:
            self._openings.finish(document)
            stale = document.identity in self._stale
            self._stale.discard(document.identity)
            resolve = self._beside.modules(document)
            known = self._open[key] = analyse(
                document, self._config(self._reports.root(document)), resolve, refresh=stale
            )
        return known

    def _publish_disk(self, identity: str) -> None:
        self._published.publish_disk(identity, self._disk.get(identity), self._documents.of_file(identity))


def _kept(analysis: Analysis | None) -> Analysis | None:
    """For whoever is going to read the file."""
    if analysis is not None:
        analysis.reading.keep()
    return analysis
