"""The MCP servers that a project's providers describe: one connection each, opened when a run first needs it, kept over
runs, opened again after it broke, closed when the provider is disposed.

Nothing here imports the protocol package before a server is used.
"""

from __future__ import annotations

import asyncio
import importlib
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adal_ls.agent.approvals.digest import bytes_digest, canonical
from adal_ls.agent.mcp.settings import Launch, label, reached
from adal_ls.agent.mcp.tools import McpListing, ServedTools, identity_of, read_listing, serve
from adal_ls.sdk.errors import AdalError, McpServerError
from adal_ls.sdk.hosted import McpServer, hosted_to_wire
from adal_ls.sdk.resolve import together
from adal_ls.worker.data import ToolResult

if TYPE_CHECKING:
    from adal_ls.agent.mcp.client import McpConnection

MOST_OPEN = 32
"""Connections that are kept; a provider may describe another server for each context. Those used last stay."""

_MOST_FILE = 32 * 1024 * 1024


class McpServers:
    """The servers of one project, or of one runner of a script."""

    def __init__(self, root: Path, environment: Mapping[str, str] | None = None) -> None:
        """`environment`: of the host, by default its own; `${NAME}` in a description is looked up in it."""
        self._root = root
        self._environment = os.environ if environment is None else environment
        self._held: dict[str, _Held] = {}

    async def serve(self, servers: Sequence[McpServer]) -> list[ServedTools]:
        """The tools of these servers for one run; each is connected to now, if it is not yet. All side by side.

        A server that is described twice in the same words is one server.

        Raises:
            InvalidConfigError: a description that cannot be used.
            McpServerError: a server that cannot be reached, or gives no list of tools.
        """
        distinct = {canonical(hosted_to_wire(server)): server for server in servers}
        return await together([self._serve(key, server) for key, server in distinct.items()])

    async def close(self) -> None:
        """Closes all connections. A run that still goes on gets an error for further calls."""
        held, self._held = list(self._held.values()), {}
        await asyncio.gather(*(each.close() for each in held))

    async def _serve(self, key: str, server: McpServer) -> ServedTools:
        held = self._held.get(key)
        if held is None or held.is_closed:
            held = self._held[key] = _Held(server, self._root, self._environment)
        server.lifetime.at_end(held.close)
        self._held[key] = self._held.pop(key)  # to the end: it is used last
        for idle in [each for each in self._held.values() if each.is_open][:-MOST_OPEN]:
            await idle.rest()
        _, listing = await held.current(afresh=True)
        return serve(server, listing, _Caller(held, listing, server.prefix))


class _Held:
    """One server and its connection. After `close` it stays closed."""

    def __init__(self, server: McpServer, root: Path, environment: Mapping[str, str]) -> None:
        self._server = server
        self._root = root
        self._environment = environment
        self._lock = asyncio.Lock()
        self._connection: McpConnection | None = None
        self._listing: McpListing | None = None
        self._files: Mapping[str, str] = {}
        self.is_closed = False

    @property
    def is_open(self) -> bool:
        return self._connection is not None and self._connection.is_open

    async def rest(self) -> None:
        """Closes the connection; who needs it opens it again."""
        if self._connection is not None:
            await self._connection.close()

    async def close(self) -> None:
        """Idempotent."""
        self.is_closed = True
        await self.rest()

    async def current(self, *, afresh: bool = False) -> tuple[McpConnection, McpListing]:
        """An open connection, and what the server lists; `afresh`: asked again in any case.

        Raises:
            InvalidConfigError, McpServerError: as `McpServers.serve`.
        """
        async with self._lock:
            # A session may have ended without a sign of it: then it is begun again, once.
            for attempt in (1, 2):
                reused = self.is_open
                connection = await self._opened()
                if self._listing is not None and reused and not afresh and not connection.stale:
                    return connection, self._listing
                try:
                    self._listing = await self._listed(connection)
                except McpServerError:
                    if attempt == 2 or not reused or connection.is_open:
                        raise
                    continue
                return connection, self._listing
            raise AssertionError("unreachable")

    async def _opened(self) -> McpConnection:
        if self._connection is not None and self._connection.is_open:
            return self._connection
        if self._connection is not None:
            await self._connection.close()
            self._connection = None
        target = await asyncio.to_thread(reached, self._server, self._root, self._environment)
        # Looked at before the program reads them: what it runs later is then at worst newer, and asks again.
        self._files = await asyncio.to_thread(_files_of, target, self._root)
        # Importing it takes a second, in which everything else goes on.
        client = await asyncio.to_thread(importlib.import_module, "adal_ls.agent.mcp.client")
        if self.is_closed:
            raise McpServerError(f"MCP server '{label(self._server)}' was disposed with its project")
        self._connection = client.McpConnection(label(self._server), target, self._server.timeout_ms / 1000)
        await self._connection.open()
        return self._connection

    async def _listed(self, connection: McpConnection) -> McpListing:
        listed = await connection.tools()
        identity = identity_of(self._server, connection.said, self._files)
        return await asyncio.to_thread(read_listing, listed, identity)


class _Caller:
    """Implements `ToolCaller`: the tools of one server as one run has them."""

    def __init__(self, held: _Held, listing: McpListing, prefix: str) -> None:
        self._held = held
        self._listing = listing
        self._prefix = prefix

    async def call(
        self,
        name: str,
        arguments: dict[str, Any],
        *,
        on_print: Callable[[str], None] | None = None,  # noqa: ARG002 - what a server prints is in the log
        on_progress: Callable[[str], None] | None = None,
    ) -> ToolResult:
        own = name.removeprefix(self._prefix)
        try:
            connection, now = await self._held.current()
            there = now.tools.get(own)
            if there is None or there.digest != self._listing.tools[own].digest:
                return ToolResult("error", None, _changed(name, gone=there is None))
            return await connection.call(own, arguments, on_progress or (lambda _: None))
        except AdalError as fault:
            return ToolResult("error", None, str(fault))


def _changed(name: str, *, gone: bool) -> str:
    how = "is not there any more" if gone else "is not what it was any more"
    return (
        f"The tool '{name}' {how}: its server has changed it since this run began. Nothing was executed. "
        "The next run has it as it is then, and asks about it again."
    )


def _files_of(target: object, root: Path) -> dict[str, str]:
    """Digests of the project's own files that a command names: whoever changes one changes the server."""
    if not isinstance(target, Launch):
        return {}
    found: dict[str, str] = {}
    real = os.path.realpath(root) + os.sep
    for part in target.command:
        place = os.path.realpath(target.cwd / part) if "\0" not in part else ""
        if place.startswith(real) and os.path.isfile(place):  # noqa: PTH113
            with open(place, "rb") as file:  # noqa: PTH123
                found[part] = bytes_digest(file.read(_MOST_FILE))
    return found
