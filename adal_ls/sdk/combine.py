"""`combine_tool_providers`: several sources of tools as one, each with a context of its own.

Source: the tool-providers document ("combineToolProviders").
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from adal_ls import naming
from adal_ls.sdk.context import ToolContext
from adal_ls.sdk.errors import InvalidConfigError
from adal_ls.sdk.provider import ContextSchema, Source, ToolSummary, as_provider
from adal_ls.sdk.resolve import dispose, hook, resolve_source, run_hooks, together
from adal_ls.sdk.toolset import Tool, ToolEntry, ToolSet, read_tool_set


class CombinedToolProvider:
    """The tools of all sources, under their own names. Each source sees its part of the context: `raw[its name]`."""

    def __init__(self, sources: Mapping[str, Source]) -> None:
        self.sources = {name: source for name, source in sources.items() if source is not None}
        self.combined_sources = tuple(self.sources.values())

    async def get_tools(self, ctx: ToolContext[Mapping[str, Any]], /) -> ToolSet:
        """
        Raises:
            InvalidConfigError: two sources give a tool of the same name.
        """
        sets = await together([resolve_source(source, _slice(ctx, name)) for name, source in self.sources.items()])
        taken: dict[str, str] = {}
        tools: list[Tool] = []
        for source, tools_of_source in zip(self.sources, sets, strict=True):
            for entry in read_tool_set(tools_of_source):
                if entry.name is not None:
                    other = taken.setdefault(naming.canonical(entry.name), source)
                    if other != source:
                        raise InvalidConfigError(
                            f"the sources '{other}' and '{source}' both give a tool '{entry.name}'; "
                            "rename or leave out one of them"
                        )
                tools.append(_as_tool(entry))
        if any(entry.name is None for entry in read_tool_set(tools)):
            return tools
        return {str(entry.name): tool for entry, tool in zip(read_tool_set(tools), tools, strict=True)}

    @property
    def context_schema(self) -> ContextSchema | None:
        """An object with the schemas of those sources that declare one, under the sources' names; else None."""
        from adal_ls.sdk.context_schema import combined

        schemas = {name: getattr(source, "context_schema", None) for name, source in self.sources.items()}
        return combined({name: schema for name, schema in schemas.items() if schema is not None})

    def list_tools(self) -> list[ToolSummary]:
        """The tools of all sources that can list theirs; `adal_ls.sdk.listing` also tells whether that is all."""
        from adal_ls.sdk.listing import list_tools

        return [tool for source in self.sources.values() for tool in list_tools(source).tools]

    async def on_run_end(self, ctx: ToolContext[Mapping[str, Any]], /) -> None:
        providers = {name: found for name, source in self.sources.items() if (found := as_provider(source)) is not None}
        await run_hooks(
            "on_run_end", [hook(found, "on_run_end", _slice(ctx, name)) for name, found in providers.items()]
        )

    async def dispose(self) -> None:
        await dispose(self.combined_sources)


def combine_tool_providers(sources: Mapping[str, Source]) -> CombinedToolProvider:
    """One provider out of several sources: providers, plain tool sets, or None (skipped).

    Raises:
        InvalidConfigError: not a mapping of names to sources.
    """
    if not isinstance(sources, Mapping):
        raise InvalidConfigError(f"combine_tool_providers takes {{name: source}}, not {type(sources).__name__}")
    for name, source in sources.items():
        if not isinstance(name, str) or not name:
            raise InvalidConfigError(f"the name of a source is a string that is not empty, not {name!r}")
        if as_provider(source) is None:
            try:
                read_tool_set(source)  # type: ignore[arg-type]  # no provider, so it must be a set
            except InvalidConfigError as fault:
                raise InvalidConfigError(f"source '{name}': {fault}") from None
    return CombinedToolProvider(sources)


def _slice(ctx: ToolContext[Any], name: str) -> ToolContext[Any]:
    raw = ctx.tool_provider_context
    inner = raw.get(name) if isinstance(raw, Mapping) else getattr(raw, name, None)
    return dataclasses.replace(ctx, tool_provider_context=inner)


def _as_tool(entry: ToolEntry) -> Tool:
    """The tool as a set holds it, with its own name beside it, so that a list of tools will do."""
    if entry.hosted is not None:
        return entry.hosted
    settings: dict[str, Any] = {"function": entry.function, "name": entry.name}
    if entry.description is not None:
        settings["description"] = entry.description
    return {**settings, "require_approval": entry.require_approval}
