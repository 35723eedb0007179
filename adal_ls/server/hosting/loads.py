"""Loading of trusted projects by the host, and what it told about them."""

from __future__ import annotations

import os
from collections.abc import Callable

from adal_ls.protocol import methods
from adal_ls.server.hosting.host import Host
from adal_ls.server.log import Log
from adal_ls.server.projects import Projects
from adal_ls.server.status import StatusReport
from adal_ls.server.transport.rpc import Answer, Json
from adal_ls.server.watch import Stamp, stamp
from adal_ls.workspace import uris
from adal_ls.workspace.projects import Project, holds_project

Stamps = dict[str, Stamp | None]


class Loads:
    """Asks the host to load projects and keeps its last word on each. `told` runs after every such word."""

    def __init__(
        self, host: Host, projects: Projects, status: StatusReport, log: Log, told: Callable[[str, int], None]
    ) -> None:
        self._host = host
        self._projects = projects
        self._status = status
        self._log = log
        self._told = told
        self._loaded: dict[str, dict[str, Json]] = {}
        self._in_flight: dict[str, int] = {}
        self._stamps: dict[str, Stamps] = {}  # what stood on disk when the project was last loaded
        host.on_notification[methods.HOST_PROJECT] = self._take

    def of(self, project: Project) -> dict[str, Json] | None:
        """What the host told last about a project (`Project` of the protocol); None if nothing, or it is gone."""
        return self._loaded.get(uris.real(project.root))

    def at(self, root: str) -> dict[str, Json]:
        """The same by the root; empty if nothing is known."""
        return self._loaded.get(uris.real(root), {}) if self._loaded else {}

    def load(self, project: Project, *, unsaved: bool = False) -> None:
        """Has a project loaded or reloaded. Only for trusted workspaces: it starts a host where there is none.

        A project whose file was never saved has nothing to load, and one outside the workspace folders is open by
        chance: nobody trusted it. `unsaved`: no save and no wish of a person is behind it, so the host imports nothing
        that an agent may have written.
        """
        if not holds_project(project.root) or not self._projects.in_folders(project.root):
            return
        root = uris.real(project.root)
        self._stamps[root] = _stamps(project)
        self._in_flight[root] = self._in_flight.get(root, 0) + 1
        self._status.busy("loading tools", on=True)

        def answered(answer: Answer) -> None:
            self._in_flight[root] -= 1
            if not self._in_flight[root]:
                del self._in_flight[root]
            self._status.busy("loading tools", on=bool(self._in_flight))
            if answer.error is None:
                self._take(answer.result)
            elif self._host.state == "ready":  # where the host is gone, that was told already
                self._log.write("warning", f"{project.file} was not loaded: {answer.error.message}")

        params: dict[str, Json] = {"projectRoot": project.root}
        if unsaved:
            params["unsaved"] = True
        self._host.ask(methods.HOST_LOAD, params, answered)

    def load_changed(self, project: Project) -> None:
        """Loads a project unless its files are those that were loaded last (a save tells of a change twice)."""
        if self._stamps.get(uris.real(project.root)) != _stamps(project):
            self.load(project, unsaved=True)

    def load_missing(self) -> None:
        """Loads every project that the present host was not asked to load."""
        for project in self._projects:
            root = uris.real(project.root)
            if root not in self._loaded and root not in self._in_flight:
                self.load(project, unsaved=True)  # that a folder is open is no wish for what an agent wrote in it

    def drop(self, project: Project) -> None:
        """A project's file is gone. Should the same come back, it is loaded again."""
        self._loaded.pop(uris.real(project.root), None)
        self._stamps.pop(uris.real(project.root), None)

    def forget(self) -> None:
        """The host is gone, and with it all that was loaded."""
        loaded, self._loaded = self._loaded, {}
        for project in loaded.values():
            self._told(project["root"], 0)

    def _take(self, params: Json) -> None:
        project = params.get("project") if isinstance(params, dict) else None
        if not isinstance(project, dict) or not isinstance(project.get("root"), str):
            self._log.write("error", "the agent host sent a project without a root")
            return
        root = uris.real(project["root"])
        if self._loaded.get(root) != project:
            self._loaded[root] = project
            self._told(project["root"], project.get("generation", 0))


def _stamps(project: Project) -> Stamps:
    """What tells two states of a project's Python files apart."""
    found: Stamps = {}
    for folder, folders, names in os.walk(os.path.dirname(project.file)):
        folders[:] = [name for name in folders if name != "__pycache__"]
        for name in names:
            if name.endswith(".py"):
                path = os.path.join(folder, name)
                found[path] = stamp(path)
    return found
