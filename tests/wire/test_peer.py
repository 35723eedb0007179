from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from adal_ls.wire.peer import ConnectionClosedError, Handler, Peer, ProtocolViolationError, RpcError


def connect(left: dict[str, Handler], right: dict[str, Handler], *, strict: bool = False) -> tuple[Peer, Peer]:
    """Two peers joined in memory; bytes cross as they would on a pipe, one loop turn later."""
    loop = asyncio.get_running_loop()
    a = Peer(lambda body: loop.call_soon(b.receive, body), left, strict=strict)  # type: ignore[arg-type]
    b = Peer(lambda body: loop.call_soon(a.receive, body), right, strict=strict)  # type: ignore[arg-type]
    return a, b


async def echo(params: Any) -> Any:
    return params


async def test_a_request_is_answered_with_the_handlers_result() -> None:
    asks, _ = connect({}, {"echo": echo})
    value = {"class": 1, "nested": {"jsonrpc": "2.0", "id": 4}, "none": None}
    assert await asks.request("echo", value) == value


async def test_an_unknown_method_is_an_error_that_names_it() -> None:
    asks, _ = connect({}, {})
    with pytest.raises(RpcError, match="unknown method nope") as caught:
        await asks.request("nope", {})
    assert caught.value.code == -32601


async def test_an_rpc_error_crosses_with_code_message_and_data() -> None:
    async def refuse(_: Any) -> Any:
        raise RpcError(-32602, "no", {"at": "x"})

    asks, _ = connect({}, {"refuse": refuse})
    with pytest.raises(RpcError) as caught:
        await asks.request("refuse", {})
    assert (caught.value.code, caught.value.message, caught.value.data) == (-32602, "no", {"at": "x"})


async def test_a_handler_that_raises_answers_once_and_the_connection_lives() -> None:
    async def broken(_: Any) -> Any:
        raise KeyError("oops")

    asks, _ = connect({}, {"broken": broken, "echo": echo})
    with pytest.raises(RpcError, match="KeyError"):
        await asks.request("broken", {})
    assert await asks.request("echo", {"a": 1}) == {"a": 1}


async def test_a_waiting_handler_delays_no_other_request() -> None:
    gate = asyncio.Event()

    async def wait(_: Any) -> Any:
        await gate.wait()
        return "late"

    asks, _ = connect({}, {"wait": wait, "echo": echo})
    waiting = asyncio.ensure_future(asks.request("wait", {}))
    assert await asks.request("echo", {"a": 1}) == {"a": 1}
    gate.set()
    assert await waiting == "late"


async def test_cancelling_the_caller_cancels_the_other_sides_handler() -> None:
    started, ended = asyncio.Event(), asyncio.Event()

    async def wait(_: Any) -> Any:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    asks, _ = connect({}, {"wait": wait}, strict=True)
    waiting = asyncio.ensure_future(asks.request("wait", {}))
    await started.wait()
    waiting.cancel()
    await asyncio.wait_for(ended.wait(), 1)
    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_an_answer_after_the_time_limit_is_dropped_without_a_violation() -> None:
    release = asyncio.Event()

    async def slow(_: Any) -> Any:
        try:
            await release.wait()
        except asyncio.CancelledError:
            return "late all the same"

    asks, _ = connect({}, {"slow": slow, "echo": echo}, strict=True)
    with pytest.raises(asyncio.TimeoutError):
        await asks.request("slow", {}, timeout=0.01)
    assert await asks.request("echo", {"still": "here"}) == {"still": "here"}


async def test_closing_ends_open_requests_and_running_handlers() -> None:
    started, ended = asyncio.Event(), asyncio.Event()

    async def wait(_: Any) -> Any:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    asks, answers = connect({}, {"wait": wait})
    waiting = asyncio.ensure_future(asks.request("wait", {}))
    await started.wait()
    asks.close()
    answers.close()
    with pytest.raises(ConnectionClosedError):
        await waiting
    await asyncio.wait_for(ended.wait(), 1)
    with pytest.raises(ConnectionClosedError):
        await asks.request("echo", {})


async def test_a_forged_answer_ends_a_strict_connection_and_is_ignored_by_a_lenient_one() -> None:
    forged = json.dumps({"jsonrpc": "2.0", "id": "guess", "result": "owned"}).encode()
    with pytest.raises(ProtocolViolationError):
        Peer(lambda _: None, {}, strict=True).receive(forged)
    sent: list[bytes] = []
    Peer(sent.append, {}).receive(forged)
    assert sent == []


@pytest.mark.parametrize(("body", "code"), [(b"{", -32700), (b"[1]", -32600)])
async def test_what_is_no_message_is_refused(body: bytes, code: int) -> None:
    sent: list[bytes] = []
    Peer(sent.append, {}).receive(body)
    assert json.loads(sent[0])["error"]["code"] == code
    with pytest.raises(ProtocolViolationError):
        Peer(sent.append, {}, strict=True).receive(body)


@pytest.mark.parametrize(
    "body",
    [
        b'{"method": [], "id": 1}',
        b'{"method": "echo", "id": [2]}',
        b'{"method": "echo", "id": 3, "params": [1]}',
        b'{"method": "$/cancelRequest", "params": [1]}',
        b'{"method": "echo", "id": 4, "params": {"x": NaN}}',
        b"[" * 100_000,
    ],
)
async def test_a_message_of_the_wrong_shape_is_answered_once_and_harms_nothing(body: bytes) -> None:
    sent: list[dict[str, Any]] = []
    peer = Peer(lambda answer: sent.append(json.loads(answer)), {"echo": echo})
    peer.receive(body)
    await asyncio.sleep(0)
    assert len(sent) == 1
    assert "error" in sent[0]


async def test_an_error_answer_without_an_id_is_not_answered() -> None:
    # It is what a peer says about a message it could not read; two such peers would go on for ever.
    sent: list[bytes] = []
    peer = Peer(sent.append, {})
    peer.receive(b'{"jsonrpc": "2.0", "id": null, "error": {"code": -32700, "message": "?"}}')
    assert sent == []
