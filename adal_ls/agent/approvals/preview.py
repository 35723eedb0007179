"""What a person is shown before a call runs: complete, and with every character visible."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from adal_ls.agent.approvals.visible import visible
from adal_ls.agent.files import edit_diff
from adal_ls.agent.runs.registry import RegisteredTool
from adal_ls.agent.workspaces.workspace_policy import WorkspacePolicy
from adal_ls.protocol.approvals import Preview

__all__ = ["pretty", "preview"]


def pretty(arguments: dict[str, Any]) -> str:
    """All arguments as indented JSON, characters visible."""
    return visible(json.dumps(arguments, ensure_ascii=False, indent=2))


def preview(tool: RegisteredTool, arguments: dict[str, Any], cwd: Path) -> Preview:
    """What the call is about to do, and where: its command, the lines it changes, its arguments.

    Blocking: it reads the file that is to be edited.
    """
    command = arguments.get("command") if tool.name == "bash" else None
    shown = visible(command) if isinstance(command, str) else None
    diff = None
    if tool.kind == "builtin" and tool.group == "Edit":
        policy = tool.executor.policy if tool.executor else WorkspacePolicy.of(cwd)
        diff = edit_diff.diff(tool.name, arguments, policy)
    return Preview(text=pretty(arguments), command=shown, cwd=visible(str(cwd)), diff=diff)
