"""Where a file lies in its repository: what GitHub and other readers of a log need to show a finding at its line."""

from __future__ import annotations

import os
from pathlib import Path

from adal_ls.workspace.projects import is_repository

CHECKOUT = "GITHUB_WORKSPACE"
"""Set in GitHub Actions: the folder that annotations count from."""


def root() -> Path:
    """The repository around the current folder; without one the checkout of a workflow, else the current folder."""
    here = Path(os.path.realpath("."))
    found = next((folder for folder in (here, *here.parents) if is_repository(os.fspath(folder))), None)
    checkout = os.environ.get(CHECKOUT)
    return found or (Path(os.path.realpath(checkout)) if checkout else here)


def inside(path: str, root: Path) -> str | None:
    """`path` as seen from `root`, with slashes; None outside of it. A link is itself, not what it leads to."""
    given = Path(path)
    real = Path(os.path.realpath(given.parent), given.name)
    return real.relative_to(root).as_posix() if real.is_relative_to(root) else None
