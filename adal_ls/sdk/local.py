"""The runner of a user's own script. The only door from the SDK to the agent behind it, opened when something runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from adal_ls.sdk.runner import Runner, RuntimeOptions

if TYPE_CHECKING:
    from adal_ls.sdk.project import ProjectFiles


def local_runner() -> Runner:
    """The loop, the gate and the tools in this process."""
    from adal_ls.agent.inprocess.agents import InProcessRunner

    return InProcessRunner()


def local_project(root: Path, options: RuntimeOptions, *, agents: bool = True) -> ProjectFiles:
    """Loads a project's files into this process: its tools, and its agents unless they are not wanted."""
    from adal_ls.agent.inprocess.project import InProcessFiles

    return InProcessFiles(root, options, agents=agents)
