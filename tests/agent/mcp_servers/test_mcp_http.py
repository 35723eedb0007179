"""MCP servers over HTTP that are down, refuse, or send what no server should."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from adal_ls.agent.mcp import client as mcp_client
from adal_ls.agent.mcp.servers import McpServers
from adal_ls.sdk import McpServer, McpServerError
from tests.agent.mcp_bench import called, over_http

Answer = Callable[[dict[str, object], dict[str, str]], bytes]


def head(status: str, kind: str, *more: str) -> bytes:
    return "\r\n".join((f"HTTP/1.1 {status}", f"Content-Type: {kind}", "Connection: close", *more, "", "")).encode()


def answering(asked: dict[str, object], result: object) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", "id": asked.get("id"), "result": result})
    return head("200 OK", "application/json") + body.encode()


def library(asked: dict[str, object]) -> bytes | None:
    """The beginning of a good conversation; None for what the test answers."""
    if asked.get("method") == "server/discover":
        return head("400 Bad Request", "text/plain")
    if asked.get("method") == "initialize":
        info = {"name": "library", "version": "1"}
        return answering(asked, {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info})
    if "id" not in asked:
        return head("202 Accepted", "text/plain")
    return None


@asynccontextmanager
async def behind(answer: Answer) -> AsyncIterator[str]:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {key.lower(): value for key, _, value in (line.partition(": ") for line in lines[1:] if line)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        writer.write(answer(json.loads(body) if body else {}, headers))
        try:
            await writer.drain()
            writer.close()
            await writer.wait_closed()
        except ConnectionError:
            return  # the client had enough

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp"
    finally:
        server.close()


async def failing(root: Path, url: str, **settings: object) -> str:
    servers = McpServers(root)
    try:
        with pytest.raises(McpServerError) as caught:
            await servers.serve([McpServer(name="library", url=url, timeout_ms=5000, **settings)])  # type: ignore[arg-type]
        return str(caught.value)
    finally:
        await servers.close()


@pytest.mark.parametrize("status", ["401 Unauthorized", "403 Forbidden"])
async def test_who_is_not_let_in_reads_what_to_look_at_and_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: str
) -> None:
    monkeypatch.setenv("LIBRARY_TOKEN", "canary-token")
    seen: list[str] = []

    def answer(asked: dict[str, object], headers: dict[str, str]) -> bytes:
        seen.append(headers.get("authorization", ""))
        return head(status, "text/plain") + b"no: " + seen[-1].encode()

    async with behind(answer) as url:
        told = await failing(tmp_path, url, headers={"Authorization": "Bearer ${LIBRARY_TOKEN}"})
    assert set(seen) == {"Bearer canary-token"}
    assert f"HTTP {status}; check the headers and the variables they name" in told
    assert "canary-token" not in told


async def test_an_answer_of_any_length_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_client, "MAX_MESSAGE", 100_000)

    def answer(asked: dict[str, object], headers: dict[str, str]) -> bytes:
        return library(asked) or head("200 OK", "application/json") + b" " * 5_000_000

    async with behind(answer) as url:
        assert "more than 100,000 bytes" in await failing(tmp_path, url)


async def test_an_event_of_any_length_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_client, "MAX_MESSAGE", 100_000)

    def answer(asked: dict[str, object], headers: dict[str, str]) -> bytes:
        return library(asked) or head("200 OK", "text/event-stream") + b"data: " + b"x" * 5_000_000

    async with behind(answer) as url:
        assert "SSE stream failed" in await failing(tmp_path, url)


async def test_an_answer_that_unpacks_to_more_is_not_unpacked(tmp_path: Path) -> None:
    def answer(asked: dict[str, object], headers: dict[str, str]) -> bytes:
        assert headers["accept-encoding"] == "identity"
        packed = gzip.compress(b" " * 50_000_000)
        return library(asked) or head("200 OK", "application/json", "Content-Encoding: gzip") + packed

    async with behind(answer) as url:
        assert "answers compressed, which was not asked for" in await failing(tmp_path, url)


async def test_a_redirect_to_another_host_is_not_followed(tmp_path: Path) -> None:
    def answer(asked: dict[str, object], headers: dict[str, str]) -> bytes:
        return head("307 Temporary Redirect", "text/plain", "Location: http://books.example/mcp")

    async with behind(answer) as url:
        assert "Redirect to http://books.example/mcp not followed" in await failing(tmp_path, url)


async def test_what_is_no_message_is_said_to_be_none(tmp_path: Path) -> None:
    def answer(asked: dict[str, object], headers: dict[str, str]) -> bytes:
        return library(asked) or head("200 OK", "text/html") + b"<h1>Library</h1>"

    async with behind(answer) as url:
        assert "Unexpected content type: text/html" in await failing(tmp_path, url)


async def test_a_server_that_went_away_is_a_readable_error_and_one_that_came_back_is_used_again(tmp_path: Path) -> None:
    servers = McpServers(tmp_path)
    with over_http(tmp_path) as (url, process):
        (served,) = await servers.serve([McpServer(name="library", url=url)])
        process.kill()
        process.wait()
        gone = await called(served, "add", a=1)
        assert gone.status == "error"
        assert "MCP server 'library'" in gone.observation
        port = int(url.rsplit(":", 1)[1].split("/")[0])
        with over_http(tmp_path, port):
            assert (await called(served, "add", a=1)).observation == "2"
            await servers.close()
