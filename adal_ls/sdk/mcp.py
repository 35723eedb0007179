"""`mcp_tool_provider`: the tools of an MCP server, which the host connects to."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from adal_ls.sdk.context import ToolContext
from adal_ls.sdk.errors import InvalidConfigError, InvalidContextError, InvalidInputError
from adal_ls.sdk.hosted import MOST_MILLISECONDS, McpServer
from adal_ls.sdk.toolset import ToolSet


class McpToolProvider:
    """The tools of one MCP server.

    It cannot list them: they are known once the host has connected, which it does when a run first needs them. The
    connection stays until `dispose`.
    """

    def __init__(self, server: McpServer) -> None:
        self.server = server

    def get_tools(self, ctx: ToolContext[Any], /) -> ToolSet:  # noqa: ARG002
        """
        Raises:
            InvalidContextError: the provider was disposed.
        """
        if self.server.lifetime.over:
            raise InvalidContextError(f"the MCP server '{self.server.name}' was disposed with its project")
        return [self.server]

    async def dispose(self) -> None:
        """Closes the connection, if there is one; no further run gets its tools. A second time does nothing."""
        await self.server.lifetime.end()


def mcp_tool_provider(
    *,
    name: str | None = None,
    command: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    cwd: str | Path | None = None,
    url: str | None = None,
    headers: Mapping[str, str] | None = None,
    prefix: str = "",
    only: Sequence[str] | None = None,
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
    if not isinstance(timeout_ms, int) or isinstance(timeout_ms, bool) or not 1 <= timeout_ms <= MOST_MILLISECONDS:
        raise InvalidConfigError(f"timeout_ms must be a whole number from 1 to {MOST_MILLISECONDS}, not {timeout_ms!r}")
    if not isinstance(prefix, str) or not re.fullmatch(r"([A-Za-z_][A-Za-z0-9_-]{0,39})?", prefix):
        raise InvalidConfigError(f"prefix must be up to 40 letters, digits, '_' and '-', not {prefix!r}")
    if isinstance(only, str) or not all(isinstance(tool, str) and tool for tool in only or ()):
        raise InvalidConfigError(f"only must be a list of names of the server's tools, not {only!r}")
    server = McpServer(
        name=name or (Path(command[0]).name if command else str(url)),
        command=tuple(command),
        env=_texts("env", env),
        cwd=None if cwd is None else str(cwd),
        url=url,
        headers=_texts("headers", headers),
        prefix=prefix,
        only=None if only is None else tuple(only),
        require_approval=require_approval,
        timeout_ms=timeout_ms,
    )
    return McpToolProvider(server)


def _texts(name: str, given: Mapping[str, str] | None) -> Mapping[str, str]:
    pairs = dict(given or {})
    if not all(isinstance(key, str) and isinstance(value, str) for key, value in pairs.items()):
        raise InvalidConfigError(f"{name} must map strings to strings")
    return MappingProxyType(pairs)
