"""What the server does after `initialize`: the parts, wired, and the tables of what each message reaches."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import cached_property, partial

from adal_ls.protocol import methods
from adal_ls.server import capabilities, projects, settings
from adal_ls.server.commands import Commands
from adal_ls.server.configuration import Configuration
from adal_ls.server.diagnostics.analysis import Analysis
from adal_ls.server.diagnostics.diagnostics import Diagnostics
from adal_ls.server.diagnostics.syntax import SyntaxJudges
from adal_ls.server.diagnostics.workspace_lint import WorkspaceLint
from adal_ls.server.documents.documents import Document, Documents
from adal_ls.server.documents.snapshot import Snapshot
from adal_ls.server.documents.sync import TextSync, field
from adal_ls.server.files import Files
from adal_ls.server.held_back import HeldBack, Request, uri_of
from adal_ls.server.hosting.agents import Agents
from adal_ls.server.hosting.fallback import PlainFace
from adal_ls.server.hosting.host import Host, command_line
from adal_ls.server.hosting.loads import Loads
from adal_ls.server.hosting.runs import FORWARDED, AdalFace, Face, Runs
from adal_ls.server.log import Log
from adal_ls.server.progress import Progress
from adal_ls.server.project_tools import ProjectTools
from adal_ls.server.settings import Settings
from adal_ls.server.status import StatusReport
from adal_ls.server.transport.inbox import Inbox
from adal_ls.server.transport.rpc import REQUEST_FAILED, Connection, Id, Json, RpcError
from adal_ls.server.transport.writer import Writer
from adal_ls.server.typed_requests import BRIEFLY, TypedRequests
from adal_ls.version import __version__
from adal_ls.workspace import uris

Notification = Callable[[Json], None]


class Service:
    """One editor, initialized. All methods are for the main thread."""

    def __init__(
        self,
        editor: Connection,
        writer: Writer,
        inbox: Inbox,
        log: Log,
        params: dict[str, Json],
        host_command: Sequence[str] | None,
    ) -> None:
        """`params` are those of `initialize`; `host_command` replaces the command line of the agent host."""
        options = params.get("initializationOptions")
        self._editor = editor
        post = inbox.post
        self._send_droppable = lambda message: writer.send(message, droppable=True)
        self._log = log
        self._trusted = settings.trusted(options)
        self._unsandboxed = settings.allows_unsandboxed_bash(options)
        self.client = capabilities.read(params.get("capabilities"))
        self._configuration = Configuration(
            editor, log, options, asks=self.client.asks_configuration, changed=self._settings_changed
        )
        self._projects = projects.Projects()
        self._projects.folders = projects.folders(params)
        self._documents = Documents()
        self._tokens = itertools.count(1)
        self._status = StatusReport(
            editor,
            post,
            wanted=self.client.adal_run_updates,
            progress=self._progress if self.client.work_done_progress else None,
        )
        self._judges = SyntaxJudges(
            post,
            log,
            trusted=lambda: self._trusted,
            setting=lambda: self._configuration.settings.host.get("interpreter"),
            otherwise=settings.host_python(options),
            told=lambda identity: self._diagnostics.judged_anew(identity),
        )
        self._diagnostics = Diagnostics(
            editor,
            self.client,
            self._documents,
            self._projects,
            self._configuration.lint,
            lambda root: self._loads.at(root),
            self._judges.judged,
        )
        self._lint = WorkspaceLint(
            editor, post, self._diagnostics.check_disk, self._status, eager=not self.client.pull_diagnostics
        )
        if host_command is None and (python := settings.host_python(options)) is not None:
            host_command = command_line(python)
        self.host = Host(post, self._greeting, host_command)
        self._loads = Loads(
            self.host,
            self._projects,
            self._status,
            log,
            lambda root, generation: self._tools.load_told(root, generation),
        )
        self._tools = ProjectTools(
            editor, self.client, self._projects, self._diagnostics, self._loads, lambda: self._trusted
        )
        self._agents = Agents(editor, self.client, self.host, self._projects, lambda: self._trusted)
        self._files = Files(
            editor,
            self.client,
            self._projects,
            self._diagnostics,
            self._lint,
            post,
            changed=self._tools.changed_on_disk,
            gone=self._tools.gone,
            configured=self._lint_configured,
        )
        self._sync = TextSync(
            self._documents,
            self._diagnostics,
            self.client.encoding,
            opened=self._document_opened,
            saved=self._document_saved,
            closed=lambda document: self._files.closed(document.uri),
        )
        self.host.on_ready = self._host_ready
        self.host.on_gone = self._host_gone
        self.host.on_notification[methods.HOST_CHANGED] = self._files.told_by_host
        self._held_back = HeldBack(editor, self._files, self._lint, self._diagnostics, log)
        plain = PlainFace(editor, self.client, self._send_droppable)
        face: Face = AdalFace(editor, self.client) if self.client.adal_approval else plain
        self._runs = Runs(editor, self.host, self._projects, face, lambda: self._trusted)
        plain.fetch_arguments = self._runs.arguments
        self._commands = Commands(editor, self._runs, plain)
        self._typed = TypedRequests(
            editor, writer, inbox, log, params, self._snapshot, lambda: self._diagnostics.is_reading
        )

    @cached_property
    def requests(self) -> dict[str, Request]:
        """Method → what answers it, now or later. Whatever it raises as `RpcError` is the answer."""
        found, linted = self._held_back.until_found, self._held_back.until_linted
        table: dict[str, Request] = {
            "workspace/diagnostic": linted(
                lambda key, params: self._editor.answer(key, self._diagnostics.pull_workspace(params))
            ),
            "workspace/executeCommand": found(self._commands.execute),
            methods.TOOLS_LIST: linted(lambda key, params: self._editor.answer(key, self._tools.listed(params))),
            methods.TOOLS_RELOAD: found(self._reload_tools),
            methods.TOOLS_TRY: found(self._runs.try_tool),
            methods.AGENTS_LIST: found(self._agents.list),
            methods.AGENTS_CONTEXT_FORM: found(self._agents.context_form),
            methods.RUN_START: found(self._runs.start),
        }
        for method in (methods.RUN_PROMPT, methods.RUN_RESUME):
            table[method] = found(partial(self._take_up, method))
        for method in FORWARDED:
            table[method] = self._forwarding(method)
        read = self._held_back.until_read
        table["textDocument/diagnostic"] = read("textDocument/diagnostic", self._pull)
        for method in capabilities.TYPED_METHODS:
            table[method] = read(method, self._typed.answering(method))
        table["workspace/symbol"] = linted(table["workspace/symbol"])
        return table

    @cached_property
    def notifications(self) -> dict[str, Notification]:
        """Method → what hears it. Others are ignored, as LSP wants it for `$/…` and as is best for the rest."""
        return {
            "initialized": lambda _: self._initialized(),
            "textDocument/didOpen": self._sync.did_open,
            "textDocument/didChange": self._sync.did_change,
            "textDocument/didSave": self._sync.did_save,
            "textDocument/didClose": self._sync.did_close,
            "workspace/didChangeWatchedFiles": self._files.did_change_watched,
            "workspace/didChangeWorkspaceFolders": self._folders_changed,
            "workspace/didChangeConfiguration": self._configuration.did_change,
            "$/setTrace": lambda params: self._log.set_trace(params.get("value") if isinstance(params, dict) else None),
            "window/workDoneProgress/cancel": self._commands.progress_cancelled,
            methods.TRUST_CHANGED: self._trust_changed,
            methods.RUN_WARM: self._runs.warm,
        }

    @property
    def initialize_result(self) -> dict[str, Json]:
        return {
            "capabilities": capabilities.offer(self.client),
            "serverInfo": {"name": "adal-ls", "version": __version__},
        }

    def catch_up(self, *, idle: Callable[[], bool]) -> float | None:
        """After each message: does some of what may wait for a pause. `idle` says that no message is waiting.

        Returns the seconds after which to ask again, if nothing comes before. Somebody waits for the answer to a
        request, and it is worked out on a thread that shares this one's processor: diagnostics come after it.
        """

        def pause() -> bool:
            return idle() and not self._typed.briefly_busy

        if self._diagnostics.publish_due(idle=pause):
            return BRIEFLY
        return self._diagnostics.go_on(idle=pause)

    def foresee_cancel(self, key: Id) -> None:
        """Request `key` is going to be taken back. For the thread that reads."""
        self._typed.foresee_cancel(key)

    def end(self) -> None:
        """The session is over. Blocks until the host and what it started are gone (about a second at most)."""
        self._lint.stop()
        self._files.stop()
        self._typed.end()
        self.host.end()

    def _progress(self, title: str) -> Progress:
        token = f"adal-work-{next(self._tokens)}"
        return Progress(self._editor, self._send_droppable, token, title, cancellable=False)

    # Start, trust, settings

    def _initialized(self) -> None:
        self._configuration.ask()
        self._status.busy("finding projects", on=True)
        self._files.start(self._projects_found)

    def _projects_found(self) -> None:
        self._status.busy("finding projects", on=False)
        if any(self._projects):
            self._typed.load_soon()
        self._tools.found()

    def _trust_changed(self, params: Json) -> None:
        self._trusted = field(params, "trusted", bool)
        self._diagnostics.judge_again()
        if self._trusted:
            self._files.when_ready(self._loads.load_missing)
        else:
            self.host.dismiss("the workspace is no longer trusted")

    def _settings_changed(self, before: Settings, after: Settings) -> None:
        if after.lint != before.lint:
            self._check_all()
        if after.host.get("interpreter") != before.host.get("interpreter"):
            self._diagnostics.judge_again()
        if after.host != before.host:
            self._renew_host("the settings changed")

    def _folders_changed(self, params: Json) -> None:
        before = list(self._projects.folders)
        self._files.did_change_folders(params)
        if self._projects.folders != before:
            self._renew_host("the folders of the workspace changed")

    def _renew_host(self, reason: str) -> None:
        """Greets a new host with what holds now, as soon as no run needs the present one."""
        if self._runs.active:
            self._runs.when_idle(lambda: self._renew_host(reason))
        elif self.host.state != "absent":
            self.host.dismiss(reason)
            if self._trusted:
                self._files.when_ready(self._loads.load_missing)

    # Files and tools

    def _document_opened(self, document: Document) -> None:
        known = self._projects.get(document.identity)
        self._files.opened(document.uri)
        project = self._projects.get(document.identity)
        if project is not None:
            self._typed.load_soon()
            self._tools.opened(project, new=known is None)

    def _document_saved(self, document: Document) -> None:
        self._files.opened(document.uri)  # the save may have created the file
        project = self._projects.get(document.identity) or self._files.saved_agents(document.uri)
        if project is not None:
            self._tools.saved(project)

    def _lint_configured(self) -> None:
        self._configuration.forget_files()
        self._check_all()

    def _check_all(self) -> None:
        """Everything again, after a change of settings."""
        self._diagnostics.check_open()
        self._lint.add(project.identity for project in self._projects)
        self._diagnostics.refresh()

    def _reload_tools(self, key: Id, _params: Json) -> None:
        """Finds all projects and imports them anew. A person asked: also what an agent may have written is loaded."""
        if not self._trusted:
            raise RpcError(REQUEST_FAILED, "the tools are not imported before you trust this workspace")

        self._files.search_again(self._tools.load_all)
        self._editor.answer(key, {})

    # Host

    def _greeting(self) -> dict[str, Json]:
        unsandboxed: dict[str, Json] = {"allowUnsandboxedBash": True} if self._unsandboxed else {}
        return {
            "protocolVersion": methods.PROTOCOL_VERSION,
            "version": __version__,
            "trusted": self._trusted,
            "workspaceRoots": self._projects.folders,
            "settings": {**self._configuration.settings.host, **unsandboxed},
            "watch": not self.client.watches_files,
        }

    def _host_ready(self, result: dict[str, Json]) -> None:
        self._status.clear("host")
        if isinstance(result.get("python"), str):
            self._status.python(result["python"])
        self._tools.host_ready(result.get("tools"))
        for warning in result.get("warnings") or ():
            self._log.show_once(f"host warns: {warning}", warning)

    def _host_gone(self, reason: str, wanted: bool) -> None:
        self._loads.forget()
        self._runs.host_gone(reason)
        if self.host.state == "refused":
            self._status.trouble("host", "error", reason)
            self._log.show_once("host refused", reason)
        elif not wanted:
            self._log.write("warning", reason)

    # Requests

    def _snapshot(self, method: str, params: Json) -> Snapshot:
        uri = uri_of(method, params)
        analysis = None if uri is None else self._analysis(uri)
        if method == "workspace/symbol":
            found = [self._diagnostics.of_project(project) for project in self._projects]
            return Snapshot(self.client, None, projects=tuple(one for one in found if one is not None))
        return Snapshot(self.client, analysis, open=tuple(self._documents))

    def _analysis(self, uri: str) -> Analysis | None:
        self._lint.need(uris.identity(uri))
        return self._diagnostics.analysis(uri)

    def _pull(self, key: Id, params: Json) -> None:
        document = params.get("textDocument") if isinstance(params, dict) else None
        if isinstance(document, dict) and isinstance(document.get("uri"), str):
            self._lint.need(uris.identity(document["uri"]))
        self._editor.answer(key, self._diagnostics.pull(params))

    def _take_up(self, method: str, key: Id, params: Json) -> None:
        self._runs.take_up(key, method, params)

    def _forwarding(self, method: str) -> Request:
        return lambda key, params: self._runs.forward(key, method, params)
