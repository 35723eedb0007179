"""Running one tool. In the worker.

Functions run in a thread of their own, so calls overlap; coroutines run on the worker's loop. A generator's yields are
progress, its last one is the result unless it returns a value.
"""

from __future__ import annotations

import asyncio
import contextvars
import functools
import inspect
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any

from adal_ls.worker import frames
from adal_ls.worker.arguments import BadArgumentsError, Signature
from adal_ls.worker.data import ToolResult
from adal_ls.worker.listing import Function
from adal_ls.worker.results import as_text, cut, from_value, to_json
from adal_ls.worker.sources import Sources


class StillRunningError(Exception):
    """A cancelled tool runs on in its thread, which Python cannot stop; only ending the process can."""


OnProgress = Callable[[str], None]
"""Takes the text of a yielded value, in the thread that yields: it may wait there until the host has room."""

_MOST_PROGRESS = 100_000


async def call(
    function: Function,
    signature: Signature,
    arguments: Mapping[str, object],
    sources: Sources,
    *,
    limit: int,
    on_progress: OnProgress,
) -> ToolResult:
    """The result of the call; an exception of the tool, SystemExit too, is an error result.

    Raises:
        asyncio.CancelledError: the call was cancelled, and the tool has ended.
        StillRunningError: it was cancelled, and the tool runs on.
    """
    started = time.perf_counter()
    try:
        positional, keywords = signature.bind(arguments)
        value = await _outcome(function, positional, keywords, on_progress)
        result = from_value(value, limit)
    except BadArgumentsError as fault:
        result = ToolResult("error", None, cut(str(fault), limit))
    except (asyncio.CancelledError, StillRunningError):
        raise
    except BaseException as fault:  # noqa: BLE001 - a tool must not end the worker, not even by SystemExit
        result = _failed(fault, sources, limit)
    took = (time.perf_counter() - started) * 1000
    return ToolResult(
        result.status,
        result.output,
        result.observation,
        result.display,
        duration_ms=round(took, 3),
        trace=result.trace,
    )


def _failed(fault: BaseException, sources: Sources, limit: int) -> ToolResult:
    if isinstance(fault, SystemExit):
        text = f"SystemExit: the tool ends the program (exit code {frames.exit_code(fault)})"
    else:
        text = frames.message(fault)
    return ToolResult("error", None, cut(as_text(to_json(text)), limit), trace=frames.user_trace(fault, sources))


async def _outcome(
    function: Function, positional: list[object], keywords: dict[str, object], on_progress: OnProgress
) -> object:
    if _is_async(function):
        value = function(*positional, **keywords)
    else:
        value = await _in_thread(lambda: function(*positional, **keywords))
    if inspect.isawaitable(value):
        value = await value
    if isinstance(value, Iterator) and inspect.isgenerator(value):
        return await _in_thread(functools.partial(_last_of, value, on_progress))
    if isinstance(value, AsyncIterator):
        return await _last_of_async(value, on_progress)
    return value


def _is_async(function: Function) -> bool:
    inner: Any = inspect.unwrap(getattr(function, "func", function))
    if not inspect.isroutine(inner):
        inner = type(inner).__call__
    return inspect.iscoroutinefunction(inner) or inspect.isasyncgenfunction(inner)


def _last_of(values: Iterator[object], on_progress: OnProgress) -> object:
    last: object = None
    while True:
        try:
            last = next(values)
        except StopIteration as end:
            return last if end.value is None else end.value
        on_progress(_progress_text(last))


async def _last_of_async(values: AsyncIterator[object], on_progress: OnProgress) -> object:
    last: object = None
    async for last in values:
        on_progress(_progress_text(last))
    return last


def _progress_text(value: object) -> str:
    return cut(from_value(value, _MOST_PROGRESS).observation, _MOST_PROGRESS)


async def _in_thread(function: Callable[[], object]) -> object:
    """Runs `function` in a thread of its own: a pool would make the calls beyond its size wait."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[tuple[object, BaseException | None]] = loop.create_future()
    context = contextvars.copy_context()

    def settle(value: object, fault: BaseException | None) -> None:
        if not done.done():
            done.set_result((value, fault))

    def run() -> None:
        try:
            outcome: tuple[object, BaseException | None] = (context.run(function), None)
        except BaseException as fault:  # noqa: BLE001 - carried to the loop, which tells the host
            outcome = (None, fault)
        loop.call_soon_threadsafe(settle, *outcome)

    threading.Thread(target=run, name="adal tool", daemon=True).start()
    try:
        value, fault = await done
    except asyncio.CancelledError:
        raise StillRunningError from None
    if fault is not None:
        raise fault
    return value
