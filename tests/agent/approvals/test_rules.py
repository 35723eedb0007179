"""What a remembered answer covers, and what it never does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from adal_ls.agent.approvals.rules import Call, Rule, offered


def call(tool: str, group: str | None, arguments: dict[str, Any], workspace: Path, digest: str = "d") -> Call:
    kind: Any = "custom" if group is None else "builtin"
    real = Path(workspace).resolve()
    return Call(tool, arguments, digest, real, real, kind, group, "source")


def rules(tool: str, group: str | None, arguments: dict[str, Any], workspace: Path) -> list[tuple[str, str]]:
    return [(rule.kind, rule.value) for rule in offered(call(tool, group, arguments, workspace), "{}")]


def bash(command: str, workspace: Path) -> Call:
    return call("bash", "Bash", {"command": command}, workspace)


def test_the_narrowest_rule_comes_first_and_a_whole_tool_last(tmp_path: Path) -> None:
    assert rules("deploy", None, {"a": 1}, tmp_path) == [("arguments", "d"), ("tool", "")]
    assert rules("bash", "Bash", {"command": "git log x"}, tmp_path) == [("arguments", "d"), ("words", "git log")]
    assert rules("write_file", "Edit", {"path": "src/app/a.py", "content": ""}, tmp_path) == [
        ("arguments", "d"),
        ("files", "src/app/**"),
        ("tool", ""),
    ]
    assert rules("fetch_url", "Web", {"url": "https://Example.com/a?b"}, tmp_path) == [
        ("arguments", "d"),
        ("origin", "https://example.com"),
        ("tool", ""),
    ]


@pytest.mark.parametrize(
    "command", ["cat .env", "cat x $(y)", "sudo ls", "ls ../x", "ls /etc", "cat .vscode/settings.json"]
)
def test_a_shell_is_never_allowed_as_a_whole_nor_by_a_pattern_that_reaches_too_far(
    command: str, tmp_path: Path
) -> None:
    assert [kind for kind, _ in rules("bash", "Bash", {"command": command}, tmp_path)] == ["arguments"]
    assert not Rule("tool").allows(bash(command, tmp_path))


@pytest.mark.parametrize(
    "command",
    [
        "cat .env", "cat sub/.env.local", "cat HEAD:.env", "cat a,.git/config", "cat .", "cat sub/..", "cat ../out",
        "cat /etc/passwd", "cat .VSCODE/Settings.json", "cat x/../.adal/tools.py", "cat link", "cat foo.code-workspace",
        "cat '.env'", "cat @.env",
    ],
)  # fmt: skip
def test_words_that_name_protected_or_outside_places_are_not_covered(command: str, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(".env")
    rule = Rule("words", "cat")
    assert rule.allows(bash("cat readme.txt src/a.py", tmp_path))
    assert not rule.allows(bash(command, tmp_path))


def test_a_rule_for_commands_covers_no_call_with_more_than_a_command(tmp_path: Path) -> None:
    odd = call("bash", "Bash", {"command": "cat a", "cwd": "/etc"}, tmp_path)
    assert not Rule("words", "cat").allows(odd)


def test_a_rule_for_files_goes_by_their_real_place(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    workspace = tmp_path / "ws"
    (workspace / "src" / ".git").mkdir(parents=True)
    outside.mkdir()
    (workspace / "src" / "out").symlink_to(outside)
    (workspace / "src" / "hook").symlink_to(".git/hook")
    (workspace / "other").symlink_to("src")

    def allows(path: object, rule: str = "src/**") -> bool:
        return Rule("files", rule).allows(call("write_file", "Edit", {"path": path}, workspace))

    assert allows("src/a.py")
    assert allows("src/new/b.py")
    assert allows("other/a.py")  # the same file
    assert allows(str(workspace / "src" / "a.py"))
    for path in (
        "srcx/a.py",
        "a.py",
        "src/../a.py",
        "src/out/x",
        "src/hook",
        "src/.env",
        "src/.git/x",
        "../src/a.py",
        3,
        None,
    ):
        assert not allows(path), path
    assert allows("a.md", "*.md")
    assert not allows("src/a.md", "*.md")
    assert not allows("amd", "*.md")


@pytest.mark.parametrize("path", ["a*b/c.py", "[x]/c.py", "x?/c.py", "in\u200bvisible/c.py", "LICENSE", ".env"])
def test_no_pattern_is_made_of_a_path_that_could_be_read_as_another(path: str, tmp_path: Path) -> None:
    assert all(kind != "files" for kind, _ in rules("write_file", "Edit", {"path": path}, tmp_path))


@pytest.mark.parametrize(
    ("url", "covered"),
    [
        ("https://example.com/other", True),
        ("HTTPS://EXAMPLE.com:443/x", True),
        ("https://example.com./x", True),
        ("http://example.com/x", False),
        ("https://example.com:8443/x", False),
        ("https://example.com.evil.org/x", False),
        ("https://example.com@evil.org/x", False),
        ("https://evil.org@example.com/x", False),
        ("https://evil.org/https://example.com", False),
        ("https://example.com\\@evil.org/", False),
        ("https://example.com\t/", False),
        ("https://ex\u0430mple.com/", False),
        ("https://example.com:x/", False),
        ("file:///etc/passwd", False),
        ("", False),
        (None, False),
    ],
)
def test_a_rule_for_addresses_is_one_scheme_host_and_port(url: Any, covered: bool, tmp_path: Path) -> None:
    rule = Rule("origin", "https://example.com")
    assert rule.allows(call("fetch_url", "Web", {"url": url}, tmp_path)) is covered


def test_a_rule_of_one_tool_group_covers_no_other(tmp_path: Path) -> None:
    assert not Rule("words", "cat").allows(call("cat", None, {"command": "cat a"}, tmp_path))
    assert not Rule("files", "**").allows(call("mine", None, {"path": "a"}, tmp_path))
    assert not Rule("origin", "https://a.b").allows(call("mine", None, {"url": "https://a.b/"}, tmp_path))


def test_the_text_of_a_rule_says_what_it_covers(tmp_path: Path) -> None:
    assert Rule("words", "git log").text("bash").startswith("bash: commands that begin with git log – and after it")
    assert "src/**" in Rule("files", "src/**").text("write_file")
    assert "https://example.com/" in Rule("origin", "https://example.com").text("fetch_url")
    assert "exactly these arguments" in Rule("arguments", "d").text("deploy")
    assert "every call" in Rule("tool").text("deploy")
    (exact, *_) = offered(call("deploy", None, {"a": "x" * 900}, tmp_path), "x" * 900)
    assert exact.shown.endswith("(500 more characters)")
