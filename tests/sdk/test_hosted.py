"""Providers whose tools the host serves: what they describe (checklist W2, W3, N7, M1, M5, F8 where they are made)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adal_ls.sdk import (
    InvalidConfigError,
    InvalidContextError,
    InvalidInputError,
    McpServer,
    ToolContext,
    WorkspaceTool,
    create_workspace_tool_provider,
    mcp_tool_provider,
)
from adal_ls.sdk.hosted import hosted_from_wire, hosted_to_wire
from adal_ls.sdk.toolset import read_tool_set

ROOT = Path("/project").resolve()


def ctx(raw: Any = None, root: Path | None = ROOT) -> ToolContext[Any]:
    return ToolContext("coder", "call", "scope", project_root=root, tool_provider_context=raw)


def policy(given: ToolContext[Any], **settings: Any) -> Any:
    (tool,) = read_tool_set(create_workspace_tool_provider(tools=["bash"], **settings).get_tools(given))
    assert isinstance(tool.hosted, WorkspaceTool)
    return tool.hosted.policy


def test_a_policy_holds_what_was_given_and_leaves_the_rest_to_the_host() -> None:
    assert policy(ctx(), allow_write=("out",), bash_timeout_ms=5) == {
        "cwd": str(ROOT),
        "allow_write": ["out"],
        "bash_timeout_ms": 5,
    }


def test_f8_an_allow_list_left_out_is_absent_and_none_is_an_empty_one() -> None:
    assert "allow_read" not in policy(ctx())
    assert policy(ctx(), allow_read=None, allow_write=[])["allow_read"] == []


def test_w2_the_folder_of_the_call_beats_the_policys_and_this_the_projects() -> None:
    other = str(Path("/other").resolve())
    assert policy(ctx())["cwd"] == str(ROOT)
    assert policy(ctx(), cwd="sub")["cwd"] == str(ROOT / "sub")
    assert policy(ctx({"cwd": other}), cwd="sub")["cwd"] == other


def test_w3_without_any_folder_it_is_an_invalid_context() -> None:
    for raw, told in ((None, "no folder"), ({"cwd": "sub"}, "relative"), (7, "not int"), ({"cwd": 7}, "is a path")):
        with pytest.raises(InvalidContextError, match=told):
            policy(ctx(raw, root=None))


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"bash_timeout_ms": 0}, "at least 1"),  # N7
        ({"max_response_bytes": -1}, "at least 1"),
        ({"max_redirects": -1}, "at least 0"),
        ({"max_read_bytes": True}, "whole number"),
        ({"allow_write": "src"}, "list of strings"),
        ({"allow_network": "yes"}, "True or False"),
        ({"backend": "docker"}, "asrt, native"),
        ({"cwd": ""}, "must be a path"),
        ({"alow_write": []}, "no workspace setting 'alow_write'"),
        ({"tools": ["rm"]}, "no workspace tool 'rm'"),
    ],
)
def test_a_policy_that_cannot_be_kept_is_refused_when_it_is_made(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidConfigError, match=told):
        create_workspace_tool_provider(**settings)


def test_m1_a_server_needs_exactly_one_transport() -> None:
    for settings in ({}, {"command": ["a"], "url": "https://b"}, {"url": "ftp://b"}):
        with pytest.raises(InvalidInputError) as caught:
            mcp_tool_provider(**settings)
        assert caught.value.code == "INVALID_INPUT"
    with pytest.raises(InvalidConfigError, match="list of the program"):
        mcp_tool_provider(command="tickets --stdio")
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"prefix": "a b"}, "prefix must be"),
        ({"prefix": "1_"}, "prefix must be"),
        ({"only": "list"}, "only must be"),
        ({"timeout_ms": 10**9}, "timeout_ms must be"),
    ]
    for given, told in wrong:
        with pytest.raises(InvalidConfigError, match=told):
            mcp_tool_provider(command=["tickets"], **given)


def test_a_server_is_described_and_asks_before_its_tools_run() -> None:
    server = mcp_tool_provider(command=["/opt/tickets", "--stdio"], env={"LANG": "C"}).server
    assert (server.name, server.transport, server.require_approval) == ("tickets", "stdio", True)
    (tool,) = read_tool_set(mcp_tool_provider(url="https://b/mcp").get_tools(ctx()))
    assert isinstance(tool.hosted, McpServer)
    assert tool.hosted.transport == "http"
    with pytest.raises(InvalidConfigError, match="has many tools"):
        read_tool_set({"tickets": server})


async def test_m5_a_disposed_server_gives_no_tools_and_can_be_disposed_again() -> None:
    provider = mcp_tool_provider(url="https://b/mcp")
    await provider.dispose()
    await provider.dispose()
    with pytest.raises(InvalidContextError, match="disposed"):
        provider.get_tools(ctx())


def test_a_workspace_tool_keeps_its_name() -> None:
    with pytest.raises(InvalidConfigError, match="keeps its name"):
        read_tool_set({"read": WorkspaceTool("read_file", {})})


def test_descriptions_come_back_from_the_wire_as_they_went() -> None:
    for hosted in (
        WorkspaceTool("bash", {"cwd": "/w", "allow_write": ["out"]}),
        mcp_tool_provider(command=["tickets", "-v"], env={"LANG": "C"}, cwd="/w", require_approval=False).server,
        mcp_tool_provider(url="https://b/mcp", headers={"X-Team": "7"}, timeout_ms=5).server,
        mcp_tool_provider(url="https://b/mcp", prefix="t_", only=["list"]).server,
        mcp_tool_provider(url="https://b/mcp", only=[]).server,
    ):
        assert hosted_from_wire(json.loads(json.dumps(hosted_to_wire(hosted)))) == hosted


@pytest.mark.parametrize(
    "sent",
    [
        None,
        {},
        {"kind": "workspace", "name": "rm", "policy": {}},
        {"kind": "workspace", "name": "bash", "policy": []},
        {"kind": "mcp", "name": "x", "timeoutMs": 1},
        {"kind": "mcp", "name": "x", "timeoutMs": 1, "command": ["a"], "url": "https://b"},
        {"kind": "mcp", "name": "x", "timeoutMs": 1, "command": [7]},
        {"kind": "mcp", "name": "x", "timeoutMs": "1", "command": ["a"]},
        {"kind": "mcp", "name": "x", "timeoutMs": 0, "command": ["a"]},
        {"kind": "mcp", "name": "x", "timeoutMs": 10**30, "command": ["a"]},
        {"kind": "mcp", "name": "x", "timeoutMs": 1, "command": ["a"], "only": "abc"},
        {"kind": "mcp", "name": "x", "timeoutMs": 1, "command": ["a"], "prefix": 7},
        {"kind": "mcp", "name": "x", "timeoutMs": 1, "command": ["a"], "env": {"A": 7}},
    ],
)
def test_what_is_no_description_is_refused(sent: object) -> None:
    with pytest.raises(InvalidConfigError):
        hosted_from_wire(sent)


def test_only_false_itself_says_that_a_server_need_not_ask() -> None:
    sent = {**hosted_to_wire(mcp_tool_provider(url="https://b/mcp").server), "requireApproval": 0}
    assert isinstance(read := hosted_from_wire(sent), McpServer)
    assert read.require_approval
