"""The command that installs a package, as a person can copy it. In the worker."""

from __future__ import annotations

import sys


def install_command(*arguments: str) -> str:
    """`pip install` of the Python that runs, whose path may hold blanks."""
    import shlex  # only where something is missing

    python = sys.executable
    if sys.platform == "win32":
        python = f'& "{python}"' if " " in python else python  # PowerShell, which VS Code opens there
    else:
        python = shlex.quote(python)
    return " ".join([python, "-m pip install", *arguments])
