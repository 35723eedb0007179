"""One connection to an MCP server. The only module that imports `mcp`, and it is imported when a server is used first.

The package's client lives in one task of ours, which owns everything that it opens; requests come from the tasks of the
runs. Nothing that a server sends is trusted: messages have a size, what nobody asked for has a rate, requests a time.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, TypeVar

import anyio
import httpx2
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from pydantic import TypeAdapter, ValidationError

from adal_ls.agent.approvals.visible import visible
from adal_ls.agent.mcp.bounds import Budget, Progress
from adal_ls.agent.mcp.faults import first_problem, is_closed, why
from adal_ls.agent.mcp.process import MAX_MESSAGE, MessageTooLongError, ServerProcess
from adal_ls.agent.mcp.results import tool_result
from adal_ls.agent.mcp.settings import Endpoint, Launch, redacted
from adal_ls.agent.mcp.tools import MAX_LISTED
from adal_ls.sdk.errors import McpServerError
from adal_ls.version import __version__
from adal_ls.worker.data import ToolResult

T = TypeVar("T")

_log = logging.getLogger(__name__)

_STOP = 0.5
"""Seconds from cancelling a call to closing the connection to a server that does not even hear of it."""

_CLOSE = 3.0
_TOO_MUCH = "sends thousands of messages that nobody asked for, and was ended"

_MOST_PAGES = 200
_ANSWER: TypeAdapter[Any] = TypeAdapter(types.CallToolResult | types.InputRequiredResult)

_VAGUE = ("Server returned an error response", "Not Found")
"""What the package says of an error answer of HTTP."""

_ANSWERS = (types.JSONRPCResponse, types.JSONRPCError)

_ToSession = MemoryObjectSendStream[SessionMessage | Exception]
_FromSession = MemoryObjectReceiveStream[SessionMessage]


class McpConnection:
    """A connection that is opened once, used, and closed; after that it is of no more use.

    Attributes:
        stale: the server says that its tools have changed since they were listed.
        said: its name and version, as it says.
    """

    def __init__(self, name: str, target: Launch | Endpoint, seconds: float) -> None:
        self.stale = False
        self.said = ""
        self._name = name
        self._target = target
        self._seconds = seconds
        self._client: Client | None = None
        self._process: ServerProcess | None = None
        self._fault: str | None = None
        self._ending = asyncio.Event()
        self._garbage = 0
        self._refused = ""
        self._unasked = Budget()
        self._task: asyncio.Task[None] | None = None

    @property
    def is_open(self) -> bool:
        return self._client is not None and not self._ending.is_set() and self._task is not None

    async def open(self) -> None:
        """
        Raises:
            McpServerError: it cannot be started or reached, or does not answer in time.
        """
        opened = asyncio.Event()
        self._task = asyncio.ensure_future(self._live(opened))
        signs = [asyncio.ensure_future(event.wait()) for event in (opened, self._ending)]
        try:
            done, _ = await asyncio.wait(
                {self._task, *signs}, timeout=self._seconds, return_when=asyncio.FIRST_COMPLETED
            )
            if not done:
                self._break(f"did not answer within {self._seconds:g} seconds{self._noise()}")
        finally:
            for sign in signs:
                sign.cancel()
            if not opened.is_set():
                await self.close()
        if not opened.is_set():
            raise self._error("cannot be used: it " + await self._reason())

    async def close(self) -> None:
        """Ends the connection, and the program with everything it has started. Idempotent."""
        self._ending.set()
        if self._task is None:
            return
        if self._client is not None:
            await asyncio.wait({self._task}, timeout=_CLOSE)
        if not self._task.done():  # it still waits for the server's first answer, or for its last
            self._task.cancel()
            await asyncio.wait({self._task}, timeout=_CLOSE)

    async def tools(self) -> list[dict[str, Any]]:
        """All tools that the server lists, in the JSON form of the protocol.

        Raises:
            McpServerError: it does not list them.
        """
        self.stale = False
        return await self._within(self._list(), "did not list its tools")

    async def call(self, name: str, arguments: dict[str, Any], on_progress: Callable[[str], None]) -> ToolResult:
        """One call. Cancelled or out of time it is cancelled at the server, too.

        Raises:
            McpServerError: the connection is gone, or the answer is none.
        """
        shown = visible(name)[:80]
        try:
            return await self._within(
                self._call(name, arguments, Progress(on_progress)), f"did not answer the call of {shown}"
            )
        except McpServerError as fault:
            if self.is_open:
                raise
            raise McpServerError(
                f"{fault}. That was during the call of {shown}: what it did until then is not known. The next call "
                "connects again."
            ) from fault

    async def _within(self, request: Coroutine[Any, Any, T], what: str) -> T:
        """The outcome of a request, in time."""
        task = asyncio.ensure_future(request)
        task.add_done_callback(_looked_at)
        try:
            await asyncio.wait({task}, timeout=self._seconds)
        finally:
            if stopped := not task.done():
                await self._stop(task)
        if stopped:
            raise self._error(f"{what} within {self._seconds:g} seconds, and was told to stop{self._noise()}")
        try:
            return task.result()
        except MCPError as fault:
            if is_closed(fault) or not self.is_open:
                self._ending.set()
                raise self._error(await self._reason()) from fault
            if self._is_over(fault):
                self._break("has ended the session; the next call begins another one")
            raise self._error(
                f"answered with an error: {fault.error.message[:2000]}{self._status(str(fault))}"
            ) from fault
        except ValidationError as fault:
            raise self._error(f"{what}: its answer is not what the protocol says ({first_problem(fault)})") from fault
        except McpServerError:
            raise
        except Exception as fault:  # the transport is gone, in whatever way
            self._break(why(fault))
            raise self._error(await self._reason()) from fault

    async def _stop(self, task: asyncio.Task[T]) -> None:
        """Cancels a request, of which the server is told; one that does not listen loses its connection."""
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait({task}, timeout=_STOP)
        if not task.done():
            self._break("does not listen: it could not be told to stop a call")
            task.cancel()

    async def _list(self) -> list[dict[str, Any]]:
        session, listed = self._session, []
        cursor: str | None = None
        seen: set[str | None] = set()
        while cursor not in seen and len(seen) < _MOST_PAGES:
            seen.add(cursor)
            page = await session.list_tools(params=types.PaginatedRequestParams(cursor=cursor))
            listed += page.tools
            if len(listed) > MAX_LISTED:
                raise self._error(f"lists more than {MAX_LISTED} tools")
            if (cursor := page.next_cursor) is None:
                return [tool.model_dump(by_alias=True, mode="json", exclude_none=True) for tool in listed]
        raise self._error("lists its tools without an end")

    async def _call(self, name: str, arguments: dict[str, Any], progress: Progress) -> ToolResult:
        # Not `call_tool`: it checks answers against the server's own schemas, whose regular expressions could hold this
        # process up for ever.
        request = types.CallToolRequest(params=types.CallToolRequestParams(name=name, arguments=arguments))
        answer = await self._session.send_request(request, _ANSWER, progress_callback=progress)
        if isinstance(answer, types.InputRequiredResult):
            raise self._error("asks for input in the middle of a call, which is not supported")
        return tool_result(answer.model_dump(by_alias=True, mode="json", exclude_none=True))

    @property
    def _session(self) -> Any:
        if self._client is None:
            raise self._error("is not connected")
        return self._client.session

    async def _live(self, opened: asyncio.Event) -> None:
        """Everything that is open is opened and closed here: the package wants both in one task."""
        try:
            async with AsyncExitStack() as stack:
                transport = await self._transport(stack)
                client = Client(
                    transport,
                    cache=None,
                    client_info=types.Implementation(name="adal-ls", version=__version__),
                    message_handler=self._hear,
                    logging_callback=self._hear_log,
                )
                self._client = await stack.enter_async_context(client)
                info = client.server_info
                self.said = f"{info.name} {info.version}"[:300] if info else ""
                opened.set()
                async with anyio.create_task_group() as group:
                    group.start_soon(self._follow, client)
                    await self._ending.wait()
                    group.cancel_scope.cancel()
        except Exception as fault:  # noqa: BLE001 - whatever ends a connection is told to those who need it
            if self._process is None or not is_closed(fault):  # how a program ended says more than that it did
                text = why(fault)
                self._break(redacted(text + self._status(text), self._target.secrets))
        finally:
            self._ending.set()
            if self._process is not None:
                await self._process.end()

    async def _transport(self, stack: AsyncExitStack) -> Any:
        if isinstance(self._target, Endpoint):
            http = httpx2.AsyncClient(
                headers={**self._target.headers, "Accept-Encoding": "identity"},
                timeout=httpx2.Timeout(self._seconds, read=None),
                event_hooks={"response": [self._look]},
            )
            await stack.enter_async_context(http)
            return streamable_http_client(self._target.url, http_client=http, max_sse_event_size=MAX_MESSAGE)
        self._process = await ServerProcess.start(self._name, self._target)
        return self._over_pipes(self._process)

    @asynccontextmanager
    async def _over_pipes(self, process: ServerProcess) -> AsyncIterator[Any]:
        to_session, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        outgoing, from_session = anyio.create_memory_object_stream[SessionMessage](0)
        async with anyio.create_task_group() as group:
            group.start_soon(self._read, process, to_session)
            group.start_soon(self._write, process, from_session)
            try:
                yield incoming, outgoing
            finally:
                group.cancel_scope.cancel()
                for stream in (to_session, incoming, outgoing, from_session):
                    stream.close()

    async def _read(self, process: ServerProcess, to_session: _ToSession) -> None:
        async with to_session:
            try:
                async for line in process.lines():
                    message = self._message(line)
                    if not isinstance(message, _ANSWERS) and not self._unasked.spend():
                        self._break(_TOO_MUCH)
                        return
                    if message is not None:
                        await to_session.send(SessionMessage(message))
            except MessageTooLongError as fault:
                self._break(str(fault))
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                return
        self._ending.set()

    def _message(self, line: bytes) -> types.JSONRPCMessage | None:
        try:
            message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError:
            message = None
        if message is None and line.strip():
            self._garbage += 1
            if self._garbage <= 10:
                text = visible(redacted(line[:300].decode("utf-8", "replace"), self._target.secrets)).strip()
                _log.warning("MCP server '%s' writes what is no message to its stdout: %s", self._name, text)
        return message

    async def _write(self, process: ServerProcess, from_session: _FromSession) -> None:
        async with from_session:
            async for sent in from_session:
                text = sent.message.model_dump_json(by_alias=True, exclude_unset=True)
                try:
                    await process.send(text.encode() + b"\n")
                except (ConnectionError, RuntimeError):
                    self._ending.set()
                    return

    async def _follow(self, client: Client) -> None:
        """Newer servers tell of changes only those who ask for it; older ones tell everybody (`_hear`)."""
        tools = client.server_capabilities.tools
        if tools is None or not tools.list_changed:
            return
        try:
            async with client.listen(tools_list_changed=True) as changes:
                async for _ in changes:
                    self.stale = True
        except ListenNotSupportedError:
            return
        except (MCPError, SubscriptionLost) as fault:
            _log.debug("MCP server '%s' does not tell of changes: %s", self._name, fault)

    async def _hear(self, message: Any) -> None:
        if self._process is None and not self._unasked.spend():
            self._break(_TOO_MUCH)
        if isinstance(message, types.ToolListChangedNotification):
            self.stale = True

    async def _hear_log(self, params: types.LoggingMessageNotificationParams) -> None:
        text = visible(redacted(str(params.data)[:2000], self._target.secrets))
        _log.info("MCP server '%s' (%s): %s", self._name, params.level, text)

    async def _look(self, response: httpx2.Response) -> None:
        """Keeps what an error answer says, which the package does not pass on, and puts a bound to its body."""
        if response.status_code >= 400:
            self._refused = f"HTTP {response.status_code} {response.reason_phrase}".strip()
        await _bound(response)

    def _break(self, fault: str) -> None:
        self._fault = self._fault or fault
        self._ending.set()

    async def _reason(self) -> str:
        """Why the connection is gone, once that is known."""
        if self._task is not None and self._process is None:
            await asyncio.wait({self._task}, timeout=_STOP)
        if self._fault is None and self._process is not None:
            return redacted(await self._process.how_it_ended(), self._target.secrets)
        words = self._process.last_words() if self._process else ""
        fault = self._fault or "closed the connection"
        return f"{fault}; it said: {words}" if words and words not in fault else fault

    def _status(self, text: str) -> str:
        """What HTTP said, where the package says only that it was an error."""
        if not self._refused or not any(vague in text for vague in _VAGUE):
            return ""
        denied = self._refused.startswith(("HTTP 401", "HTTP 403"))
        advice = "; check the headers and the variables they name" if denied else ""
        return f" ({self._refused}{advice})"

    def _noise(self) -> str:
        return f"; it sent {self._garbage} lines that are no messages" if self._garbage else ""

    def _is_over(self, fault: MCPError) -> bool:
        return isinstance(self._target, Endpoint) and fault.error.message == "Session terminated"

    def _error(self, text: str) -> McpServerError:
        return McpServerError(f"MCP server '{self._name}' {visible(redacted(text, self._target.secrets))}")


def _looked_at(task: asyncio.Future[Any]) -> None:
    """What becomes of a request that was given up is nobody's matter, and no fault to warn of."""
    if not task.cancelled():
        task.exception()


async def _bound(response: httpx2.Response) -> None:
    """Puts a bound to the body of an answer; the package itself bounds the events of a stream."""
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        await response.aclose()
        raise httpx2.StreamError("answers compressed, which was not asked for")
    if not response.headers.get("content-type", "").lower().startswith("text/event-stream"):
        response.stream = _BoundedStream(response.stream)


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, inner: Any) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._inner:
            size += len(chunk)
            if size > MAX_MESSAGE:
                raise httpx2.StreamError(f"the answer has more than {MAX_MESSAGE:,} bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()
