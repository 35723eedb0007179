"""The projects that the server knows, and which of them a request means."""

from __future__ import annotations

import os
from collections.abc import Iterator

from adal_ls.server.transport.rpc import REQUEST_FAILED, Json, RpcError
from adal_ls.workspace import uris
from adal_ls.workspace.projects import Project


def folders(params: Json) -> list[str]:
    """The workspace folders of `initialize`, as paths; an older client has `rootUri` or `rootPath` only."""
    given = params.get("workspaceFolders")
    if isinstance(given, list):
        return [path for entry in given if (path := folder_path(entry)) is not None]
    for uri in (params.get("rootUri"), params.get("rootPath")):
        if isinstance(uri, str) and uri:
            path = uris.to_path(uri) if uri[:5].lower() == "file:" else uri
            return [path] if path else []
    return []


def folder_path(entry: Json) -> str | None:
    """The path of one `WorkspaceFolder`; None for folders that are not on this machine's disk."""
    uri = entry.get("uri") if isinstance(entry, dict) else None
    path = uris.to_path(uri) if isinstance(uri, str) else None
    return path.rstrip(os.sep) or os.sep if path else None


class Projects:
    """The known projects, and which of them a request means."""

    def __init__(self) -> None:
        self.folders: list[str] = []
        self._known: dict[str, Project] = {}

    def __iter__(self) -> Iterator[Project]:
        return iter(sorted(self._known.values(), key=lambda project: project.root))

    def get(self, identity: str) -> Project | None:
        return self._known.get(identity)

    def add(self, project: Project) -> bool:
        """Notes a project; the spelling noted first stays. Whether it was new."""
        if project.identity in self._known:
            return False
        self._known[project.identity] = project
        return True

    def drop(self, identity: str) -> None:
        self._known.pop(identity, None)

    def by_root(self, root: str) -> Project | None:
        wanted = uris.real(root)
        return next((project for project in self if uris.real(project.root) == wanted), None)

    def in_folders(self, path: str) -> bool:
        """Whether `path` lies in a workspace folder: only those are what a person trusted."""
        wanted = uris.real(path)
        return any(_inside(wanted, uris.real(folder)) for folder in self.folders)

    def root_for(self, given: Json) -> str:
        """The project folder a run works in. `given` is the request's `projectRoot`, None where it has none.

        Without a project the workspace folder itself is meant: built-in tools work there.

        Raises:
            RpcError: the folder is not part of the workspace, or which one is meant is not clear.
        """
        if given is not None:
            if not isinstance(given, str) or not os.path.isabs(given):
                raise RpcError(REQUEST_FAILED, "projectRoot must be the absolute path of a project folder")
            if not self.in_folders(given):
                raise RpcError(REQUEST_FAILED, f"projectRoot {given} is not in a folder of this workspace")
            return given
        roots = [project.root for project in self if self.in_folders(project.root)] or self.folders
        if not roots:
            raise RpcError(REQUEST_FAILED, "no folder is open: open one, or send projectRoot")
        if len(roots) > 1:
            raise RpcError(REQUEST_FAILED, f"several projects, send projectRoot: {', '.join(roots)}")
        return roots[0]


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
