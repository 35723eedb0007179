"""Messages about tools and about the state of the server."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from adal_ls.protocol.base import JsonObject, Message


class Position(Message):
    """Zero-based; `character` in the position encoding agreed at `initialize` (LSP)."""

    line: int
    character: int


class Range(Message):
    start: Position
    end: Position


class Location(Message):
    uri: str
    range: Range


class Tool(Message):
    """One tool as the model will see it, and where it comes from."""

    name: str
    description: str = ""
    parameters: JsonObject = Field(description="JSON Schema of the arguments object.")
    require_approval: bool = True
    kind: Literal["custom", "builtin", "provider"] = "custom"
    agent: str | None = Field(
        default=None,
        description="Provider tools only: the agent that has it, as its provider lists it. What a run gets may differ.",
    )
    group: str | None = Field(default=None, description="Built-in tools only: Bash, Edit, Read, Search or Web.")
    location: Location | None = None
    problems: list[str] = Field(default_factory=list, description="Codes of the findings on this tool.")
    enabled: bool = Field(
        default=True, description="False: a built-in tool that the settings switch off. Runs lack it."
    )
    pending: bool = Field(
        default=False, description="In the text, but not loaded: not saved, not loaded yet or left out. Runs lack it."
    )


class LoadFailure(Message):
    """Why the last load failed, as a finding at its place in the project's code."""

    code: str = Field(
        description="ADAL001 syntax, ADAL901 import failed, ADAL902 package missing, ADAL903 load timed out, "
        "ADAL904 no interpreter to load with."
    )
    message: str
    location: Location | None = Field(default=None, description="Absent where no line of the project is to blame.")
    agents: bool = Field(default=False, description="Only agents.py could not be loaded: the tools are there.")


class LeftOut(Message):
    """An entry of CUSTOM_TOOLS that is no tool, and why."""

    tool: str | None = Field(default=None, description="Its name, where it has one.")
    message: str
    code: str | None = Field(default=None, description="Of the rule that leaves it out, where there is one.")


class Project(Message):
    """A folder with `.adal/tools.py`, `.adal/agents.py` or both."""

    root: str = Field(description="Path of the project folder.")
    file: str = Field(description="Path of its tools file, also where there is none yet.")
    state: Literal["static", "loaded", "error"] = Field(
        description="static: read, never run. loaded: as the worker has it. "
        "error: the last load failed; the tools are the last good ones."
    )
    generation: int = Field(default=0, description="Counts successful loads.")
    tools: list[Tool] = Field(default_factory=list)
    error: str | None = Field(default=None, description="Why the last load failed, in one text with its place.")
    failure: LoadFailure | None = Field(default=None, description="The same as a finding, for the editor.")
    left_out: list[LeftOut] = Field(default_factory=list, description="Of the last good load.")
    file_digest: str | None = Field(default=None, description="sha256 of the tools file as it was loaded last.")


class ToolsListParams(Message):
    """All projects; narrowed to one by `project_root`."""

    project_root: str | None = None


class ToolsListResult(Message):
    projects: list[Project]


class ToolsChanged(Message):
    project_root: str
    generation: int


class ToolsTryParams(Message):
    """`try_id`, chosen by the client, comes back with what the tool prints meanwhile; without it nothing is told."""

    tool: str
    arguments: JsonObject = Field(default_factory=dict)
    project_root: str | None = None
    try_id: str | None = None


class ToolsTryResult(Message):
    """How the call ended, in the parts of a ToolOutput. A call that failed is a result too, of status error."""

    status: Literal["success", "error", "cancelled"]
    output: JsonValue = Field(default=None, description="The value, as JSON can hold it; stored, not shown to a model.")
    observation: str = Field(description="What a model would read.")
    display: str | None = Field(default=None, description="Short text for the person.")
    printed: str | None = Field(default=None, description="What the tool and its child processes printed.")
    trace: str | None = Field(default=None, description="Frames of the project's own code, on an error.")
    duration_ms: float = Field(description="Milliseconds in the tool.")


class ToolsTryProgress(Message):
    try_id: str
    text: str


class TrustChanged(Message):
    trusted: bool


class Status(Message):
    health: Literal["ok", "warning", "error"]
    quiescent: bool = Field(description="False while something loads in the background.")
    message: str | None = None
    version: str
    python: str = Field(description="The interpreter that runs the server, or the tools once known.")
