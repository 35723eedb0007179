"""What crosses the pipe between host and worker about providers, as typed values. See `data`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from adal_ls.sdk.errors import AdalError, InvalidConfigError
from adal_ls.sdk.hosted import McpServer, WorkspaceTool, hosted_from_wire
from adal_ls.worker.data import LoadedTool, read_tool
from adal_ls.worker.shapes import DEPTH, OPTIONAL_TEXT, is_deeper, texts, typed


@dataclass(frozen=True, slots=True)
class ProvidedTools:
    """The tools of one episode, in the order in which later ones win. `notes` are about their parameters."""

    tools: tuple[LoadedTool | WorkspaceTool | McpServer, ...] = ()
    notes: tuple[str, ...] = ()


class ProviderError(AdalError):
    """What a provider raised in the worker: its code and its words, unchanged.

    `trace` shows the frames of the project's own code, for the person.
    """

    def __init__(self, message: str, *, code: str, trace: str | None = None) -> None:
        super().__init__(message, code=code)
        self.trace = trace


def read_outcome(value: object) -> Any:
    """The result of what providers were asked.

    Raises:
        ProviderError: one of them raised.
        ProtocolViolationError: it is no outcome.
    """
    data = typed(value, dict, "outcome")
    failure = data.get("failure")
    if failure is None:
        return data.get("result")
    told = typed(failure, dict, "failure")
    trace: str | None = typed(told.get("trace"), OPTIONAL_TEXT, "trace")
    raise ProviderError(
        typed(told.get("message"), str, "message"), code=typed(told.get("code"), str, "code")[:100], trace=trace
    )


def read_provided(value: object) -> ProvidedTools:
    """
    Raises:
        ProtocolViolationError: it is no set of tools.
        InvalidConfigError: a description of a tool that the host cannot serve.
    """
    data = typed(value, dict, "provided")
    tools: list[LoadedTool | WorkspaceTool | McpServer] = []
    for item in typed(data.get("tools"), list, "tools"):
        entry = typed(item, dict, "tool")
        if "hosted" not in entry:
            tools.append(read_tool(entry.get("tool")))
            continue
        if is_deeper(entry["hosted"], DEPTH):
            raise InvalidConfigError(f"a hosted tool is nested more than {DEPTH} levels deep")
        tools.append(hosted_from_wire(entry["hosted"]))
    return ProvidedTools(tuple(tools), texts(data.get("notes"), "notes"))
