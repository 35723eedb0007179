"""What is said of a tools file and the modules beside it: lint's findings, judged by the project's Python, and what a
load told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from adal_ls.server.capabilities import Client
from adal_ls.server.diagnostics.analysis import Analysis
from adal_ls.server.diagnostics.beside import Beside
from adal_ls.server.diagnostics.diagnostic_items import load_failure, to_lsp
from adal_ls.server.documents.documents import Document
from adal_ls.server.projects import Projects
from adal_ls.server.transport.rpc import Json
from adal_ls.server.transport.writer import Kept
from adal_ls.workspace import uris
from adal_ls.workspace.projects import is_agents_file, of_file

if TYPE_CHECKING:
    from adal_ls.lint import Finding

Judge = Callable[["str", Document, "Sequence[Finding]"], "Sequence[Finding]"]
"""From a project's root, a text and its findings to those that the Python of the project's tools leaves of them."""


class Reports:
    """The LSP diagnostics of each file, and how often another thing was told of it than before."""

    def __init__(
        self,
        client: Client,
        projects: Projects,
        beside: Beside,
        loaded: Callable[[str], dict[str, Json]],
        judged: Judge,
    ) -> None:
        """`loaded` gives what the host told last about a project (`Project` of the protocol), by its root; `judged` the
        findings of a text as the Python judges that runs the project's tools."""
        self._client = client
        self._projects = projects
        self._beside = beside
        self._loaded = loaded
        self._judged = judged
        # All by the file's identity.
        self._told: dict[str, int] = {}
        self._known: dict[str, tuple[Json, Json]] = {}  # failure and generation, as the host told them last
        self._items: dict[str, dict[int, tuple[Finding, Kept]]] = {}  # what was told of findings, by their object
        self._judgements: dict[str, Sequence[Finding]] = {}  # the findings that were told
        self._differences: dict[str, tuple[Document, list[Finding]]] = {}

    def root(self, document: Document) -> str:
        """The project folder of a tools file."""
        project = self._projects.get(document.identity)
        return project.root if project is not None else of_file(document.identity).root

    def number(self, identity: str) -> int:
        """How often another thing was told of the same text."""
        return self._told.get(identity, 0)

    def load_ended(self, identity: str, root: str, newest: Callable[[], Analysis | None]) -> bool:
        """The host told how a load ended; whether another thing is to be said of the file now."""
        told = self._loaded(root)
        failure, generation = told.get("failure"), told.get("generation")
        failed, loaded = self._known.get(identity, (None, None))
        if (failure, generation) == (failed, loaded):
            return False
        self._known[identity] = (failure, generation)
        analysis = newest()
        before = self._found(analysis)
        self._differences.pop(identity, None)
        if analysis is not None and told.get("state") == "loaded" and told.get("fileDigest") is not None:
            self._compare(analysis, told)
        if failure == failed and before == self._found(analysis):
            return False
        self._told[identity] = self.number(identity) + 1
        return True

    def _compare(self, analysis: Analysis, told: dict[str, Json]) -> None:
        """Finds where the loaded file gives other tools than its text shows, if it still is that text."""
        import hashlib  # not at the start: nothing is loaded then

        document = analysis.document
        text = document.text.encode("utf-8", "surrogatepass")
        if hashlib.sha256(text).hexdigest() == told["fileDigest"]:
            from adal_ls import lint
            from adal_ls.lint.differences import differences

            tools, left_out = told.get("tools", []), told.get("leftOut", [])
            found = differences(analysis.file, analysis.findings, tools, left_out)
            allowed = lint.let_through(found, lint.Lines(document.text), analysis.config)
            self._differences[document.identity] = (document, allowed)

    def _found(self, analysis: Analysis | None) -> list[Finding]:
        """The differences of a text; none of another one than was loaded."""
        if analysis is None:
            return []
        compared, differences = self._differences.get(analysis.document.identity, (None, []))
        if compared is None or not differences:
            return []
        same = compared is analysis.document or compared.text == analysis.document.text  # it was opened since
        return differences if same else []

    def judged_anew(self, identity: str, analysis: Analysis | None) -> bool:
        """The Python that runs the tools may say another thing of a file; whether it does."""
        before = self._judgements.get(identity)
        if analysis is None or before is None or [*before] == [*self._judge(analysis)]:
            return False
        self._told[identity] = self.number(identity) + 1
        return True

    def _judge(self, analysis: Analysis) -> Sequence[Finding]:
        document = analysis.document
        return self._judged(self.root(document), document, analysis.findings) if analysis.sound else analysis.findings

    def of(self, analysis: Analysis) -> list[dict[str, Json]]:
        """The diagnostics of a tools file."""
        document = analysis.document
        findings = self._judgements[document.identity] = self._judge(analysis)
        items = self._kept_items(document, [*findings, *self._found(analysis)])
        return items + self._failed(analysis, document, items)

    def _kept_items(self, document: Document, findings: Sequence[Finding]) -> list[dict[str, Json]]:
        """As `said`. Lint gives the same object for what stands as it stood; what it says with other places may not."""
        known = self._items.get(document.identity, {})
        kept: dict[int, tuple[Finding, Kept]] = {}
        for finding in findings:
            before = known.get(id(finding))
            if before is None or finding.related:  # the line of a related place may be another one by now
                before = finding, Kept(to_lsp(document, finding, self._client))
            kept[id(finding)] = before
        self._items[document.identity] = kept
        return [item for _, item in kept.values()]

    def said(self, document: Document, findings: Sequence[Finding]) -> list[dict[str, Json]]:
        """The diagnostics of findings about a document."""
        return [to_lsp(document, finding, self._client) for finding in findings]

    def beside(self, analysis: Analysis) -> Iterator[tuple[Document, list[dict[str, Json]]]]:
        """The modules beside a tools file that something is said of: by lint, or by a load that failed in one."""
        blamed = (self._failure(analysis) or {}).get("location")
        elsewhere = uris.identity(blamed["uri"]) if blamed is not None else analysis.document.identity
        for document, findings in self._beside.shown(analysis.beside):
            said = [to_lsp(document, finding, self._client) for finding in findings]
            if document.identity == elsewhere:
                said += self._failed(analysis, document, said)
                elsewhere = analysis.document.identity
            yield document, said
        if elsewhere != analysis.document.identity and blamed is not None and not is_agents_file(blamed["uri"]):
            module = self._beside.document(blamed["uri"])
            if module is not None:
                yield module, self._failed(analysis, module, [])

    def _failure(self, analysis: Analysis) -> dict[str, Json] | None:
        failure: dict[str, Json] | None = self._loaded(self.root(analysis.document)).get("failure")
        return failure

    def _failed(self, analysis: Analysis, document: Document, items: list[dict[str, Json]]) -> list[dict[str, Json]]:
        """What `document` is told of a failed load: nothing where none failed, or the person wants to hear nothing."""
        failure = self._failure(analysis)
        # The same syntax error from both would show twice; lint's has the exact range and is the newer one.
        if failure is None or failure["code"] in {item["code"] for item in items if item["code"] == "ADAL001"}:
            return []
        found = load_failure(document, failure, self._client, analysis.config)
        return [] if found is None else [found]
