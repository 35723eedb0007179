"""The texts of the modules beside a tools file: of the editor where they are open, else from disk."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from adal_ls.workspace import disk

if TYPE_CHECKING:
    from adal_ls.lint import ModuleText

Open = Callable[[str], "tuple[object, str] | None"]
"""Gives an open text by its path, with something that is another for each version of it; None where it is not open."""


class _Known(NamedTuple):
    version: object
    text: ModuleText | None


class FolderModules:
    """Resolves names as Python does that has one folder on its path; the answer is the same object while the text is
    the same. The key of a text is its path."""

    def __init__(self, folder: str, open_text: Open = lambda _: None) -> None:
        self._folder = folder
        self._open = open_text
        self._known: dict[str, _Known] = {}

    def __call__(self, name: str) -> ModuleText | None:
        parts = name.split(".")
        if not all(part.isidentifier() for part in parts):
            return None
        base = os.path.join(self._folder, *parts)
        package = self._read(os.path.join(base, "__init__.py"), package=True)
        return package if package is not None else self._read(f"{base}.py", package=False)

    def _read(self, path: str, *, package: bool) -> ModuleText | None:
        from adal_ls.lint import ModuleText  # after the server has answered `initialize`

        shown = self._open(path)
        version = shown[0] if shown is not None else _version(path)
        if version is None:
            return None
        known = self._known.get(path)
        if known is None or known.version != version:
            text = shown[1] if shown is not None else _text(path)
            known = self._known[path] = _Known(version, None if text is None else ModuleText(path, text, package))
        return known.text


def _version(path: str) -> object:
    try:
        found = os.stat(path)
    except OSError:  # not there, or not to be seen
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _text(path: str) -> str | None:
    """What Python would refuse to decode gives no names."""
    content = disk.read(path)
    return None if content is None or content.faults else content.text
