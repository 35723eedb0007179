"""Checklist I: what a person is shown of an agent's tools, and the form for its context, without running anything."""

from __future__ import annotations

from enum import Enum
from typing import Any, Literal, Optional

import pytest
from pydantic import BaseModel, Field

from adal_ls.sdk import (
    InvalidConfigError,
    InvalidInputError,
    ToolContext,
    ToolSet,
    ToolSummary,
    combine_tool_providers,
    create_tool_provider,
    create_workspace_tool_provider,
    mcp_tool_provider,
)
from adal_ls.sdk.context_form import (
    ContextField,
    ContextForm,
    build,
    build_fields,
    describe,
    initial,
    raw_text,
    sample,
)
from adal_ls.sdk.listing import ToolListing, list_agent_tools, list_tools


def add(a: int) -> int:
    """Add one.

    And say so.
    """
    return a + 1


def bare(a: int) -> int:
    return a


class Asked:
    """A provider that must not be asked for its tools."""

    def get_tools(self, ctx: ToolContext[Any], /) -> ToolSet:
        raise AssertionError("get_tools was called with a context that was made up")


class Listing(Asked):
    def __init__(self, *tools: object) -> None:
        self.tools = {"hidden": add}  # I4: nobody looks at the attributes of a provider
        self._listed = list(tools)

    def list_tools(self) -> list[Any]:
        return self._listed


class Declared(Asked):
    def __init__(self, schema: object) -> None:
        self.context_schema = schema


def names(listing: ToolListing) -> dict[str, str]:
    return {tool.name: tool.description for tool in listing.tools}


def test_i1_tools_of_runtime_and_agent_are_listed_and_the_agents_win() -> None:
    listing = list_agent_tools([add, bare], Listing(ToolSummary("add", "Mine."), {"name": "own"}))
    assert names(listing) == {"add": "Mine.", "bare": "bare", "own": "own"}
    assert listing.complete


def test_i2_an_agent_without_tools_lists_none() -> None:
    assert list_agent_tools(None, None) == ToolListing((), complete=True)
    assert list_tools({}).tools == ()


def test_i3_a_missing_description_is_the_name() -> None:
    assert names(list_tools([add, bare])) == {"add": "Add one.", "bare": "bare"}
    assert names(list_tools(Listing(ToolSummary("quiet")))) == {"quiet": "quiet"}


def test_i4_list_tools_is_what_counts_not_what_a_provider_has_inside() -> None:
    assert names(list_tools(Listing(ToolSummary("bash", "Run.")))) == {"bash": "Run."}


def test_i5_a_provider_without_list_tools_cannot_list_and_is_never_asked() -> None:
    assert list_tools(Asked()) == ToolListing((), complete=False)
    assert list_tools(mcp_tool_provider(url="https://example.org/mcp")) == ToolListing((), complete=False)


def test_a_combined_list_that_is_partial_says_so() -> None:
    whole = combine_tool_providers({"plain": [add], "lists": Listing(ToolSummary("bash", "Run."))})
    partial = combine_tool_providers({"plain": [add], "inner": combine_tool_providers({"mute": Asked()})})
    assert list_tools(whole) == ToolListing((ToolSummary("add", "Add one."), ToolSummary("bash", "Run.")))
    assert list_tools(partial) == ToolListing((ToolSummary("add", "Add one."),), complete=False)
    assert [tool.name for tool in whole.list_tools()] == ["add", "bash"]
    assert not list_agent_tools(partial, [bare]).complete


def test_a_list_that_is_none_is_refused() -> None:
    with pytest.raises(InvalidConfigError, match="list_tools must give a list"):
        list_tools(create_tool_provider(get_tools=lambda _: {}, list_tools=lambda: "bash"))
    with pytest.raises(InvalidConfigError, match="which has no name"):
        list_tools(Listing(7))


def test_i6_an_agent_with_a_plain_set_has_no_form_and_nothing_is_sent() -> None:
    assert describe(None, [add]) == ContextForm(declared=False)
    assert build(describe([add], None), raw='{"root": 1}') is None


@pytest.mark.parametrize("schema", [None, {"type": "string"}, list[int], {"anyOf": [{"type": "object"}]}, {}])
def test_i7_without_a_schema_of_an_object_the_form_is_a_box_for_json(schema: object) -> None:
    form = describe(None, Declared(schema))
    assert form == ContextForm(declared=True)
    assert form.raw


class Inner(BaseModel):
    depth: int
    tags: list[str] = []


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Context(BaseModel):
    root: str
    depth: int = 3
    ratio: float | None = None
    dry: Optional[bool] = Field(default=None, description="Only look.")  # noqa: UP045 - both ways of writing it
    mode: Literal["fast", "safe"] = "safe"
    colour: Colour | None = None
    level: Literal[1, 2]
    either: int | str
    paths: list[str] = Field(default_factory=list)
    inner: Inner
    extra: dict[str, int] = {}
    missing: int | None
    anything: Any = None


def field(name: str, schema: object = Context) -> ContextField:
    return next(each for each in describe(None, Declared(schema)).fields if each.name == name)


def test_i8_the_schema_of_an_object_gives_fields_in_its_order() -> None:
    form = describe(None, Declared(Context))
    assert form.declared
    assert [each.name for each in form.fields] == list(Context.model_fields)
    assert field("root") == ContextField("root", "string", required=True)


def test_i9_the_schema_of_the_agent_is_preferred_to_that_of_its_runtime() -> None:
    runtime_wide, own = Declared(Inner), Declared({"type": "object", "properties": {"root": {"type": "string"}}})
    assert [each.name for each in describe(runtime_wide, own).fields] == ["root"]
    assert [each.name for each in describe(runtime_wide, [add]).fields] == ["depth", "tags"]
    assert [each.name for each in describe(runtime_wide, Asked()).fields] == ["depth", "tags"]


def test_i10_what_is_built_from_a_form() -> None:
    fields = describe(None, Declared(Inner))
    assert build(ContextForm(declared=False), values={"depth": 1}) is None
    assert build(fields, values={"depth": 1}) == {"depth": 1, "tags": []}
    assert build(ContextForm(declared=True), raw=' {"any": [1]} ') == {"any": [1]}
    assert build(ContextForm(declared=True), raw="7") == 7
    assert build(ContextForm(declared=True), raw=" \n") is None
    with pytest.raises(InvalidInputError, match="The tool context is not valid JSON"):
        build(ContextForm(declared=True), raw="{")


def test_i11_a_value_used_before_beats_the_sample_of_the_schema() -> None:
    form = describe(None, Declared(Context))
    assert initial(form)["depth"] == 3
    assert initial(form, {"depth": 9}) == {"depth": 9}
    assert initial(form, False) is False


def test_i12_the_box_for_json_shows_a_value_as_json_text() -> None:
    assert raw_text({"root": "/w", "ä": [1]}) == '{\n  "root": "/w",\n  "ä": [\n    1\n  ]\n}'
    assert raw_text(None) == ""


def test_i13_fields_are_described_by_kind_and_shape() -> None:
    assert field("depth") == ContextField("depth", "number", required=True, default=3)
    assert field("ratio") == ContextField("ratio", "number", required=False)
    assert field("dry") == ContextField("dry", "boolean", required=False, description="Only look.")
    assert field("mode") == ContextField("mode", "string", required=True, options=("fast", "safe"), default="safe")
    assert field("colour") == ContextField("colour", "string", required=False, options=("red", "blue"))
    assert field("level") == ContextField("level", "number", required=True, options=(1, 2))
    union = {"type": "union", "of": [{"type": "number"}, {"type": "string"}]}
    assert field("either") == ContextField("either", "json", required=True, json_type=union)
    strings = {"type": "array", "items": {"type": "string"}}
    assert field("paths") == ContextField("paths", "json", required=False, json_type=strings)
    assert field("inner").json_type == {
        "type": "object",
        "fields": [
            {"name": "depth", "required": True, "type": {"type": "number"}},
            {"name": "tags", "required": False, "type": strings, "default": []},
        ],
    }
    assert field("extra").json_type == {"type": "record", "values": {"type": "number"}}
    # Required and nullable: null must be sendable, so it is JSON.
    assert field("missing").json_type == {"type": "union", "of": [{"type": "number"}, {"type": "null"}]}
    assert (field("anything").kind, field("anything").json_type) == ("json", {"type": "any"})


def test_i13_a_schema_that_holds_itself_comes_to_an_end() -> None:
    schema = {
        "type": "object",
        "properties": {"tree": {"$ref": "#/$defs/Tree"}},
        "$defs": {"Tree": {"type": "object", "properties": {"left": {"$ref": "#/$defs/Tree"}}}},
    }
    left = {"name": "left", "required": False, "type": {"type": "any"}}
    assert field("tree", schema).json_type == {"type": "object", "fields": [left]}


def test_i13_on_the_wire_what_is_not_there_is_absent() -> None:
    assert field("ratio").wire() == {"name": "ratio", "kind": "number", "required": False}
    assert field("mode").wire()["options"] == ["fast", "safe"]
    assert field("either").wire()["jsonType"]["type"] == "union"


def test_i14_the_sample_is_made_of_defaults_and_nothing_is_invented() -> None:
    assert sample(describe(None, Declared(Context))) == {"depth": 3, "mode": "safe", "extra": {}}
    assert sample(describe(None, Declared(Inner))) == {"tags": []}
    assert sample(ContextForm(declared=True)) == {}


def test_i15_a_required_field_that_is_missing_is_said_by_name() -> None:
    form = describe(None, Declared(Context))
    for values in ({}, {"root": ""}, {"root": None}):
        with pytest.raises(InvalidInputError, match=r"^root is required$"):
            build(form, values=values)
    with pytest.raises(InvalidInputError, match=r"^depth is required$"):
        build(form, values={"root": "/w", "depth": ""})  # the default was taken out


def test_i16_an_unset_optional_boolean_is_left_out_and_false_is_kept() -> None:
    dry = [field("dry")]
    assert build_fields(dry, {}) == {}
    assert build_fields(dry, {"dry": False}) == {"dry": False}
    assert build_fields(dry, {"dry": "true"}) == {"dry": True}


def test_i17_no_fields_give_an_empty_object() -> None:
    assert build_fields([], {"stray": 1}) == {}


def test_texts_become_what_their_fields_take_or_are_refused_by_name() -> None:
    given = {"root": "/w", "level": "2", "either": '"text"', "inner": '{"depth": 1}', "missing": "null", "ratio": "0.5"}
    built = build(describe(None, Declared(Context)), values=given)
    assert built["level"] == 2
    assert built["inner"] == {"depth": 1}
    assert built["ratio"] == 0.5
    assert Context.model_validate(built).missing is None
    for name, text, told in (
        ("ratio", "fast", "ratio is not valid JSON"),
        ("ratio", "true", "ratio must be a number"),
        ("mode", "slow", "mode must be one of fast, safe"),
        ("dry", "1", "dry must be true or false"),
    ):
        with pytest.raises(InvalidInputError) as caught:
            build_fields([field(name)], {name: text})
        assert told in str(caught.value)


def test_a_schema_that_nothing_can_describe_is_refused() -> None:
    with pytest.raises(InvalidConfigError, match="context_schema must be a pydantic model or a JSON Schema"):
        describe(None, Declared(7))


def test_a_workspace_provider_lists_its_tools_and_has_a_form() -> None:
    provider = create_workspace_tool_provider(tools=["read_file", "bash"])
    assert names(list_tools(provider)) == {"read_file": "read_file", "bash": "bash"}
    assert [each.name for each in describe(None, provider).fields] == ["cwd"]
