"""The built-in tools there are: what a model is told about each. Data; no tool's code is imported here.

Every entry is a reserved name of `naming`, and its group is the one there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from adal_ls import naming


@dataclass(frozen=True, slots=True)
class Builtin:
    """A built-in tool. `read_only` tools change nothing and run unasked inside the workspace in mode `default`."""

    name: str
    group: naming.Group
    description: str
    parameters: Mapping[str, Any]
    read_only: bool


def _object(required: list[str], **properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


_ALL = (
    Builtin(
        name="read_file",
        group="Read",
        description=(
            "Read a UTF-8 text file of the workspace. Gives at most 1,000,000 bytes; read a larger file in parts "
            "with offset and limit."
        ),
        parameters=_object(
            ["path"],
            path={"type": "string", "description": "Path of the file, relative to the workspace."},
            offset={"type": "integer", "minimum": 1, "description": "First line to read, counted from 1."},
            limit={"type": "integer", "minimum": 1, "description": "Number of lines to read."},
        ),
        read_only=True,
    ),
    Builtin(
        name="bash",
        group="Bash",
        description=(
            "Run a shell command in the workspace, in a sandbox: no network, nothing outside the workspace can be "
            "changed, 30 seconds at most. Gives its output and exit code; a non-zero exit code is no error of the "
            "tool. Every call starts in the workspace folder with a fresh shell."
        ),
        parameters=_object(
            ["command"],
            command={"type": "string", "description": "The command line, as for bash -c."},
        ),
        read_only=False,
    ),
)

BUILTINS: Mapping[str, Builtin] = MappingProxyType({builtin.name: builtin for builtin in _ALL})
"""Name → tool, in the order in which a model sees them."""
