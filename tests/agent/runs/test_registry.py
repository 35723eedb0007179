"""A run's tools: built-ins that stay, custom tools that pass, nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from adal_ls import naming
from adal_ls.agent.builtin.catalog import BUILTINS, available
from adal_ls.agent.projects.provided import lay_over
from adal_ls.agent.runs.registry import MAX_TOOLS, RegisteredTool, RegistryError, build_registry, built_in
from adal_ls.agent.workspaces.workspace_executor import WorkspaceExecutor
from adal_ls.agent.workspaces.workspace_policy import WorkspacePolicy
from adal_ls.protocol.tools import Tool

OBJECT: dict[str, Any] = {"type": "object", "properties": {}}


def test_s12_disabled_builtins_are_neither_offered_nor_found_in_any_spelling() -> None:
    registry = build_registry(disabled=["Bash"])
    assert "bash" not in [spec["function"]["name"] for spec in registry.specs()]
    for name in ("bash", "Bash", "BASH", "bash ", "ｂａｓｈ"):
        assert registry.find(name) is None
    assert build_registry(disabled=["Read"]).find("bash") is not None


def test_enabling_and_disabling_at_once_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot be combined"):
        build_registry(enabled=["Read"], disabled=["Bash"])


def test_s12_custom_tools_stay_whatever_builtins_are_disabled() -> None:
    registry = build_registry(enabled=[], custom=[Tool(name="deploy", parameters=OBJECT)])
    assert list(registry.tools) == ["deploy"]


@pytest.mark.parametrize(
    "name", ["bash", "read_file", "search", "ｂａｓｈ", "bad-name", "return", "", "a b", "x\u200b"]
)
def test_a_worker_cannot_bring_in_a_reserved_or_invalid_name(name: str) -> None:
    registry = build_registry(custom=[Tool(name=name, parameters=OBJECT), Tool(name="good", parameters=OBJECT)])
    assert set(registry.tools) == {*available(), "good"}
    assert len(registry.left_out) == 1
    for builtin in available():
        assert registry.tools[builtin].kind == "builtin"


def test_every_entry_of_a_duplicated_name_is_left_out() -> None:
    # "ﬁx" and "fix" are the same name to Python (NFKC).
    registry = build_registry(
        enabled=[], custom=[Tool(name=name, parameters=OBJECT) for name in ("fix", "ﬁx", "other")]
    )
    assert list(registry.tools) == ["other"]
    assert len(registry.left_out) == 2


def test_a_schema_that_is_no_object_or_is_too_large_is_left_out() -> None:
    tools = [
        Tool(name="one", parameters={"type": "string"}),
        Tool(name="two", parameters={**OBJECT, "description": "x" * 70_000}),
        Tool(name="three", description="x" * 70_000, parameters=OBJECT),
    ]
    registry = build_registry(enabled=[], custom=tools)
    assert dict(registry.tools) == {}
    assert len(registry.left_out) == 3


def test_more_tools_than_a_provider_takes_is_an_error_with_count_and_limit() -> None:
    tools = [Tool(name=f"tool_{number}", parameters=OBJECT) for number in range(MAX_TOOLS + 1)]
    with pytest.raises(RegistryError, match=r"129 tools .* at most 128"):
        build_registry(enabled=[], custom=tools)


def test_a_name_providers_refuse_is_sent_as_an_alias_and_mapped_back() -> None:
    # https://github.com/TencentCloud/Octop/pull/308
    registry = build_registry(enabled=[], custom=[Tool(name="查询天气", parameters=OBJECT)])
    (spec,) = registry.specs()
    alias = spec["function"]["name"]
    assert alias.isascii()
    found = registry.find(alias)
    assert found is not None
    assert found.name == "查询天气"
    assert registry.specs(any_name=True)[0]["function"]["name"] == "查询天气"


def test_the_registry_of_a_run_cannot_be_changed() -> None:
    registry = build_registry()
    with pytest.raises(TypeError):
        registry.tools["evil"] = registry.tools["bash"]  # type: ignore[index]


def test_no_tool_is_named_like_the_alias_of_another_that_a_provider_gives() -> None:
    """A model that calls the one by the alias it was told must not reach the other, which may run unasked."""
    alias = naming.provider_alias("查询")
    listed = Tool(name=alias, parameters=OBJECT, require_approval=False)
    registry = build_registry(enabled=[], custom=[listed])
    provided = RegisteredTool("查询", alias, "", OBJECT, "custom", True, "")
    laid = lay_over(registry, [provided])
    told = {spec["function"]["name"]: laid.find(spec["function"]["name"]) for spec in laid.specs()}
    assert len(told) == 2
    assert all(tool is not None and sent == tool.alias for sent, tool in told.items())


def test_what_is_allowed_for_a_command_is_not_allowed_for_it_without_a_sandbox_or_under_another_policy(
    tmp_path: Path,
) -> None:
    """A remembered answer is bound to the digest, which stands for what a built-in tool is."""

    def digest(unconfined: bool = False, **policy: object) -> str:
        executor = WorkspaceExecutor(tmp_path, WorkspacePolicy.parse(policy, cwd=tmp_path), unconfined)
        return built_in(BUILTINS["bash"], executor=executor).source_digest

    plain = built_in(BUILTINS["bash"]).source_digest
    assert plain == built_in(BUILTINS["bash"]).source_digest
    assert digest() == digest(allow_read=["."])
    digests = [
        plain, built_in(BUILTINS["bash"], unconfined=True).source_digest, digest(), digest(unconfined=True),
        digest(allow_network=True), digest(allow_env=["A"]), digest(allow_write=[str(tmp_path.parent)]),
    ]  # fmt: skip
    assert len(set(digests)) == len(digests)
