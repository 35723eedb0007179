"""How an MCP server is reached: secrets from the environment alone, and nothing inherited that was not declared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from adal_ls.agent.mcp.settings import Endpoint, Launch, reached, redacted
from adal_ls.sdk import InvalidConfigError, McpServer, mcp_tool_provider

HOST = {
    "PATH": "/bin",
    "HOME": "/home/ann",
    "OPENAI_API_KEY": "sk-other",
    "LIBRARY_TOKEN": "s3cret-value",
    "SHORT": "ab",
}


def of(root: Path = Path("/"), **settings: Any) -> Launch | Endpoint:
    server = mcp_tool_provider(**{"name": "library", **settings}).server
    return reached(server, root, HOST)


def launch(root: Path = Path("/"), **settings: Any) -> Launch:
    target = of(root, command=["library"], **settings)
    assert isinstance(target, Launch)
    return target


def endpoint(url: str = "https://books.example/mcp", **settings: Any) -> Endpoint:
    target = of(url=url, **settings)
    assert isinstance(target, Endpoint)
    return target


def test_a_program_gets_what_is_declared_and_the_few_that_every_program_needs() -> None:
    assert launch(env={"LANG": "C"}).environment == {"PATH": "/bin", "HOME": "/home/ann", "LANG": "C"}


def test_a_secret_comes_from_the_hosts_environment_and_is_shown_nowhere() -> None:
    started = launch(env={"TOKEN": "Bearer ${LIBRARY_TOKEN}", "SIZE": "${SHORT}"})
    assert started.environment["TOKEN"] == "Bearer s3cret-value"
    assert redacted("it said s3cret-value and ab", started.secrets) == "it said *** and ab"
    asked = endpoint(
        "https://books.example/mcp?k=${LIBRARY_TOKEN}", headers={"Authorization": "Bearer ${LIBRARY_TOKEN}"}
    )
    assert asked.headers == {"Authorization": "Bearer s3cret-value"}
    assert asked.url == "https://books.example/mcp?k=s3cret-value"


@pytest.mark.parametrize(
    "settings",
    [
        {"command": ["x"], "env": {"GITHUB_TOKEN": "ghp_1"}},
        {"command": ["x"], "env": {"api_key": "1"}},
        {"command": ["x"], "env": {"DB_PASSWORD": "1"}},
        {"url": "https://b/mcp", "headers": {"Authorization": "Bearer 1"}},
        {"url": "https://b/mcp", "headers": {"X-Api-Key": "1"}},
        {"url": "https://b/mcp", "headers": {"Cookie": "a=1"}},
    ],
)
def test_a_secret_that_stands_in_the_projects_file_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(InvalidConfigError, match=r"looks like a secret .* write \$\{NAME\}"):
        of(**settings)


def test_what_only_sounds_like_a_secret_is_none() -> None:
    given = {"TOKENIZERS_PARALLELISM": "false", "SORT_KEY": "title", "MAX_TOKENS_SHOWN": "5", "KEYBOARD": "de"}
    assert launch(env=given).environment.items() >= given.items()


def test_a_variable_that_is_not_set_is_named() -> None:
    with pytest.raises(
        InvalidConfigError, match=r"'library': header Authorization refers to \$\{NOT_THERE\}, which is not set"
    ):
        endpoint(headers={"Authorization": "${NOT_THERE}"})


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"url": "http:///mcp"}, "and a host"),
        ({"url": "https://${HOME}.example/mcp"}, "and a host"),
        ({"url": "https://books.example/m cp"}, "and a host"),
        ({"url": "https://books.example:port/mcp"}, "cannot be read"),
        ({"url": "https://ann:pw@books.example/mcp"}, "a user or a password"),
        ({"url": "http://books.example/mcp", "headers": {"X": "${LIBRARY_TOKEN}"}}, "in the clear"),
        ({"url": "https://b/mcp", "headers": {"Host": "c"}}, "no header that can be set"),
        ({"url": "https://b/mcp", "headers": {"Mcp-Session-Id": "c"}}, "no header that can be set"),
        ({"url": "https://b/mcp", "headers": {"a b": "c"}}, "no header that can be set"),
        ({"url": "https://b/mcp", "headers": {"X": "a\r\nY: b"}}, "cannot hold"),
        ({"command": ["a\0"]}, "NUL"),
        ({"command": ["a"], "cwd": "nowhere"}, "is no folder"),
        ({"command": ["a"], "env": {"A=B": "c"}}, "is no variable"),
    ],
)
def test_what_cannot_be_reached_is_refused_before_anything_is_started(
    settings: dict[str, Any], told: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidConfigError, match=told):
        of(tmp_path, **settings)


def test_secrets_may_go_to_this_machine_in_the_clear() -> None:
    assert endpoint("http://127.0.0.1:8000/mcp", headers={"X": "${LIBRARY_TOKEN}"}).headers == {"X": "s3cret-value"}


def test_a_program_starts_in_the_project_or_in_the_folder_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    assert launch(tmp_path).cwd == tmp_path
    assert launch(tmp_path, cwd="tools").cwd == tmp_path / "tools"


def test_a_name_cannot_forge_a_text(tmp_path: Path) -> None:
    server = McpServer(name="a\u202e\x1b[2J" + "b" * 500, command=("x",), cwd="nowhere")
    with pytest.raises(InvalidConfigError) as caught:
        reached(server, tmp_path, HOST)
    assert "\u202e" not in str(caught.value)
    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 300
