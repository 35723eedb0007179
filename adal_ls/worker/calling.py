"""Running one tool. In the worker.

Functions run in a thread of their own, so calls overlap; coroutines run on the worker's loop. A generator's yields are
progress, its last one is the result unless it returns a value.
"""

from __future__ import annotations

import asyncio
import contextvars
import functools
import inspect
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from adal_ls.worker import frames
from adal_ls.worker.arguments import BadArgumentsError, Signature
from adal_ls.worker.data import ToolResult
from adal_ls.worker.listing import Function, ListedTool
from adal_ls.worker.missing import missing_module
from adal_ls.worker.results import as_text, cut, from_value, to_json
from adal_ls.worker.sources import Sources


class StillRunningError(Exception):
    """A cancelled tool runs on in its thread, which Python cannot stop; only ending the process can."""


OnProgress = Callable[[str], None]
"""Takes the text of a yielded value, in the thread that yields: it may wait there until the host has room."""

_MOST_PROGRESS = 100_000


@dataclass(frozen=True, slots=True)
class Ways:
    """What a call needs beside the tool and its arguments. `limit`: bytes of the observation."""

    sources: Sources
    limit: int
    on_progress: OnProgress


async def call(tool: ListedTool, arguments: Mapping[str, object], ways: Ways) -> ToolResult:
    """The result of the call; an exception of the tool, SystemExit too, is an error result.

    Raises:
        asyncio.CancelledError: the call was cancelled, and the tool has ended.
        StillRunningError: it was cancelled, and the tool runs on.
    """
    started = time.perf_counter()
    try:
        result = await _outcome(tool, arguments, ways)
    except BadArgumentsError as fault:
        result = ToolResult("error", None, cut(str(fault), ways.limit))
    except (asyncio.CancelledError, StillRunningError):
        raise
    except BaseException as fault:  # noqa: BLE001 - a tool must not end the worker, not even by SystemExit
        result = _failed(fault, ways)
    return replace(result, duration_ms=round((time.perf_counter() - started) * 1000, 3))


def _failed(fault: BaseException, ways: Ways) -> ToolResult:
    if isinstance(fault.__cause__, StopIteration) and str(fault) == "coroutine raised StopIteration":
        fault = fault.__cause__  # Python's own words, for what no coroutine can raise
    trace = frames.user_trace(fault, ways.sources)
    if isinstance(fault, SystemExit):
        text = f"SystemExit: the tool ends the program ({frames.exit_words(fault)})"
    else:
        text = frames.message(fault)
    if isinstance(fault, ModuleNotFoundError) and fault.name:
        trace += f"Python: {sys.executable}. {missing_module(fault.name, ways.sources)}\n"
    return ToolResult("error", None, cut(as_text(to_json(text)), ways.limit), trace=trace)


async def _outcome(tool: ListedTool, arguments: Mapping[str, object], ways: Ways) -> ToolResult:
    if _is_async(tool.function):
        value = _called(tool, arguments)
    else:
        value = await _in_thread(lambda: _called_to_the_end(tool, arguments, ways))
    while inspect.isawaitable(value):  # a function that is not async may give a coroutine: many decorators make such
        value = await value
    if inspect.isgenerator(value):
        value = await _in_thread(functools.partial(_last_of, value, ways))
    elif isinstance(value, AsyncIterator):
        value = await _last_of_async(value, ways)
    return value if isinstance(value, ToolResult) else from_value(value, ways.limit)


def _called(tool: ListedTool, arguments: Mapping[str, object]) -> object:
    positional, keywords = _signature(tool).bind(arguments)
    return tool.function(*positional, **keywords)


def _called_to_the_end(tool: ListedTool, arguments: Mapping[str, object], ways: Ways) -> object:
    """In the thread of a tool that is not async: also what its validators and the classes of its results do happens
    there. What is awaited or iterated is given back as it is."""
    value = _called(tool, arguments)
    if inspect.isgenerator(value):
        return _last_of(value, ways)
    if inspect.isawaitable(value) or isinstance(value, AsyncIterator):
        return value
    return from_value(value, ways.limit)


@functools.lru_cache(maxsize=1024)  # bounded: a provider makes new tools for each run
def _signature(tool: ListedTool) -> Signature:
    hidden = {problem.parameter for problem in tool.schema.problems if problem.kind == "context"}
    return Signature(tool.loaded.name, tool.function, hidden)


def _is_async(function: Function) -> bool:
    inner: Any = inspect.unwrap(getattr(function, "func", function))
    if not inspect.isroutine(inner):
        inner = type(inner).__call__
    return inspect.iscoroutinefunction(inner) or inspect.isasyncgenfunction(inner)


def _last_of(values: Iterator[object], ways: Ways) -> ToolResult:
    last: object = None
    while True:
        try:
            last = next(values)
        except StopIteration as end:
            return from_value(last if end.value is None else end.value, ways.limit)
        ways.on_progress(_progress_text(last))


async def _last_of_async(values: AsyncIterator[object], ways: Ways) -> object:
    last: object = None
    async for last in values:
        ways.on_progress(_progress_text(last))
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
