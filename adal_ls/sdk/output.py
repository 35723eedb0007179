"""The result of a tool call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal


@dataclass
class ToolOutput:
    """A completed tool call, also one that ended in an error.

    Fields, their order and their defaults are those of `adalflow.core.types.ToolOutput` (adalflow 1.1.3), so that a
    tools file works with either class. As there, nothing is checked here.

    Attributes:
        output: the value itself, for programs.
        observation: what the model reads; made from `output` where it is None.
        display: short text for the person.
        is_streaming: the fourth position, which is easily taken for `status`.
        metadata: free data for programs.
        status: how the call ended.
    """

    output: Any = None
    observation: str | None = None
    display: str | None = None
    is_streaming: bool | None = False
    metadata: dict[str, Any] | None = None
    status: Literal["success", "cancelled", "error"] = "success"
