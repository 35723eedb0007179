"""What happens to providers in a run and when they go away. The same for every place that runs agents.

Source: the tool-providers document ("ToolProvider", "Resolution Order").
"""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from adal_ls import naming
from adal_ls.sdk.context import ToolContext
from adal_ls.sdk.errors import AdalError, ProviderHooksError
from adal_ls.sdk.provider import Source, as_provider
from adal_ls.sdk.toolset import ToolEntry, ToolSet, read_tool_set

T = TypeVar("T")


async def resolve_source(source: Source, ctx: ToolContext[Any]) -> ToolSet:
    """The tool set of one source: a provider is asked, a plain set is returned as it is, None gives an empty one."""
    provider = as_provider(source)
    if provider is not None:
        with _staying(provider, "get_tools"):
            found = provider.get_tools(ctx)
            return await found if inspect.isawaitable(found) else found
    return {} if source is None else source  # type: ignore[return-value]  # no provider, so a set


async def resolve_tools(sources: Sequence[Source], ctx: ToolContext[Any]) -> tuple[ToolEntry, ...]:
    """The tools of one episode: all sources are asked side by side with the same context, later ones win by name.

    An object that stands in several places is asked once. The first error, in the order of the sources, is raised
    unchanged; the others are given up then.

    Raises:
        InvalidConfigError: a source gives no tool set.
    """
    distinct = _distinct(sources)
    found = await together([resolve_source(source, ctx) for source in distinct])
    sets = {id(source): read_tool_set(tools) for source, tools in zip(distinct, found, strict=True)}
    merged: dict[object, ToolEntry] = {}
    for source in sources:
        for entry in sets[id(source)]:
            # A server has many tools, so nothing replaces it but itself.
            key = id(entry.hosted) if entry.name is None else naming.canonical(entry.name)
            merged.pop(key, None)
            merged[key] = entry
    return tuple(merged.values())


async def end_run(sources: Iterable[Source], ctx: ToolContext[Any]) -> None:
    """Tells every provider, once for each object, that the episode is over; all are told, side by side.

    Each gets a context of its own that equals the one of `get_tools`.

    Raises:
        Exception: the one error that a hook raised.
        ProviderHooksError: several did.
    """
    providers = [provider for source in _distinct(sources) if (provider := as_provider(source)) is not None]
    await run_hooks("on_run_end", [hook(provider, "on_run_end", dataclasses.replace(ctx)) for provider in providers])


async def dispose(sources: Iterable[Source], *, staying: Iterable[Source] = ()) -> None:
    """Disposes every provider, also those that were combined, once for each object; none of those that are `staying`.

    Raises:
        Exception: the one error that a hook raised.
        ProviderHooksError: several did.
    """
    kept = {id(leaf) for source in staying for leaf in _leaves(source)}
    leaves = _distinct(leaf for source in sources for leaf in _leaves(source))
    await run_hooks("dispose", [hook(leaf, "dispose") for leaf in leaves if id(leaf) not in kept])


def hook(provider: object, name: str, *arguments: object) -> Callable[[], Awaitable[None]]:
    """A hook of a provider, to be run; nothing happens where the provider has none."""

    async def run() -> None:
        function = getattr(provider, name, None)
        if function is not None:
            with _staying(provider, name):
                outcome = function(*arguments)
                if inspect.isawaitable(outcome):
                    await outcome

    return run


@contextmanager
def _staying(provider: object, method: str) -> Iterator[None]:
    """SystemExit out of a task would end the loop, and everything else on it: here it is the provider's failure."""
    try:
        yield
    except SystemExit as fault:
        raise AdalError(
            f"{type(provider).__name__}.{method} ends the program (exit code {fault.code})",
            code=ProviderHooksError.code,
        ) from fault


async def run_hooks(name: str, hooks: Sequence[Callable[[], Awaitable[None]]]) -> None:
    """Runs all hooks side by side, each to its end, whatever becomes of the others.

    Raises:
        Exception: the one error.
        ProviderHooksError: there were several.
    """
    outcomes = await asyncio.gather(*(run() for run in hooks), return_exceptions=True)
    errors = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise ProviderHooksError(name, errors)


async def together(awaitables: Sequence[Awaitable[T]]) -> list[T]:
    """The results of all, run side by side. At the first error the rest is cancelled and waited for.

    Raises:
        Exception: the first error in order.
    """
    tasks = [asyncio.ensure_future(each) for each in awaitables]
    try:
        if tasks:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    failed = [task for task in tasks if not task.cancelled() and task.exception() is not None]
    return [task.result() for task in failed or tasks]


def _distinct(sources: Iterable[Source]) -> list[Source]:
    return list({id(source): source for source in sources}.values())


def _leaves(source: Source) -> Iterable[Source]:
    inner = getattr(source, "combined_sources", None)
    if isinstance(inner, tuple):
        for each in inner:
            yield from _leaves(each)
    elif as_provider(source) is not None:
        yield source
