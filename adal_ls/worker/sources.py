"""Importing a project's own modules: from source bytes only, each noted with its digest. In the worker.

A `.pyc` of the project is neither read nor written: a stale one must not win, and what is approved are the bytes that
run.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Iterable
from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES, ExtensionFileLoader, FileFinder, SourceFileLoader
from pathlib import Path
from types import CodeType

_FOREIGN = ("site-packages", "dist-packages")


class Sources:
    """Which files belong to the project in `root`, and the digests of those that were run."""

    def __init__(self, root: str) -> None:
        self.root = _absolute(root)
        self.digests: dict[str, str] = {}
        self._loaded_at: float | None = None
        self._before = frozenset(sys.modules)
        # An environment inside the project folder (.venv) is not the project's code.
        self._foreign = [
            os.path.realpath(prefix)
            for prefix in {sys.prefix, sys.base_prefix, sys.exec_prefix}
            if not _inside(os.path.realpath(self.root), os.path.realpath(prefix))
        ]

    def owns(self, path: str) -> bool:
        if path.startswith("<"):  # code made from text, such as "<string>"
            return False
        path = _absolute(path)
        if not _inside(path, self.root) or any(part in _FOREIGN for part in Path(path).parts):
            return False
        return not any(_inside(os.path.realpath(path), prefix) for prefix in self._foreign)

    def note(self, path: str, content: bytes) -> None:
        self.digests[self._relative(path)] = hashlib.sha256(content).hexdigest()

    def check(self, path: str, content: bytes) -> None:
        """What a tool imports only when it is called must be what stood there when the tools were loaded and approved.

        Raises:
            ImportError: the file has changed since.
        """
        if self._loaded_at is None:
            return
        known = self.digests.get(self._relative(path))
        status = os.stat(path)  # noqa: PTH116
        # No program can set the time of the last change of a file's status; on Windows it is that of its creation.
        changed = max(status.st_ctime, status.st_mtime) > self._loaded_at
        if changed if known is None else known != hashlib.sha256(content).hexdigest():
            raise ImportError(
                f"{self._relative(path)} has changed since the tools were loaded; load them again", path=path
            )

    def note_loaded(self) -> None:
        """The tools are loaded: notes files behind modules that came another way (extension modules, user loaders)."""
        self._loaded_at = time.time()
        for name, module in list(sys.modules.items()):
            path = None if name in self._before else getattr(module, "__file__", None)
            if isinstance(path, str) and self.owns(path):
                self._note_file(path)

    def _note_file(self, path: str) -> None:
        if self._relative(path) not in self.digests and Path(path).is_file():
            self.note(path, Path(path).read_bytes())

    def _relative(self, path: str) -> str:
        return Path(_absolute(path)).relative_to(self.root).as_posix()

    def install(self, folders: Iterable[str]) -> None:
        """Makes imports of project files go through here, and appends `folders` to the search path.

        Last, so that a file named like a module of the standard library shadows nothing.
        """
        loader = project_loader(self)

        def hook(path: str) -> FileFinder:
            if not self.owns(path):
                raise ImportError(path)
            return FileFinder(path, (ExtensionFileLoader, EXTENSION_SUFFIXES), (loader, SOURCE_SUFFIXES))

        sys.path_hooks.insert(0, hook)
        for path in [path for path in sys.path_importer_cache if self.owns(path)]:
            del sys.path_importer_cache[path]
        sys.path.extend(folders)


def project_loader(sources: Sources) -> type[SourceFileLoader]:
    """A loader class whose modules are compiled from the bytes that `sources` notes."""

    class ProjectLoader(SourceFileLoader):
        def get_code(self, fullname: str) -> CodeType:
            path = self.get_filename(fullname)
            content = self.get_data(path)
            sources.check(path, content)
            sources.note(path, content)
            code: CodeType = self.source_to_code(content, path)
            return code

    return ProjectLoader


def _absolute(path: str) -> str:
    return os.path.abspath(path)  # noqa: PTH100 - links are not followed: places are shown as the person wrote them


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
