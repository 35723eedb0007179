"""What crosses the pipe between host and worker, as typed values.

The host reads these from a process that runs the workspace's code, so reading checks every shape.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import PureWindowsPath
from typing import Any, Literal

from adal_ls.wire.peer import ProtocolViolationError
from adal_ls.worker.agent_data import LoadedAgent, read_agents
from adal_ls.worker.shapes import DEPTH, OPTIONAL_TEXT, Shape, is_deeper, record, typed

Status = Literal["success", "error", "cancelled"]
LoadErrorKind = Literal["syntax", "missing-module", "exception", "exit", "crash", "timeout", "channel"]

TOOLS_FILE, AGENTS_FILE = ".adal/tools.py", ".adal/agents.py"

_MOST_LINES = 2**31  # what a line of LSP can be
_MOST_MILLISECONDS = 1e12


@dataclass(frozen=True, slots=True)
class Limits:
    """Times in seconds, sizes in bytes of UTF-8."""

    start: float = 20.0
    load: float = 10.0
    call: float = 120.0
    stop: float = 0.5
    """From asking a tool to stop to killing the worker with all its processes."""
    observation: int = 20 * 1024 * 1024
    printed: int = 1024 * 1024


@dataclass(frozen=True, slots=True)
class LoadedTool:
    """A tool that can be called. `file` and `line` (one-based) are where its function is defined."""

    name: str
    description: str
    parameters: dict[str, Any]
    require_approval: bool
    file: str
    line: int
    function: str


@dataclass(frozen=True, slots=True)
class LoadProblem:
    """Something wrong with CUSTOM_TOOLS or one of its entries; the other tools work.

    `code` is the rule's where there is one (ADAL101 to ADAL104). `entry` counts from 0. `left_out` tells whether the
    entry is no tool because of it.
    """

    message: str
    code: str | None = None
    tool: str | None = None
    entry: int | None = None
    left_out: bool = True


@dataclass(frozen=True, slots=True)
class LoadError:
    """Why a file gives no tools, or no agents, at all. `line` is one-based; 0 where the place is not known."""

    kind: LoadErrorKind
    message: str
    file: str
    line: int = 0
    trace: str = ""
    module: str | None = None
    exit_code: int | None = None

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.message}"


@dataclass(frozen=True, slots=True)
class LoadedProject:
    """A project as the worker has it.

    Attributes:
        agents: those of AGENTS; None where there is no agents.py.
        agents_error: why agents.py gives none; the tools work.
        sources: sha256 (hex) of the bytes of every project file that was run, by its path relative to the project
            folder, with `/` between the parts.
        output: what was printed while loading.
        python: the interpreter that holds it.
    """

    tools: tuple[LoadedTool, ...] = ()
    problems: tuple[LoadProblem, ...] = ()
    error: LoadError | None = None
    agents: tuple[LoadedAgent, ...] | None = None
    agents_error: LoadError | None = None
    sources: dict[str, str] = field(default_factory=dict)
    output: str = ""
    python: str = ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """How a call ended.

    Attributes:
        output: the value as JSON can hold it.
        observation: what the model reads, nothing else.
        display: short text for the person.
        printed: what the tool and its child processes printed.
        trace: for the person, on an error: the frames of the project's own code.
    """

    status: Status
    output: Any
    observation: str
    display: str | None = None
    printed: str = ""
    duration_ms: float = 0.0
    trace: str | None = None


def project_to_json(project: LoadedProject) -> dict[str, Any]:
    return {
        **fields(project),
        "tools": [fields(tool) for tool in project.tools],
        "problems": [fields(problem) for problem in project.problems],
        "error": None if project.error is None else fields(project.error),
        "agents": None if project.agents is None else [fields(agent) for agent in project.agents],
        "agents_error": None if project.agents_error is None else fields(project.agents_error),
    }


def fields(record: Any) -> dict[str, Any]:
    """As `dataclasses.asdict`, which copies all that is inside and takes as long as making the schemas."""
    return {field.name: getattr(record, field.name) for field in dataclasses.fields(record)}


def result_to_json(result: ToolResult) -> dict[str, Any]:
    """A plain text, which is output and observation at once, crosses the pipe once: observation is then null."""
    same = isinstance(result.output, str) and result.output == result.observation
    return {
        "status": result.status,
        "output": result.output,
        "observation": None if same else result.observation,
        "display": result.display,
        "duration_ms": result.duration_ms,
        "trace": result.trace,
    }


def read_project(value: object) -> LoadedProject:
    """Raises: ProtocolViolationError."""
    data = typed(value, dict, "project")
    error, agents_error = data.get("error"), data.get("agents_error")
    agents = read_agents(data.get("agents"))
    tools = tuple(read_tool(item) for item in typed(data.get("tools"), list, "tools"))
    sources = {_place(path): digest for path, digest in typed(data.get("sources"), dict, "sources").items()}
    if tools and TOOLS_FILE not in sources:
        raise ProtocolViolationError(f"tools, but not the digest of {TOOLS_FILE}")
    if agents and AGENTS_FILE not in sources:
        raise ProtocolViolationError(f"agents, but not the digest of {AGENTS_FILE}")
    return LoadedProject(
        tools=tools,
        agents=agents,
        agents_error=None if agents_error is None else record(LoadError, agents_error, _ERROR),
        problems=tuple(record(LoadProblem, item, _PROBLEM) for item in typed(data.get("problems"), list, "problems")),
        error=None if error is None else record(LoadError, error, _ERROR),
        sources={path: typed(digest, str, "digest") for path, digest in sources.items()},
        python=typed(data.get("python"), str, "python"),
    )


def read_result(value: object) -> ToolResult:
    """Raises: ProtocolViolationError."""
    data = dict(typed(value, dict, "result"))
    if data.get("observation") is None:
        data["observation"] = data.get("output")
    result = record(ToolResult, data, _RESULT)
    if result.status not in ("success", "error", "cancelled"):
        raise ProtocolViolationError(f"status {result.status!r}")
    if is_deeper(result.output, DEPTH):  # before Python 3.12 reading it had failed already
        raise ProtocolViolationError(f"an output nested more than {DEPTH} levels deep")
    if not 0 <= result.duration_ms < _MOST_MILLISECONDS:
        raise ProtocolViolationError(f"a duration of {str(result.duration_ms)[:40]} ms")
    return result


def read_tool(value: object) -> LoadedTool:
    tool = record(LoadedTool, value, _TOOL)
    if not 0 <= tool.line < _MOST_LINES:
        raise ProtocolViolationError(f"line {str(tool.line)[:40]}")
    try:
        # Without a limit of depth, what a tool list passes through later gives up; half a surrogate pair is no text.
        text = json.dumps(tool.parameters, ensure_ascii=False, allow_nan=False)
    except (ValueError, RecursionError) as fault:
        raise ProtocolViolationError(f"parameters that are not JSON: {fault}") from fault
    if is_deeper(tool.parameters, DEPTH):
        raise ProtocolViolationError(f"parameters nested more than {DEPTH} levels deep")
    return dataclasses.replace(tool, parameters=json.loads(text.encode("utf-8", "replace")))


def _place(path: object) -> str:
    """The path of a source: the host reads the file there, so it must lie in the project."""
    text = typed(path, str, "source")
    if text.startswith("/") or "\\" in text or "\0" in text or ".." in text.split("/") or PureWindowsPath(text).drive:
        raise ProtocolViolationError(f"a source outside of the project: {text[:200]!r}")
    return text


_OPTIONAL_INT = (int, type(None))
_TOOL: Shape = {
    "name": str,
    "description": str,
    "parameters": dict,
    "require_approval": bool,
    "file": str,
    "line": int,
    "function": str,
}
_PROBLEM: Shape = {
    "message": str,
    "code": OPTIONAL_TEXT,
    "tool": OPTIONAL_TEXT,
    "entry": _OPTIONAL_INT,
    "left_out": bool,
}
_ERROR: Shape = {
    "kind": str,
    "message": str,
    "file": str,
    "line": int,
    "trace": str,
    "module": OPTIONAL_TEXT,
    "exit_code": _OPTIONAL_INT,
}
_RESULT: Shape = {
    "status": str,
    "output": object,
    "observation": str,
    "display": OPTIONAL_TEXT,
    "duration_ms": (int, float),
    "trace": OPTIONAL_TEXT,
}
