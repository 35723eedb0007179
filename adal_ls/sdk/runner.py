"""What runs agents: the interface between an `Agent` and the loop behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, get_args

from adal_ls.sdk.approval import CAN_USE_TOOL_TIMEOUT, CanUseTool, PermissionMode
from adal_ls.sdk.context import ToolContext
from adal_ls.sdk.errors import InvalidConfigError
from adal_ls.sdk.events import AgentEvent, StopReason, Usage
from adal_ls.sdk.toolset import ToolEntry

DEFAULT_STOP_WHEN = 20


@dataclass(frozen=True, slots=True)
class RuntimeOptions:
    """What all agents of a runtime share; see `create_runtime`."""

    model: str | None = None
    project_root: Path | None = None
    permission_mode: PermissionMode = "default"
    can_use_tool: CanUseTool | None = None
    can_use_tool_timeout: float | None = CAN_USE_TOOL_TIMEOUT
    enabled_default_tools: tuple[str, ...] | None = None
    disabled_default_tools: tuple[str, ...] | None = None


def checked_options(
    *,
    model: str | None,
    project_root: Path | None,
    permission_mode: PermissionMode,
    can_use_tool: CanUseTool | None,
    can_use_tool_timeout: float | None,
    enabled_default_tools: Sequence[str] | None = None,
    disabled_default_tools: Sequence[str] | None = None,
) -> RuntimeOptions:
    """
    Raises:
        InvalidConfigError: one of them cannot work; the text says which.
    """
    if model is not None and not isinstance(model, str):
        raise InvalidConfigError(f"model must be text such as 'openai/gpt-4o', not {type(model).__name__}")
    if permission_mode not in get_args(PermissionMode):
        modes = ", ".join(get_args(PermissionMode))
        raise InvalidConfigError(f"permission_mode must be one of {modes}, not {permission_mode!r}")
    if can_use_tool is not None and not callable(can_use_tool):
        raise InvalidConfigError(f"can_use_tool must be an async function, not {type(can_use_tool).__name__}")
    if can_use_tool_timeout is not None and not can_use_tool_timeout > 0:
        raise InvalidConfigError(f"can_use_tool_timeout must be positive seconds or None, not {can_use_tool_timeout!r}")
    lists = [_names(given) for given in (enabled_default_tools, disabled_default_tools)]
    if None not in lists:
        raise InvalidConfigError("enabled_default_tools and disabled_default_tools cannot be combined: give one")
    return RuntimeOptions(model, project_root, permission_mode, can_use_tool, can_use_tool_timeout, *lists)


def _names(given: Sequence[str] | None) -> tuple[str, ...] | None:
    if isinstance(given, str) or not all(isinstance(name, str) for name in given or ()):
        raise InvalidConfigError(f"built-in tools are enabled and disabled by a list of names or groups, not {given!r}")
    return None if given is None else tuple(given)


@dataclass(frozen=True, slots=True)
class RunRequest:
    """One episode. `stop_when` counts requests to the model."""

    prompt: str
    ctx: ToolContext[Any]
    options: RuntimeOptions
    model: str | None = None
    system_prompt: str | None = None
    stop_when: int = DEFAULT_STOP_WHEN


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a good run ended. `text` is the model's answer; `str(result)` gives it, too."""

    text: str
    stop_reason: StopReason
    usage: Usage
    agent_call_id: str
    memory_scope: str

    def __str__(self) -> str:
        return self.text


Emit = Callable[[AgentEvent], None]


class Turn(Protocol):
    """A run with its messages and its model, before its tools are known."""

    async def run(self, tools: tuple[ToolEntry, ...], emit: Emit) -> RunResult:
        """The model and its calls, to the end.

        Raises:
            AdalError: the run failed.
            asyncio.CancelledError: the task was cancelled; nothing of the run goes on.
        """
        ...

    def close(self) -> None:
        """The run is over, or never began."""
        ...


class Runner(Protocol):
    """Runs agents."""

    def prepare(self, request: RunRequest) -> Turn:
        """
        Raises:
            MissingModelError, ScopeBusyError, InvalidConfigError: there can be no run.
        """
        ...

    async def close(self) -> None:
        """Closes what is kept between runs, such as connections to models. Runs may follow all the same."""
        ...
