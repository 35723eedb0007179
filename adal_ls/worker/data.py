"""What crosses the pipe between host and worker, as typed values.

The host reads these from a process that runs the workspace's code, so reading checks every shape.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, cast

from adal_ls.wire.peer import ProtocolViolationError

Status = Literal["success", "error", "cancelled"]
LoadErrorKind = Literal["syntax", "missing-module", "exception", "exit", "crash", "timeout", "channel"]

T = TypeVar("T")


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
    return dataclasses.asdict(project)


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
    return LoadedProject(
        tools=tuple(_record(LoadedTool, item, _TOOL) for item in _typed(data.get("tools"), list, "tools")),
        problems=tuple(_record(LoadProblem, item, _PROBLEM) for item in _typed(data.get("problems"), list, "problems")),
        error=None if error is None else _record(LoadError, error, _ERROR),
        sources={
            _typed(path, str, "source"): _typed(digest, str, "digest")
            for path, digest in _typed(data.get("sources"), dict, "sources").items()
        },
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
    return result


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
    return cast("T", value)
