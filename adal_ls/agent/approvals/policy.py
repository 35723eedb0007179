"""Whether a call runs or is asked about. Pure, but for the real place of a path.

The order is fixed: tools the run does not have are refused before this (the gate), then protected paths ask, then
remembered grants answer (the gate holds them), then the permission mode decides.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from adal_ls.agent.approvals.url_look import mixes_scripts, suspicious
from adal_ls.agent.runs.registry import RegisteredTool
from adal_ls.agent.workspaces import places
from adal_ls.protocol.runs import PermissionMode


@dataclass(frozen=True, slots=True)
class Verdict:
    """`grantable`: a remembered grant may answer instead of the person. `risk`: plain facts for the person."""

    action: Literal["run", "ask"]
    decided_by: str
    reason: str
    grantable: bool = True
    risk: tuple[str, ...] = ()


def judge(
    tool: RegisteredTool, arguments: Mapping[str, Any], mode: PermissionMode, root: Path, project: Path | None = None
) -> Verdict:
    """What becomes of a call of a tool that the run has.

    Args:
        root: where the paths of the call start.
        project: the run's project, where that is another folder. A workspace may give its tools a policy that reaches
            beyond it, and can not say that nobody is asked.
    """
    risk = _risk(tool, arguments)
    if mode == "yolo":
        return Verdict("run", "mode", "yolo: everything that is not disabled runs", risk=risk)
    guarded = _guarded_path(tool, arguments, root)
    if guarded is not None:
        why = f"protected path: {guarded}"
        return Verdict("ask", "policy", why, grantable=False, risk=(*risk, why))
    beyond = _outside(tool, arguments, root, project or root)
    if beyond is not None:
        why = f"outside of the project: {beyond}"
        return Verdict("ask", "policy", why, risk=(*risk, why))
    if tool.kind == "custom":
        if tool.require_approval:
            return Verdict("ask", "require_approval", "the tool requires approval", risk=risk)
        return Verdict("run", "require_approval", "the tool is listed with require_approval False", risk=risk)
    if tool.kind == "builtin" and tool.group is None:
        return Verdict("run", "policy", "it touches nothing but this run's own list", risk=risk)
    if tool.read_only and tool.group in ("Read", "Search"):
        return Verdict("run", "mode", f"{mode}: reading and searching inside the workspace runs", risk=risk)
    if mode == "acceptEdits" and tool.group == "Edit":
        return Verdict("run", "mode", "acceptEdits: edits inside the workspace run", risk=risk)
    return Verdict("ask", "mode", f"{mode}: this asks", risk=risk)


def _guarded_path(tool: RegisteredTool, arguments: Mapping[str, Any], root: Path) -> str | None:
    """The path of a built-in file tool that is asked about in every mode but yolo."""
    if tool.kind != "builtin" or tool.group not in ("Edit", "Read", "Search"):
        return None
    path = arguments.get("path", ".")
    if not isinstance(path, str):
        return None  # the tool refuses it when it checks its arguments
    must_ask = places.protected if tool.group == "Edit" else places.secret
    return path if must_ask(root, path) else None


def _outside(tool: RegisteredTool, arguments: Mapping[str, Any], root: Path, project: Path) -> Path | None:
    """Where a built-in file tool would read or write beyond the project."""
    if tool.kind != "builtin" or tool.executor is None or tool.group not in ("Edit", "Read", "Search"):
        return None
    path = arguments.get("path", ".")
    if not isinstance(path, str):
        return None  # the tool refuses it when it checks its arguments
    try:
        real = places.real_place(root, path)
    except places.OutsideWorkspaceError:
        return None  # it leads nowhere, which the tool says
    return None if real.is_relative_to(os.path.realpath(project)) else real


def _risk(tool: RegisteredTool, arguments: Mapping[str, Any]) -> tuple[str, ...]:
    if tool.kind == "custom":
        imitates = ("its name mixes scripts, as names do that imitate others",) if mixes_scripts(tool.name) else ()
        return (*(tool.risks or ("runs the workspace's own code",)), *imitates)
    facts = {"Bash": "runs a shell command", "Edit": "changes files", "Web": "reaches the network"}
    of_group = (facts[tool.group],) if tool.group in facts else ()
    url = arguments.get("url") if tool.group == "Web" else None
    return (*of_group, *tool.risks, *(suspicious(url) if isinstance(url, str) else ()))
