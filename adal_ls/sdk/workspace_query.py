"""`query`: one prompt to the agent of a workspace, the shortest way.

Source: AdaL's own SDK, whose names the options have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adal_ls.sdk.approval import CAN_USE_TOOL_TIMEOUT, CanUseTool, PermissionMode
from adal_ls.sdk.errors import InvalidConfigError, InvalidInputError
from adal_ls.sdk.handle import RunHandle
from adal_ls.sdk.local import local_project
from adal_ls.sdk.runner import DEFAULT_STOP_WHEN, RuntimeOptions, checked_options


@dataclass(frozen=True, slots=True, kw_only=True)
class AdalAgentOptions:
    """Options of `query`.

    Attributes:
        workspace: the folder to work in, with its `.adal/tools.py` where it has one.
        model: such as `openai/gpt-4o`; needed.
        session_id: the conversation to continue, within this process; left out it is a new one.
        permission_mode: `default`, `acceptEdits` or `yolo`.
        enabled_default_tools, disabled_default_tools: built-in tools, by name or group (Bash, Edit, Read, Search,
            Web); not both. Custom tools are never affected.
        prompt_file: a file whose text takes the place of the usual system prompt.
        can_use_tool: asked before a tool runs that must be asked about; without it such tools do not run.
        can_use_tool_timeout: seconds it has; None waits.
        stop_when: the most requests to the model.
    """

    workspace: str | Path = "."
    model: str | None = None
    session_id: str | None = None
    permission_mode: PermissionMode = "default"
    enabled_default_tools: Sequence[str] | None = None
    disabled_default_tools: Sequence[str] | None = None
    prompt_file: str | Path | None = None
    can_use_tool: CanUseTool | None = None
    can_use_tool_timeout: float | None = CAN_USE_TOOL_TIMEOUT
    stop_when: int = DEFAULT_STOP_WHEN


def query(prompt: str, options: AdalAgentOptions | None = None, **settings: Any) -> RunHandle:
    """Starts a run in a workspace; iterate for its events, or `await query(...).result`.

    The workspace's `.adal/tools.py` is loaded into this process, which runs its code. `settings` are those of
    `AdalAgentOptions`, for calls that need no object.

    Raises:
        InvalidInputError: both `options` and settings, no such workspace, or a prompt file that cannot be read.
        InvalidConfigError: an option that cannot work.
        ProjectLoadError: the tools cannot be loaded.
    """
    if options is not None and settings:
        raise InvalidInputError(f"give options or single settings, not both ({', '.join(settings)})")
    try:
        chosen = options or AdalAgentOptions(**settings)
    except TypeError as fault:
        raise InvalidConfigError(f"query: {str(fault).partition('() ')[2] or fault}") from None
    root = Path(chosen.workspace).resolve()
    if not root.is_dir():
        raise InvalidInputError(f"there is no workspace folder {chosen.workspace}")
    system_prompt = None if chosen.prompt_file is None else _read(Path(chosen.prompt_file))
    files = local_project(root, _runtime_options(chosen, root), agents=False)
    try:
        agent = files.load().runtime.create_agent("query", system_prompt=system_prompt, stop_when=chosen.stop_when)
        handle = agent.run(prompt, memory_scope=chosen.session_id)
    except BaseException:
        files.close()
        raise
    handle.add_done_callback(files.close)
    return handle


def _runtime_options(chosen: AdalAgentOptions, root: Path) -> RuntimeOptions:
    return checked_options(
        model=chosen.model,
        project_root=root,
        permission_mode=chosen.permission_mode,
        can_use_tool=chosen.can_use_tool,
        can_use_tool_timeout=chosen.can_use_tool_timeout,
        enabled_default_tools=chosen.enabled_default_tools,
        disabled_default_tools=chosen.disabled_default_tools,
    )


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise InvalidInputError(f"the prompt file {file} cannot be read: {fault}") from fault
