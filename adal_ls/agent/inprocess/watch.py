"""Following the files of a project that a script has loaded."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path, PurePath

from watchfiles import Change, awatch

IGNORED = frozenset({"__pycache__", "node_modules", ".data", "dist", ".git", ".venv"})

# Editors save to `tools.py.tmp`, `tools.py~` or `.tools.py.swp` and rename; some platforms tell of that name alone.
_SOURCE = re.compile(r"\.py(~|\.[\w-]+~?)?$")

_STEP = 20  # milliseconds


def counts(path: PurePath, folder: PurePath) -> bool:
    """Whether a change of `path` is one of the project's Python files in `folder`, also under a temporary name."""
    if not path.is_relative_to(folder):
        return False
    inside = path.relative_to(folder).parts
    return not IGNORED & set(inside[:-1]) and _SOURCE.search(path.name) is not None


async def changes(folder: Path, stop: asyncio.Event) -> AsyncIterator[None]:
    """One item for each burst of changes, until `stop` is set."""

    def wanted(_: Change, path: str) -> bool:
        return counts(Path(path), folder)

    async for _ in awatch(folder, watch_filter=wanted, stop_event=stop, step=_STEP, debounce=400):
        yield None
