"""The tools files on disk: found at start, followed afterwards."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

from adal_ls.server import pyproject, uris
from adal_ls.server.capabilities import Client
from adal_ls.server.diagnostics import Diagnostics
from adal_ls.server.projects import Project, Projects, discover, folder_path, is_tools_file, of_file
from adal_ls.server.rpc import Connection, Json
from adal_ls.server.watch import FilePoll

_REGISTRATION = {
    "registrations": [
        {
            "id": "adal-files",
            "method": "workspace/didChangeWatchedFiles",
            # Two globs: some clients do not match a folder by "/**".
            "registerOptions": {
                "watchers": [{"globPattern": glob} for glob in ("**/.adal/**", "**/.adal", f"**/{pyproject.NAME}")]
            },
        }
    ]
}


class Files:
    """Keeps `projects` and the diagnostics of files that are not open in line with the disk.

    `changed` is called with a project whose tools file appeared or changed without a save in the editor, and with one
    whose modules beside it did; `gone` with one whose file went away; `configured` when a pyproject.toml changed.
    """

    def __init__(
        self,
        editor: Connection,
        client: Client,
        projects: Projects,
        diagnostics: Diagnostics,
        post: Callable[[Callable[[], None]], None],
        *,
        changed: Callable[[Project], None],
        gone: Callable[[Project], None],
        configured: Callable[[], None],
    ) -> None:
        self._editor = editor
        self._client = client
        self._projects = projects
        self._diagnostics = diagnostics
        self._post = post
        self._changed = changed
        self._gone = gone
        self._configured = configured
        self._searching = 0
        self._ready: list[Callable[[], None]] = []
        self._started = False

    def start(self, done: Callable[[], None]) -> None:
        """Finds the projects of all workspace folders, and begins to follow them. `done` is called once found."""
        self._started = True
        if self._client.watches_files:
            self._editor.request("client/registerCapability", _REGISTRATION, lambda _: None)
        else:
            FilePoll(self._followed, lambda paths: self._post(lambda: self._look_at(paths))).start()
        self._ready.append(done)
        self._search(list(self._projects.folders))

    def when_ready(self, action: Callable[[], None]) -> None:
        """Runs `action` now, or as soon as the projects are known."""
        if self._started and not self._searching:
            action()
        else:
            self._ready.append(action)

    def opened(self, uri: str) -> None:
        """A document was opened: one outside the workspace folders, or not saved yet, is a project as well."""
        path = uris.to_path(uri)
        if path is not None and is_tools_file(uri):
            self._projects.add(of_file(path, uri))

    def closed(self, uri: str) -> None:
        """A document was closed; outside the workspace folders, or never saved, it was a project only while open."""
        project = self._projects.get(uris.identity(uri))
        if project is None:
            return
        if not self._projects.in_folders(project.root) or not os.path.lexists(project.file):
            self._projects.drop(project.identity)
            self._gone(project)

    def did_change_watched(self, params: Json) -> None:
        """`workspace/didChangeWatchedFiles`. What happened is not believed: the disk is asked."""
        changes = params.get("changes") if isinstance(params, dict) else None
        given = [change.get("uri") for change in changes or () if isinstance(change, dict)]
        self._look_at([path for uri in given if isinstance(uri, str) and (path := uris.to_path(uri)) is not None])

    def did_change_folders(self, params: Json) -> None:
        """`workspace/didChangeWorkspaceFolders`."""
        event = params.get("event") if isinstance(params, dict) else None
        event = event if isinstance(event, dict) else {}
        for folder in [path for entry in event.get("removed") or () if (path := folder_path(entry)) is not None]:
            self._projects.folders = [kept for kept in self._projects.folders if uris.real(kept) != uris.real(folder)]
        for project in list(self._projects):
            if not self._projects.in_folders(project.root):
                self._drop(project)
        added = [path for entry in event.get("added") or () if (path := folder_path(entry)) is not None]
        self._projects.folders += added
        self._search(added)

    def _search(self, folders: list[str]) -> None:
        self._searching += 1

        def run() -> None:
            found = [project for folder in folders for project in discover(folder)]
            self._post(lambda: self._found(found))

        threading.Thread(target=run, name="find projects", daemon=True).start()

    def _found(self, projects: list[Project]) -> None:
        self._searching -= 1
        added = [project for project in projects if self._projects.add(project)]
        if not self._searching:
            ready, self._ready = self._ready, []
            for action in ready:
                self._post(action)  # each on its own: a fault in one must not leave the others' requests unanswered
        for project in added:
            self._diagnostics.check_disk(project.identity)
        self._diagnostics.refresh()

    def _look_at(self, paths: list[str]) -> None:
        """Something happened at these paths: a file, a folder, or a folder above a project."""
        if any(os.path.basename(path) == pyproject.NAME for path in paths):
            self._configured()
        affected: dict[str, Project] = {}
        for path in paths:
            for file in _tools_files_at(path):
                found = of_file(file)
                if self._projects.in_folders(found.root):
                    affected.setdefault(found.identity, found)
            real = uris.real(path)
            for project in self._projects:
                folder = os.path.dirname(project.identity)
                inside = real.startswith(folder + os.sep) and real.endswith(".py")
                if inside or project.identity.startswith(real.rstrip(os.sep) + os.sep):
                    affected[project.identity] = project
        for project in affected.values():
            self._look_at_project(project)
        if affected:
            self._diagnostics.refresh()

    def _look_at_project(self, project: Project) -> None:
        known = self._projects.get(project.identity)
        if os.path.lexists(project.file):
            self._projects.add(project)
            self._diagnostics.check_disk(project.identity)
            self._changed(known or project)
        elif known is not None:
            self._drop(known)

    def _drop(self, project: Project) -> None:
        identity = project.identity
        self._projects.drop(identity)
        self._diagnostics.check_disk(identity)
        self._gone(project)

    def _followed(self) -> list[str]:
        roots = {*self._projects.folders, *(project.root for project in list(self._projects))}
        tools = [os.path.join(root, ".adal", "tools.py") for root in roots]
        return [*tools, *{path for root in roots for path in pyproject.candidates(root)}]


def _tools_files_at(path: str) -> list[str]:
    """The tools file a path is, or that stands in it."""
    if os.path.basename(path) == "tools.py" and os.path.basename(os.path.dirname(path)) == ".adal":
        return [path]
    if os.path.basename(path) == ".adal":
        return [os.path.join(path, "tools.py")]
    return [project.file for project in discover(path)] if os.path.isdir(path) else []
