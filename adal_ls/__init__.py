"""adal-ls: lint, preview, run and approve the tools of a coding agent.

Importing this package imports nothing else; public names arrive when they are first used (PEP 562).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adal_ls.version import __version__

if TYPE_CHECKING:
    from adal_ls.sdk import ToolOutput

__all__ = ["ToolOutput", "__version__"]

_LAZY = {"ToolOutput": "adal_ls.sdk"}


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module 'adal_ls' has no attribute '{name}'")
    import importlib

    value: object = getattr(importlib.import_module(_LAZY[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY])
