"""Messages between server and host that an editor never sees."""

from __future__ import annotations

from pydantic import Field

from adal_ls.protocol.base import Message
from adal_ls.protocol.runs import PermissionMode
from adal_ls.protocol.tools import Project, Tool

MOST_SECONDS = 86_400.0
"""A day: a longer time limit is a slip of the unit."""


class HostSettings(Message):
    """The person's settings; a workspace file never supplies them."""

    model: str | None = None
    interpreter: str | None = None
    permission_mode: PermissionMode = "default"
    enabled_default_tools: list[str] | None = None
    disabled_default_tools: list[str] | None = None
    allow_unsandboxed_bash: bool = Field(
        default=False,
        description="bash runs without a sandbox, with all rights of the person: said at the start of each run and at "
        "each approval.",
    )
    load_seconds: float | None = Field(
        default=None, gt=0, le=MOST_SECONDS, description="How long loading a project's files may take; absent: 10."
    )
    tool_seconds: float | None = Field(
        default=None, gt=0, le=MOST_SECONDS, description="How long one call of a custom tool may take; absent: 120."
    )


class HostInitializeParams(Message):
    protocol_version: int
    version: str = Field(description="Version of the package the server runs from.")
    trusted: bool
    workspace_roots: list[str] = Field(default_factory=list)
    settings: HostSettings = Field(default_factory=HostSettings)
    watch: bool = Field(default=False, description="The client cannot watch files: the host is to, and to tell.")


class HostInitializeResult(Message):
    protocol_version: int
    version: str
    python: str
    tools: list[Tool] = Field(default_factory=list, description="The built-in tools, those switched off included.")
    warnings: list[str] = Field(
        default_factory=list, description="What the person should know: a run store that was damaged or cannot be used."
    )


class HostLoadParams(Message):
    project_root: str
    unsaved: bool = Field(
        default=False,
        description="The files changed on disk without a save in the editor, and nobody asked for them to be loaded. "
        "What changed while a run was going on is then not imported: the agent may have written it.",
    )


class HostLoadResult(Message):
    project: Project


class HostProject(Message):
    project: Project


class HostChanged(Message):
    paths: list[str] = Field(description="Python files, and folders, in `.adal` folders; what happened the disk tells.")
