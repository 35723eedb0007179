"""What crosses the pipe between host and worker, as typed values.

The host reads these from a process that runs the workspace's code, so reading checks every shape.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PureWindowsPath
from typing import Any, Literal, TypeVar, cast

from adal_ls.wire.peer import ProtocolViolationError

Status = Literal["success", "error", "cancelled"]
LoadErrorKind = Literal["syntax", "missing-module", "exception", "exit", "crash", "timeout", "channel"]

T = TypeVar("T")

TOOLS_FILE = ".adal/tools.py"

_DEPTH = 100
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
    """Why the tools file gives no tools at all. `line` is one-based; 0 where the place is not known."""

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
        sources: sha256 (hex) of the bytes of every project file that was run, by its path relative to the project
            folder, with `/` between the parts.
        output: what was printed while loading.
        python: the interpreter that holds it.
    """

    tools: tuple[LoadedTool, ...] = ()
    problems: tuple[LoadProblem, ...] = ()
    error: LoadError | None = None
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
        **_fields(project),
        "tools": [_fields(tool) for tool in project.tools],
        "problems": [_fields(problem) for problem in project.problems],
        "error": None if project.error is None else _fields(project.error),
    }


def _fields(record: Any) -> dict[str, Any]:
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
    data = _typed(value, dict, "project")
    error = data.get("error")
    tools = tuple(_tool(item) for item in _typed(data.get("tools"), list, "tools"))
    sources = {_place(path): digest for path, digest in _typed(data.get("sources"), dict, "sources").items()}
    if tools and TOOLS_FILE not in sources:
        raise ProtocolViolationError(f"tools, but not the digest of {TOOLS_FILE}")
    return LoadedProject(
        tools=tools,
        problems=tuple(_record(LoadProblem, item, _PROBLEM) for item in _typed(data.get("problems"), list, "problems")),
        error=None if error is None else _record(LoadError, error, _ERROR),
        sources={path: _typed(digest, str, "digest") for path, digest in sources.items()},
        python=_typed(data.get("python"), str, "python"),
    )


def read_result(value: object) -> ToolResult:
    """Raises: ProtocolViolationError."""
    data = dict(_typed(value, dict, "result"))
    if data.get("observation") is None:
        data["observation"] = data.get("output")
    result = _record(ToolResult, data, _RESULT)
    if result.status not in ("success", "error", "cancelled"):
        raise ProtocolViolationError(f"status {result.status!r}")
    if _is_deeper(result.output, _DEPTH):  # before Python 3.12 reading it had failed already
        raise ProtocolViolationError(f"an output nested more than {_DEPTH} levels deep")
    if not 0 <= result.duration_ms < _MOST_MILLISECONDS:
        raise ProtocolViolationError(f"a duration of {str(result.duration_ms)[:40]} ms")
    return result


def _tool(value: object) -> LoadedTool:
    tool = _record(LoadedTool, value, _TOOL)
    if not 0 <= tool.line < _MOST_LINES:
        raise ProtocolViolationError(f"line {str(tool.line)[:40]}")
    try:
        # Without a limit of depth, what a tool list passes through later gives up; half a surrogate pair is no text.
        text = json.dumps(tool.parameters, ensure_ascii=False, allow_nan=False)
    except (ValueError, RecursionError) as fault:
        raise ProtocolViolationError(f"parameters that are not JSON: {fault}") from fault
    if _is_deeper(tool.parameters, _DEPTH):
        raise ProtocolViolationError(f"parameters nested more than {_DEPTH} levels deep")
    return dataclasses.replace(tool, parameters=json.loads(text.encode("utf-8", "replace")))


def _place(path: object) -> str:
    """The path of a source: the host reads the file there, so it must lie in the project."""
    text = _typed(path, str, "source")
    if text.startswith("/") or "\\" in text or "\0" in text or ".." in text.split("/") or PureWindowsPath(text).drive:
        raise ProtocolViolationError(f"a source outside of the project: {text[:200]!r}")
    return text


def _is_deeper(value: object, levels: int) -> bool:
    if levels == 0:
        return True
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(_is_deeper(item, levels - 1) for item in inner if isinstance(item, (dict, list)))


_Shape = Mapping[str, type | tuple[type, ...]]

_OPTIONAL_TEXT = (str, type(None))
_OPTIONAL_INT = (int, type(None))
_TOOL: _Shape = {
    "name": str,
    "description": str,
    "parameters": dict,
    "require_approval": bool,
    "file": str,
    "line": int,
    "function": str,
}
_PROBLEM: _Shape = {
    "message": str,
    "code": _OPTIONAL_TEXT,
    "tool": _OPTIONAL_TEXT,
    "entry": _OPTIONAL_INT,
    "left_out": bool,
}
_ERROR: _Shape = {
    "kind": str,
    "message": str,
    "file": str,
    "line": int,
    "trace": str,
    "module": _OPTIONAL_TEXT,
    "exit_code": _OPTIONAL_INT,
}
_RESULT: _Shape = {
    "status": str,
    "output": object,
    "observation": str,
    "display": _OPTIONAL_TEXT,
    "duration_ms": (int, float),
    "trace": _OPTIONAL_TEXT,
}


def _record(kind: type[T], value: object, shape: _Shape) -> T:
    data = _typed(value, dict, kind.__name__)
    return kind(**{name: _typed(data.get(name), types, name) for name, types in shape.items()})


def _typed(value: object, kind: type[T] | tuple[type, ...], what: str) -> T:
    if not isinstance(value, kind):
        raise ProtocolViolationError(f"{what} is a {type(value).__name__}")
    if isinstance(value, str):
        # Half a surrogate pair can be neither stored nor sent on everywhere.
        return cast("T", value.encode("utf-8", "backslashreplace").decode())
    return cast("T", value)
