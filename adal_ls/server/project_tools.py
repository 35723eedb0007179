"""The tools of each project: what lint reads in the file, and in a trusted workspace what the host has loaded."""

from __future__ import annotations

from collections.abc import Callable

from adal_ls.protocol import methods
from adal_ls.server import tools
from adal_ls.server.capabilities import Client
from adal_ls.server.diagnostics.diagnostics import Diagnostics
from adal_ls.server.hosting.loads import Loads
from adal_ls.server.projects import Projects
from adal_ls.server.transport.rpc import Connection, Json
from adal_ls.workspace.projects import Project


class ProjectTools:
    """Tells the editor when a project's tools may be others, and lists them. Loads only what is trusted."""

    def __init__(
        self,
        editor: Connection,
        client: Client,
        projects: Projects,
        diagnostics: Diagnostics,
        loads: Loads,
        trusted: Callable[[], bool],
    ) -> None:
        self._editor = editor
        self._client = client
        self._projects = projects
        self._diagnostics = diagnostics
        self._loads = loads
        self._trusted = trusted
        self._builtins: list[Json] = []

    def found(self) -> None:
        """It is known for the first time which projects there are."""
        for project in self._projects:
            self._tell(project.root, 0)
        if self._trusted():
            self._loads.load_missing()

    def opened(self, project: Project, *, new: bool) -> None:
        """A project's file was opened; `new`: nobody knew of the project before."""
        if new and self._trusted():
            self._loads.load(project)

    def saved(self, project: Project) -> None:
        """A project's file was saved in the editor."""
        self._tell(project.root, self._generation(project))
        if self._trusted():
            self._loads.load(project)

    def changed_on_disk(self, project: Project) -> None:
        """A project's files appeared or changed without a save in the editor."""
        self._tell(project.root, self._generation(project))
        if self._trusted():
            self._loads.load_changed(project)

    def gone(self, project: Project) -> None:
        """A project's file went away."""
        self._loads.drop(project)
        self._diagnostics.load_told(project)
        self._tell(project.root, 0)

    def load_told(self, root: str, generation: int) -> None:
        """The host told how a load ended."""
        project = self._projects.by_root(root)
        if project is not None:
            self._diagnostics.load_told(project)
        self._tell(root, generation)

    def load_all(self) -> None:
        """Has all projects loaded anew, changed or not."""
        for project in self._projects:
            self._loads.load(project)

    def host_ready(self, builtins: Json) -> None:
        """A host was greeted; `builtins` are the tools of its own, which every project has."""
        self._builtins = builtins if isinstance(builtins, list) else []
        for project in self._projects:
            self._tell(project.root, self._generation(project))
        self._loads.load_missing()

    def listed(self, params: Json) -> dict[str, Json]:
        """The result of `adal/tools/list`."""
        wanted = params.get("projectRoot") if isinstance(params, dict) else None
        only = self._projects.by_root(wanted) if isinstance(wanted, str) else None
        listed = [only] if only is not None else [] if wanted is not None else list(self._projects)
        return {
            "projects": [
                tools.entry(
                    project,
                    self._diagnostics.of_project(project),
                    self._loads.of(project),
                    self._builtins,
                    self._client.encoding,
                )
                for project in listed
            ]
        }

    def _generation(self, project: Project) -> int:
        loaded = self._loads.of(project) or {}
        generation = loaded.get("generation", 0)
        return generation if isinstance(generation, int) else 0

    def _tell(self, root: str, generation: int) -> None:
        if self._client.adal_run_updates:
            self._editor.notify(methods.TOOLS_CHANGED, {"projectRoot": root, "generation": generation})
