"""`mcp_tool_provider`: the tools of an MCP server, which the host connects to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from adal_ls.sdk.context import ToolContext
from adal_ls.sdk.errors import InvalidConfigError, InvalidContextError, InvalidInputError
from adal_ls.sdk.hosted import McpServer
from adal_ls.sdk.toolset import ToolSet


class McpToolProvider:
    """The tools of one MCP server.

    It cannot list them: they are known once the host has connected, which it does when a run first needs them.
    """

    def __init__(self, server: McpServer) -> None:
        self.server = server
        self._disposed = False

    def get_tools(self, ctx: ToolContext[Any], /) -> ToolSet:  # noqa: ARG002
        """
        Raises:
            InvalidContextError: the provider was disposed.
        """
        if self._disposed:
            raise InvalidContextError(f"the MCP server '{self.server.name}' was disposed with its project")
        return [self.server]

    def dispose(self) -> None:
        """No further run gets its tools; the host closes the connection."""
        self._disposed = True


def mcp_tool_provider(
    *,
    name: str | None = None,
    command: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    cwd: str | Path | None = None,
    url: str | None = None,
    headers: Mapping[str, str] | None = None,
    require_approval: bool = True,
    timeout_ms: int = 30_000,
) -> McpToolProvider:
    """A provider of the tools of an MCP server: a program (`command`) or an endpoint (`url`). See `McpServer`.

    Raises:
        InvalidInputError: neither or both of `command` and `url`.
        InvalidConfigError: a setting of the wrong type.
    """
    if isinstance(command, str) or not all(isinstance(part, str) and part for part in command):
        raise InvalidConfigError(f"command must be a list of the program and its arguments, not {command!r}")
    if bool(command) == bool(url):
        raise InvalidInputError("an MCP server needs one transport: either command (a program) or url")
    if url is not None and not url.startswith(("http://", "https://")):
        raise InvalidInputError(f"the url of an MCP server begins with http:// or https://, not {url!r}")
    if not isinstance(require_approval, bool):
        raise InvalidConfigError(f"require_approval must be True or False, not {require_approval!r}")
    if not isinstance(timeout_ms, int) or isinstance(timeout_ms, bool) or timeout_ms < 1:
        raise InvalidConfigError(f"timeout_ms must be a whole number of at least 1, not {timeout_ms!r}")
    server = McpServer(
        name=name or (Path(command[0]).name if command else str(url)),
        command=tuple(command),
        env=_texts("env", env),
        cwd=None if cwd is None else str(cwd),
        url=url,
        headers=_texts("headers", headers),
        require_approval=require_approval,
        timeout_ms=timeout_ms,
    )
    return McpToolProvider(server)


def _texts(name: str, given: Mapping[str, str] | None) -> Mapping[str, str]:
    pairs = dict(given or {})
    if not all(isinstance(key, str) and isinstance(value, str) for key, value in pairs.items()):
        raise InvalidConfigError(f"{name} must map strings to strings")
    return MappingProxyType(pairs)
