"""Checklist P: providers and combined providers, without a run."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic import BaseModel

from adal_ls.sdk import (
    InvalidConfigError,
    McpServer,
    ProviderHooksError,
    ToolContext,
    ToolSet,
    ToolSummary,
    combine_tool_providers,
    create_tool_provider,
    mcp_tool_provider,
)
from adal_ls.sdk.resolve import dispose, end_run, resolve_source, resolve_tools
from tests.sdk.agents import Recorder


def ctx(raw: Any = None) -> ToolContext[Any]:
    return ToolContext("coder", "call-1", "scope-1", tool_provider_context=raw)


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


def fetch(url: str) -> str:
    """Fetch."""
    return url


def search(query: str) -> str:
    """Search."""
    return query


async def test_p1_no_source_gives_an_empty_set() -> None:
    assert await resolve_source(None, ctx()) == {}
    assert await resolve_tools([None, None, None], ctx()) == ()


@pytest.mark.parametrize("tools", [{"add": add}, [add], (add,)])
async def test_p2_a_plain_set_is_returned_as_it_is(tools: ToolSet) -> None:
    assert await resolve_source(tools, ctx()) is tools


async def test_p3_get_tools_gets_exactly_the_context_and_may_be_async() -> None:
    provider = Recorder({"add": add})
    given = ctx({"root": "/w"})
    assert await resolve_source(provider, given) == {"add": add}
    assert provider.seen[0] is given


async def test_p4_get_tools_may_be_sync() -> None:
    provider = create_tool_provider(get_tools=lambda ctx: {"add": add} if ctx.agent_id == "coder" else {})
    assert await resolve_source(provider, ctx()) == {"add": add}


async def test_p5_an_instance_of_a_class_is_a_provider_and_its_class_is_not() -> None:
    class Sandbox:
        def __init__(self, name: str) -> None:
            self.name = name

        def get_tools(self, ctx: ToolContext[Any], /) -> ToolSet:
            return {self.name: add}

    assert await resolve_source(Sandbox("plus"), ctx()) == {"plus": add}
    with pytest.raises(InvalidConfigError, match=r"Sandbox\(\)"):
        await resolve_source(Sandbox, ctx())  # type: ignore[arg-type]


async def test_p6_combine_merges_a_plain_set_and_a_provider() -> None:
    combined = combine_tool_providers({"plain": [add], "web": create_tool_provider(get_tools=lambda _: [fetch])})
    (one, two) = await resolve_tools([combined], ctx())
    assert [(one.name, one.function), (two.name, two.function)] == [("add", add), ("fetch", fetch)]


async def test_p6_what_an_entry_says_about_its_tool_survives_the_combination() -> None:
    entry = {"function": add, "name": "plus", "description": "Sum.", "require_approval": False}
    (tool,) = await resolve_tools([combine_tool_providers({"plain": [entry]})], ctx())
    assert (tool.name, tool.description, tool.require_approval) == ("plus", "Sum.", False)


async def test_p7_a_name_that_two_sources_give_is_refused_when_tools_are_resolved_and_names_both() -> None:
    combined = combine_tool_providers({"docs": [search], "web": {"search": search, "fetch": fetch}})  # no error yet
    with pytest.raises(InvalidConfigError) as caught:
        await resolve_source(combined, ctx())
    assert caught.value.code == "INVALID_CONFIG"
    assert all(word in str(caught.value) for word in ("'search'", "'docs'", "'web'"))


async def test_p7_names_that_python_takes_for_one_are_one() -> None:
    with pytest.raises(InvalidConfigError, match="both give"):
        await resolve_source(combine_tool_providers({"a": {"ﬁnd": add}, "b": {"find": add}}), ctx())


async def test_p8_none_sources_are_skipped_and_a_missing_key_is_a_context_of_none() -> None:
    provider = Recorder({"add": add})
    combined = combine_tool_providers({"nothing": None, "here": provider})
    for raw in (None, {}, {"other": 1}):
        await resolve_source(combined, ctx(raw))
    assert [seen.tool_provider_context for seen in provider.seen] == [None, None, None]


async def test_p9_each_source_sees_its_part_of_the_context_and_the_rest_of_the_call() -> None:
    one, two = Recorder({"add": add}), Recorder({"fetch": fetch})
    await resolve_source(combine_tool_providers({"one": one, "two": two}), ctx({"one": {"root": "/w"}, "two": 7}))
    assert one.seen == [ctx({"root": "/w"})]
    assert two.seen == [ctx(7)]


async def test_p9_combined_providers_combine() -> None:
    inner = Recorder({"add": add})
    outer = combine_tool_providers({"outer": combine_tool_providers({"inner": inner})})
    await resolve_source(outer, ctx({"outer": {"inner": "deep"}}))
    assert inner.seen[0].tool_provider_context == "deep"


async def test_p10_a_source_without_a_key_in_the_context_is_still_asked() -> None:
    quiet = Recorder({"add": add})
    tools = await resolve_tools([combine_tool_providers({"quiet": quiet, "web": [fetch]})], ctx({"web": 1}))
    assert [tool.name for tool in tools] == ["add", "fetch"]
    assert len(quiet.seen) == 1


class Root(BaseModel):
    root: str = "."


def with_schema(schema: Any) -> Any:
    return create_tool_provider(get_tools=lambda _: {}, context_schema=schema)


async def test_p11_the_combined_schema_is_by_source_and_whoever_parses_gets_the_nested_defaults() -> None:
    combined = combine_tool_providers({"schema": with_schema(Root), "plain": [add], "mute": Recorder()})
    parsed = combined.context_schema.model_validate({"schema": {}})  # type: ignore[union-attr]
    assert parsed.model_dump(by_alias=True) == {"schema": {"root": "."}}


def test_p11_a_json_schema_among_the_sources_gives_a_json_schema() -> None:
    written = {"type": "object", "properties": {"n": {"$ref": "#/$defs/N"}}, "$defs": {"N": {"type": "integer"}}}
    schema = combine_tool_providers({"sandbox": with_schema(Root), "json": with_schema(written)}).context_schema
    assert isinstance(schema, dict)
    assert schema["required"] == ["sandbox", "json"]
    assert schema["properties"]["sandbox"]["properties"]["root"]["default"] == "."
    assert schema["properties"]["json"] == {"type": "object", "properties": {"n": {"type": "integer"}}}
    assert "$defs" in written  # what was given is as it was


def test_p12_without_any_schema_there_is_none() -> None:
    assert combine_tool_providers({"plain": [add], "mute": Recorder()}).context_schema is None


async def test_p13_create_tool_provider_forwards_everything() -> None:
    heard: list[object] = []

    async def on_run_end(ctx: ToolContext[Any]) -> None:
        heard.append(ctx)

    provider = create_tool_provider(
        get_tools=lambda ctx: heard.append(ctx) or [add],  # type: ignore[func-returns-value]
        context_schema=Root,
        list_tools=lambda: [ToolSummary("add", "Add.")],
        on_run_end=on_run_end,
        dispose=lambda: heard.append("disposed"),
    )
    assert await resolve_source(provider, ctx()) == [add]
    assert provider.context_schema is Root
    assert provider.list_tools is not None
    assert provider.list_tools() == [ToolSummary("add", "Add.")]
    await end_run([provider], ctx())
    await dispose([provider])
    assert heard == [ctx(), ctx(), "disposed"]


def test_p13_what_is_no_function_is_refused_at_once() -> None:
    with pytest.raises(InvalidConfigError, match="on_run_end must be a function"):
        create_tool_provider(get_tools=lambda _: {}, on_run_end="later")  # type: ignore[arg-type]


async def test_p14_the_raw_value_passes_untouched_and_no_default_is_filled_in() -> None:
    provider = Recorder({"add": add})
    provider.context_schema = Root  # type: ignore[attr-defined]
    raw = {"unknown": 1}
    await resolve_source(provider, ctx(raw))
    assert provider.seen[0].tool_provider_context is raw


async def test_p15_combined_hooks_reach_all_sources_each_with_its_part() -> None:
    one, two = Recorder(), Recorder()
    combined = combine_tool_providers({"one": one, "plain": [add], "two": two})
    await end_run([combined], ctx({"one": 1, "two": 2}))
    await dispose([combined])
    assert (one.ended, two.ended) == ([ctx(1)], [ctx(2)])
    assert (one.disposed, two.disposed) == (1, 1)


async def test_p15_the_same_source_under_two_names_ends_twice_and_goes_away_once() -> None:
    shared = Recorder()
    combined = combine_tool_providers({"one": shared, "two": shared})
    await end_run([combined], ctx({"one": 1, "two": 2}))
    await combined.dispose()
    assert [ended.tool_provider_context for ended in shared.ended] == [1, 2]
    assert shared.disposed == 1


@pytest.mark.parametrize("hook", ["on_run_end", "dispose"])
async def test_p16_a_hook_that_fails_stops_no_sibling_and_its_error_surfaces(hook: str) -> None:
    bad, good = Recorder(fails=hook), Recorder()
    run = end_run([bad, good], ctx()) if hook == "on_run_end" else dispose([bad, good])
    with pytest.raises(Exception, match=f"{hook} failed") as caught:
        await run
    assert caught.value.code == "MINE"  # type: ignore[attr-defined]
    assert (good.ended or good.disposed) != 0


@pytest.mark.parametrize("hook", ["on_run_end", "dispose"])
async def test_p17_several_failures_are_one_error_that_holds_them_all(hook: str) -> None:
    bad = [Recorder(fails=hook, error=ValueError("first")), Recorder(fails=hook, error=KeyError("second"))]
    run = end_run(bad, ctx()) if hook == "on_run_end" else dispose(bad)
    with pytest.raises(ProviderHooksError, match=rf"ToolProvider\.{hook} failed") as caught:
        await run
    assert [type(error) for error in caught.value.errors] == [ValueError, KeyError]
    assert "first" in str(caught.value)
    assert "second" in str(caught.value)


async def test_providers_are_resolved_side_by_side_and_each_object_once() -> None:
    arrived: list[str] = []
    both = asyncio.Event()

    async def arrive(name: str) -> ToolSet:
        arrived.append(name)
        if len(arrived) == 2:
            both.set()
        await asyncio.wait_for(both.wait(), 5)  # one after the other would wait for ever
        return {name: add}

    one = create_tool_provider(get_tools=lambda _: arrive("one"))
    two = create_tool_provider(get_tools=lambda _: arrive("two"))
    tools = await resolve_tools([one, two, one], ctx())
    assert [tool.name for tool in tools] == ["two", "one"]
    assert arrived == ["one", "two"]


async def test_a_failed_source_gives_up_the_others() -> None:
    given_up = asyncio.Event()

    async def slow(_: ToolContext[Any]) -> ToolSet:
        try:
            await asyncio.sleep(60)
        finally:
            given_up.set()
        return {}

    with pytest.raises(Exception, match="get_tools failed"):
        await resolve_tools([create_tool_provider(get_tools=slow), Recorder(fails="get_tools")], ctx())
    assert given_up.is_set()


async def test_later_sources_win_by_name() -> None:
    def other(a: int) -> int:
        """Another."""
        return a

    tools = await resolve_tools([[add, fetch], {"add": other}, None], ctx())
    assert [(tool.name, tool.function) for tool in tools] == [("fetch", fetch), ("add", other)]


def test_a_wrong_source_is_refused_when_it_is_combined() -> None:
    with pytest.raises(InvalidConfigError, match="source 'web': a tool set is a mapping"):
        combine_tool_providers({"web": 7})  # type: ignore[dict-item]
    with pytest.raises(InvalidConfigError, match="not list"):
        combine_tool_providers([add])  # type: ignore[arg-type]


async def test_an_mcp_server_stands_in_a_list_beside_tools_with_names() -> None:
    server = mcp_tool_provider(name="tickets", command=["tickets-mcp"])
    combined = combine_tool_providers({"mcp": server, "plain": [add]})
    tools = await resolve_tools([combined], ctx())
    assert [(tool.name, tool.hosted) for tool in tools] == [(None, server.server), ("add", None)]
    assert isinstance(tools[0].hosted, McpServer)
