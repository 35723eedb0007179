"""Whatever happens in whatever order: in the end a client shows what lint says of the text that counts, and no more.

In process: the service of the server, without its threads' timing, which the test chooses instead.
"""

from __future__ import annotations

import os
import random
import shutil
import time
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from adal_ls import lint
from adal_ls.server.diagnostics.diagnostic_items import to_lsp
from adal_ls.server.documents.documents import opened
from adal_ls.server.log import Log
from adal_ls.server.service import Service
from adal_ls.server.transport.inbox import Inbox
from adal_ls.server.transport.rpc import Connection
from adal_ls.server.transport.writer import Writer
from adal_ls.workspace import uris
from tests.server.conftest import BAD_NAME, GOOD

TEXTS = (GOOD, BAD_NAME, "", "def f(:\n", "CUSTOM_TOOLS = [missing]\n", GOOD + BAD_NAME, "# é😀\r\n" + BAD_NAME)
FILES = ("one/.adal/tools.py", "one/sub/.adal/tools.py", "two/.adal/tools.py")
WATCHING = {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}}
PULLING = {**WATCHING, "textDocument": {"diagnostic": {}}}


class World:
    """An editor, a disk, and a service between them. What has not been handled yet waits in `later`."""

    def __init__(self, root: Path, capabilities: dict[str, Any], seed: int) -> None:
        self.root = root
        self.chance = random.Random(seed)
        self.shown: dict[str, list[Any]] = {}  # as VS Code does: the last list of each URI, whatever its version
        self.versions: dict[str, int] = {}
        self.open: dict[str, str] = {}  # URI → text
        self.folders = {"one", "two"}
        self.reports: dict[str, tuple[str, list[Any]]] = {}  # pulled: normalised URI → result id, items
        self.answers: list[Any] = []
        self.later: list[Callable[[], None]] = []
        self.posted = Inbox()
        self.number = 0
        editor = Connection(self._sent)
        folders = [{"uri": (root / name).as_uri(), "name": name} for name in ("one", "two")]
        params = {"capabilities": capabilities, "workspaceFolders": folders}
        self.service = Service(editor, Writer(BytesIO(), "nobody"), self.posted, Log(editor), params, None)
        self.pulls = self.service.client.pull_diagnostics
        self._editor = editor
        self.tell("initialized", {})

    def _sent(self, message: dict[str, Any]) -> None:
        if message.get("method") == "textDocument/publishDiagnostics":
            assert not self.pulls, "pushed to a client that pulls"
            params = message["params"]
            self.shown[params["uri"]] = params["diagnostics"]
            if "version" in params:
                assert params["version"] >= self.versions.get(params["uri"], 0), "an older text after a newer one"
                self.versions[params["uri"]] = params["version"]
        elif "method" not in message:
            self.answers.append(message["result"])

    def tell(self, method: str, params: Any) -> None:
        self.service.notifications[method](params)
        self.service.catch_up(idle=lambda: self.chance.random() < 0.5)

    def ask(self, method: str, params: Any) -> Any:
        self._editor.owe("key")
        self.service.requests[method]("key", params)
        while not self.answers:
            more = self.service.catch_up(idle=lambda: True) is not None
            self.handle_posted(at_least=0 if more or self.answers else 1)
        return self.answers.pop()

    # What can happen

    def step(self) -> None:
        happening = self.chance.choice(
            (self.open_one, self.change, self.change, self.close, self.write, self.write, self.delete, self.rename,
             self.folder, self.configure, self.deliver, self.deliver, self.pull)
        )  # fmt: skip
        happening()
        if self.chance.random() < 0.5:
            self.handle_posted()

    def open_one(self) -> None:
        uri = self._uri()
        if uris.spelling(uri) not in {uris.spelling(known) for known in self.open}:
            self.number += 1
            self.open[uri] = self.chance.choice(TEXTS)
            item = {"uri": uri, "version": self.number, "languageId": "python", "text": self.open[uri]}
            self.tell("textDocument/didOpen", {"textDocument": item})

    def change(self) -> None:
        if self.open:
            uri = self.chance.choice(list(self.open))
            self.number += 1
            self.open[uri] = self.chance.choice(TEXTS)
            changes = [{"text": self.open[uri]}]
            document = {"uri": uri, "version": self.number}
            self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    def close(self) -> None:
        if self.open:
            uri = self.chance.choice(list(self.open))
            del self.open[uri]
            self.tell("textDocument/didClose", {"textDocument": {"uri": uri}})

    def write(self) -> None:
        file = self.root / self.chance.choice(FILES)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(self.chance.choice(TEXTS).encode())
        self._watched(file, 2)

    def delete(self) -> None:
        file = self.root / self.chance.choice(FILES)
        file.unlink(missing_ok=True)
        self._watched(file, 3)

    def rename(self) -> None:
        folder = (self.root / self.chance.choice(FILES)).parent
        away = folder.with_name(".adal2")
        source, target = (away, folder) if away.exists() else (folder, away)
        if source.exists() and not target.exists():
            source.rename(target)
            self._watched(folder, 3 if target is away else 1)

    def folder(self) -> None:
        name = self.chance.choice(("one", "two"))
        folder = [{"uri": (self.root / name).as_uri(), "name": name}]
        kind = "removed" if name in self.folders else "added"
        self.folders ^= {name}
        self.tell("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": [], kind: folder}})

    def configure(self) -> None:
        settings = {"adal": {"lint": {"ignore": self.chance.choice(([], ["ADAL2"], ["ADAL4"]))}}}
        self.tell("workspace/didChangeConfiguration", {"settings": settings})

    def deliver(self) -> None:
        """One of the events about files that are on their way."""
        if self.later:
            self.later.pop(0)()

    def pull(self) -> None:
        if not self.pulls:
            return
        for uri in self.open:
            known = self.reports.get(uris.spelling(uri))
            params: dict[str, Any] = {"textDocument": {"uri": uri}}
            if known is not None:
                params["previousResultId"] = known[0]
            self._take(uri, self.ask("textDocument/diagnostic", params))
        by_document = {uris.spelling(uri) for uri in self.open}
        previous = [{"uri": uri, "value": known[0]} for uri, known in self.reports.items() if uri not in by_document]
        for report in self.ask("workspace/diagnostic", {"previousResultIds": previous})["items"]:
            self._take(report["uri"], report)

    def _take(self, uri: str, report: dict[str, Any]) -> None:
        uri = uris.spelling(uri)
        if report["kind"] == "full":
            self.reports[uri] = (report.get("resultId", "none"), report["items"])
        else:
            assert report["resultId"] == self.reports[uri][0]

    def _uri(self) -> str:
        uri = (self.root / self.chance.choice(FILES)).as_uri()
        return uri.replace("/.adal/", "/%2Eadal/") if self.chance.random() < 0.3 else uri

    def _watched(self, path: Path, kind: int) -> None:
        changes = [{"uri": path.as_uri(), "type": kind}]
        self.later.append(lambda: self.tell("workspace/didChangeWatchedFiles", {"changes": changes}))

    def handle_posted(self, *, at_least: int = 0) -> None:
        while at_least > 0 or not self.posted.empty():
            call = self.posted.get()
            assert callable(call)
            call()
            at_least -= 1

    # In the end

    def settle(self) -> None:
        while self.later:
            self.deliver()
        deadline = time.monotonic() + 10
        while self.service._files._searching or not self.posted.empty():
            assert time.monotonic() < deadline
            self.handle_posted()
            time.sleep(0.001)
        while self.service.catch_up(idle=lambda: True) is not None:
            pass
        self.pull()

    def expected(self) -> dict[str, list[Any]]:
        """Real path → what must be shown for the file."""
        out: dict[str, list[Any]] = {}
        for name in FILES:
            file = self.root / name
            identity = os.path.realpath(file)
            texts = [text for uri, text in self.open.items() if uris.identity(uri) == identity]
            if not texts and file.exists() and name.partition("/")[0] in self.folders:
                texts = [file.read_bytes().decode()]
            if texts:
                config = self.service._configuration.lint(str(file.parent.parent))
                document = opened(file.as_uri(), None, texts[0])
                findings = lint.check(lint.read(texts[0]), config)
                out[identity] = [to_lsp(document, finding, self.service.client) for finding in findings]
        return {identity: items for identity, items in out.items() if items}

    def seen(self) -> dict[str, list[Any]]:
        shown = {uri: items for uri, (_, items) in self.reports.items()} if self.pulls else self.shown
        out: dict[str, list[Any]] = {}
        for uri, items in shown.items():
            if items:
                assert uris.identity(uri) not in out, "one file under two URIs"
                out[uris.identity(uri)] = items
        return out


@pytest.mark.parametrize("kind", ["push", "pull"])
@pytest.mark.parametrize("seed", range(15))
def test_in_the_end_a_client_shows_what_counts(
    tmp_path: Path, seed: int, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if seed % 2:  # every text is as one that takes long to read
        monkeypatch.setattr("adal_ls.server.diagnostics.openings.SLICE", 0.0)
    for name in FILES[:2]:
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(BAD_NAME)
    world = World(tmp_path, PULLING if kind == "pull" else WATCHING, seed)
    (tmp_path / "two").mkdir(exist_ok=True)
    for _ in range(4):
        for _ in range(15):
            world.step()
        world.settle()
        assert world.seen() == world.expected()
    shutil.rmtree(tmp_path / "one")
    world._watched(tmp_path / "one", 3)
    world.settle()
    assert world.seen() == world.expected()
