"""Which Python a project's tools run with, and the folders that Python consists of."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from adal_ls.workspace.interpreter import choose_interpreter

__all__ = ["choose_interpreter", "environments"]


def environments(interpreter: str) -> tuple[Path, ...]:
    """The folders a sandboxed command needs to run `interpreter`: its environment, and the installation below it.

    A workspace may bring the interpreter along, as a link to anywhere: only a folder that is laid out like an
    environment or an installation of Python counts, and none that holds the home folder.
    """
    program = Path(shutil.which(interpreter) or interpreter)
    real = Path(os.path.realpath(program))
    found = []
    if (program.parent.parent / "pyvenv.cfg").is_file():
        found.append(program.parent.parent)
    if real.name.startswith("python") and any(real.parent.parent.glob("lib/python3*/os.py")):
        found.append(real.parent.parent)
    home = Path(os.path.realpath(Path.home()))
    return tuple(folder for folder in found if not home.is_relative_to(os.path.realpath(folder)))
