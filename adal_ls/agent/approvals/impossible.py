"""Calls that cannot be made, whatever is decided about them: told to the model before a person is asked. Pure.

Only arguments that are missing count. Whether a value fits, or a further name is taken, is the tool's own to say: that
takes more than its schema tells ("3" for 3, say).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adal_ls.agent.runs.registry import RegisteredTool


def impossible(tool: RegisteredTool, arguments: Mapping[str, Any]) -> str | None:
    """Which arguments are missing, for the model; None where none is."""
    required = tool.parameters.get("required")
    missing = [name for name in required if name not in arguments] if isinstance(required, (list, tuple)) else []
    if not missing:
        return None
    properties = tool.parameters.get("properties")
    takes = ", ".join(properties) if isinstance(properties, Mapping) else ", ".join(missing)
    given = ", ".join(arguments) or "nothing"
    names = " and ".join(f"'{name}'" for name in missing)
    return f"Missing for {tool.name}: {names} (it takes {takes}; given: {given}). Nothing was executed."
