"""What is imported ahead, so that a load or a call need not wait for it. In the worker and its warm parent.

Our own modules, pydantic and, of the standard library, what tools use most and what takes longest. Never a package
that only the project uses: importing one can start threads, which a fork does not survive, and it reads the
environment, which is another one for each load.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
from collections.abc import Callable
from typing import Literal

# In the order of who waits for it: the first call, agents, then the imports of common tools files.
_MODULES = (
    "adal_ls.worker.calling",
    "adal_ls.worker.arguments",
    "adal_ls.worker.agents",
    "adal_ls.worker.provided",
    "adal_ls.sdk.agent",
    "adal_ls.sdk.agents_file",
    "adal_ls.sdk.combine",
    "adal_ls.sdk.context_form",
    "adal_ls.sdk.listing",
    "adal_ls.sdk.mcp",
    "adal_ls.sdk.workspace",
    "subprocess",
    "urllib.request",
    "concurrent.futures.thread",
    "tempfile",
    "csv",
    "sqlite3",
    "email.message",
    "xml.etree.ElementTree",
)


def warm_up(wanted: Callable[[], bool]) -> bool:
    """Imports one module after the other as long as `wanted`; whether all are there.

    A module that cannot be imported is left for the one who needs it to say so.
    """
    for name in _MODULES:
        if not wanted():
            return False
        # No pydantic, one that is broken, or a Python built without sqlite3.
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    _practise()
    return True


@functools.cache
def _practise() -> None:
    """Reads a tool of our own a few times: the first in a process take twice as long as later ones, whose caches and
    specialised code a fork inherits."""
    from adal_ls.worker.listing import read_custom_tools

    for _ in range(20):
        read_custom_tools([_example], __file__)


def _example(
    title: str, points: int | None = None, kind: Literal["a", "b"] = "a", *, labels: list[str] | None = None
) -> str:
    """Create a ticket.

    Args:
        title: Short summary.
        points: How many.

    Returns:
        Its name.
    """
    return f"{title}{points}{kind}{labels}"
