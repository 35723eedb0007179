"""The tools files on disk: found at start, followed afterwards."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator

from adal_ls.server.capabilities import Client
from adal_ls.server.diagnostics.diagnostics import Diagnostics
from adal_ls.server.diagnostics.workspace_lint import WorkspaceLint
from adal_ls.server.projects import Projects, folder_path
from adal_ls.server.transport.rpc import Connection, Json
from adal_ls.server.watch import FilePoll
from adal_ls.workspace import pyproject, uris
from adal_ls.workspace.projects import (
    AGENTS,
    FOLDER,
    TOOLS,
    Project,
    discover,
    holds_project,
    is_tools_file,
    of_file,
    of_folder,
)

_REGISTRATION = {
    "registrations": [
        {
            "id": "adal-files",
            "method": "workspace/didChangeWatchedFiles",
            "registerOptions": {
                "watchers": [
                    # Two globs: some clients do not match a folder by "/**".
                    *({"globPattern": glob} for glob in ("**/.adal/**", "**/.adal", f"**/{pyproject.NAME}")),
                    # A folder that comes or goes with its content is told by its own name alone, whatever is in it.
                    {"globPattern": "**/*", "kind": 1 | 4},
                ]
            },
        }
    ]
}


SETTLING = 1.0
"""Seconds after which a folder that appeared is looked into again: a checkout may still be filling it."""


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
        lint: WorkspaceLint,
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
        self._lint = lint
        self._post = post
        self._changed = changed
        self._gone = gone
        self._configured = configured
        self._searching = 0
        self._ready: list[Callable[[], None]] = []
        self._poll: FilePoll | None = None
        self._started = False
        self._complete = False

    def start(self, done: Callable[[], None]) -> None:
        """Finds the projects of all workspace folders, and begins to follow them. `done` is called once found."""
        self._started = True
        if self._client.watches_files:
            self._editor.request("client/registerCapability", _REGISTRATION, lambda _: None)
        else:
            look_at = self._look_at
            self._poll = FilePoll(self._followed, self._new_files, lambda paths: self._post(lambda: look_at(paths)))
            self._poll.start()
        self._ready.append(done)
        self._search(list(self._projects.folders))

    def stop(self) -> None:
        """The session is over."""
        if self._poll is not None:
            self._poll.stop()

    def search_again(self, done: Callable[[], None]) -> None:
        """Looks for projects anew, whatever anybody told of changes, and calls `done` after."""
        self._ready.append(done)
        self._look_at([project.file for project in self._projects])
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

    def saved_agents(self, uri: str) -> Project | None:
        """The project whose agents file was saved in the editor; None for any other file."""
        path = uris.to_path(uri)
        if path is None or os.path.basename(path) != AGENTS or not _project_at(path):
            return None
        found = of_folder(_project_at(path)[0])
        if not self._projects.in_folders(found.root):
            return None
        self._projects.add(found)
        return self._projects.get(found.identity)

    def closed(self, uri: str) -> None:
        """A document was closed; outside the workspace folders, or never saved, it was a project only while open."""
        project = self._projects.get(uris.identity(uri))
        if project is None:
            return
        if not self._projects.in_folders(project.root) or not holds_project(project.root):
            self._projects.drop(project.identity)
            self._gone(project)

    def did_change_watched(self, params: Json) -> None:
        """`workspace/didChangeWatchedFiles`. What happened is not believed: the disk is asked."""
        given = [change.get("uri") for change in _entries(params, "changes")]
        self._look_at([path for uri in given if isinstance(uri, str) and (path := uris.to_path(uri)) is not None])

    def told_by_host(self, params: Json) -> None:
        """`adal/host/changed`: the host watches the folders of loaded projects where the client cannot."""
        given = params.get("paths") if isinstance(params, dict) else None
        paths = [path for path in given if isinstance(path, str)] if isinstance(given, list) else []
        if self._poll is not None:
            self._poll.seen(paths)
        self._look_at(paths)

    def did_change_folders(self, params: Json) -> None:
        """`workspace/didChangeWorkspaceFolders`."""
        event = params.get("event") if isinstance(params, dict) else None
        for folder in [path for entry in _entries(event, "removed") if (path := folder_path(entry)) is not None]:
            self._projects.folders = [kept for kept in self._projects.folders if uris.real(kept) != uris.real(folder)]
        for project in list(self._projects):
            if not self._projects.in_folders(project.root) and not self._diagnostics.is_open(project.identity):
                self._drop(project)
        added = [path for entry in _entries(event, "added") if (path := folder_path(entry)) is not None]
        self._projects.folders += added
        self._search(added)

    def _search(self, folders: list[str]) -> None:
        """Finds the projects in `folders` on a thread; requests that need all projects wait for it."""
        first = not self._complete
        self._searching += 1

        def run() -> None:
            found = [project for folder in folders for project in discover(folder)]
            self._post(lambda: self._found(found, first=first))

        threading.Thread(target=run, name="find projects", daemon=True).start()

    def _found(self, projects: list[Project], *, first: bool) -> None:
        self._searching -= 1
        self._complete = self._complete or not self._searching
        self._take(projects, first=first)
        if not self._searching:
            ready, self._ready = self._ready, []
            for action in ready:
                self._post(action)  # each on its own: a fault in one must not leave the others' requests unanswered

    def _take(self, projects: list[Project], *, first: bool = False) -> None:
        """Notes projects that were found. Of the first ones at start `done` tells."""
        added = [
            project for project in projects if self._projects.in_folders(project.root) and self._projects.add(project)
        ]
        for project in added:
            if self._poll is not None:
                self._poll.note(_files_of(project.root))
            self._lint.add([project.identity])
            if not first:
                self._changed(project)
        if added or first:
            self._diagnostics.refresh()

    def _look_into(self, folders: list[str]) -> None:
        """Folders that appeared: what is in them was told by nobody."""

        def run() -> None:
            for pause in (0.0, SETTLING):
                time.sleep(pause)
                found = [project for folder in folders for project in discover(folder)]
                if found:
                    self._post(lambda found=found: self._take(found))  # type: ignore[misc]

        threading.Thread(target=run, name="look into new folders", daemon=True).start()

    def _look_at(self, paths: list[str]) -> None:
        """Something happened at these paths: a file, a folder, or a folder above a project."""
        if any(os.path.basename(path) == pyproject.NAME for path in paths):
            self._configured()
        affected: dict[str, Project] = {}
        appeared: list[str] = []
        for path in paths:
            if ".adal" not in path.split(os.sep) and os.path.lexists(path):
                if not os.path.isdir(path):
                    continue  # any new file in the workspace is told: most end here
                appeared.append(path)
            for root in _project_at(path):
                found = of_folder(root)
                if self._projects.in_folders(found.root):
                    affected.setdefault(found.identity, found)
            real = uris.real(path)
            for project in self._projects:
                folder = os.path.dirname(project.identity)
                inside = real.startswith(folder + os.sep) and real.endswith(".py")
                if inside or project.identity.startswith(real.rstrip(os.sep) + os.sep):
                    affected[project.identity] = project
        if appeared:
            self._look_into(appeared)
        for project in affected.values():
            self._look_at_project(project)
        if affected:
            self._diagnostics.refresh()

    def _look_at_project(self, project: Project) -> None:
        known = self._projects.get(project.identity)
        if holds_project(project.root):
            self._projects.add(project)
            self._lint.add([project.identity])
            self._changed(known or project)
        elif known is not None:
            self._drop(known)

    def _drop(self, project: Project) -> None:
        identity = project.identity
        self._projects.drop(identity)
        self._lint.settled(identity)
        self._diagnostics.check_disk(identity)
        self._gone(project)

    def _followed(self) -> list[str]:
        """What a client without a watcher has looked at every second. On the thread that looks."""
        roots = {*self._projects.folders, *(project.root for project in self._projects)}
        files = [path for root in roots for path in _files_of(root)]
        return [*files, *{path for root in roots for path in pyproject.candidates(root)}]

    def _new_files(self) -> list[str]:
        """Tools files in the folders that are not known. On the thread that looks."""
        found = [project for folder in list(self._projects.folders) for project in discover(folder)]
        return [project.file for project in found if self._projects.get(project.identity) is None]


def _entries(params: Json, name: str) -> list[dict[str, Json]]:
    """The objects in the list `params[name]`; what else a client puts there is passed over."""
    given = params.get(name) if isinstance(params, dict) else None
    return [entry for entry in given if isinstance(entry, dict)] if isinstance(given, list) else []


def _files_of(root: str) -> Iterator[str]:
    """A project's Python files, and their folders, which change as files come and go."""
    yield from (os.path.join(root, FOLDER, name) for name in (TOOLS, AGENTS))
    for folder, folders, names in os.walk(os.path.join(root, ".adal")):
        folders[:] = [name for name in folders if name != "__pycache__"]
        yield folder
        yield from (os.path.join(folder, name) for name in names if name.endswith(".py"))


def _project_at(path: str) -> list[str]:
    """The folder of the project whose tools or agents file a path is, or whose `.adal` folder."""
    folder, name = os.path.split(path)
    if name in (TOOLS, AGENTS) and os.path.basename(folder) == FOLDER:
        return [os.path.dirname(folder)]
    return [folder] if name == FOLDER else []
