"""The system prompt: what the agent is, where it works, and what the workspace says about itself."""

from __future__ import annotations

from pathlib import Path

from adal_ls.agent.files.opening import CannotOpenError, opened
from adal_ls.agent.workspaces.workspace_policy import WorkspacePolicy

MAX_AGENTS_FILE = 32 * 1024
"""Bytes of AGENTS.md that are passed on."""

_SYSTEM = """\
You are a coding agent that works in the folder {root}. Use the tools to look things up and to act; do not guess what \
a tool can tell you. Some calls are shown to the user first, who may deny them, change their arguments or say why not: \
respect that, and never try to reach the same end by another way. When the task is done, or cannot be done, answer \
briefly and say what you did."""


def system_prompt(root: Path, *, trusted: bool, given: str | None = None) -> str:
    """The system prompt of a run in `root`; AGENTS.md is read in a trusted workspace only.

    `given`: the person's own, in place of ours.
    """
    system = _SYSTEM.format(root=root) if given is None else given
    instructions = _read_agents_file(root) if trusted else ""
    return f"{system}\n\nInstructions of this workspace (AGENTS.md):\n\n{instructions}" if instructions else system


def _read_agents_file(root: Path) -> str:
    try:
        with opened("AGENTS.md", WorkspacePolicy.of(root)) as file:
            content = file.read(MAX_AGENTS_FILE + 1)
    except (CannotOpenError, OSError):
        return ""  # most workspaces have none; a link that leads out of this one would send a stranger's file
    text = content[:MAX_AGENTS_FILE].decode("utf-8", "replace").strip()
    return f"{text}\n\n[cut after {MAX_AGENTS_FILE} bytes]" if len(content) > MAX_AGENTS_FILE else text
