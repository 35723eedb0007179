"""The Pythons of this machine."""

from __future__ import annotations

import shutil
import sys
from functools import cache
from pathlib import Path

from adal_ls.workspace.interpreter import InterpreterError, ask

Version = tuple[int, int]
OWN: Version = sys.version_info[:2]


@cache
def found() -> dict[Version, str]:
    """Version → an interpreter of it, from 3.10 on; the one that runs the tests is among them."""
    named = [shutil.which(f"python3.{minor}") for minor in range(10, 20)]
    named += [str(path) for path in sorted(Path.home().glob(".pyenv/versions/3.*/bin/python"))]
    pythons: dict[Version, str] = {}
    for path in [sys.executable, *filter(None, named)]:
        try:
            version = ask(path, ()).version
        except InterpreterError:
            continue  # a shim for a version that is not there
        if version >= (3, 10):
            pythons.setdefault(version, path)
    return pythons
