"""What goes wrong with MCP servers, in words."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import ValidationError

from adal_ls.agent.approvals.visible import visible
from adal_ls.sdk.errors import AdalError


def why(fault: BaseException) -> str:
    """The cause of a fault that may come in groups, in words that go on from a server's name."""
    causes = list(dict.fromkeys(_text(leaf) for leaf in _leaves(fault)))
    return "; ".join(causes[:3])[:2000]


def is_closed(fault: BaseException) -> bool:
    """Whether it says no more than that the connection is closed."""
    return all(type(leaf).__name__ == "MCPError" and str(leaf) == "Connection closed" for leaf in _leaves(fault))


def first_problem(fault: ValidationError) -> str:
    """Where an answer is not what the protocol says, and how."""
    error = fault.errors(include_url=False, include_input=False)[0]
    return visible(f"{'.'.join(map(str, error['loc']))[:200]}: {error['msg'][:200]}")


def _leaves(fault: BaseException) -> Iterator[BaseException]:
    inner = getattr(fault, "exceptions", None)  # a group, of whatever Python
    if isinstance(inner, tuple):
        for each in inner:
            yield from _leaves(each)
    else:
        yield fault


def _text(fault: BaseException) -> str:
    if isinstance(fault, FileNotFoundError | PermissionError | NotADirectoryError):
        return f"cannot be started: {fault.filename}: {fault.strerror}"
    text = str(fault) or type(fault).__name__
    name = type(fault).__name__
    if name in ("ConnectError", "ConnectTimeout"):
        return f"cannot be reached: {text}"
    if name == "MCPError":
        return f"answered with an error: {text}"
    return text if isinstance(fault, AdalError) else f"failed: {text} ({name})"
