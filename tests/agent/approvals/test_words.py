"""A rule about a command covers plain words and nothing that a shell would make of them."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adal_ls.agent.approvals.words import covered_operands, offered_words, plain_words

# What others' lists of allowed commands let through, and its relatives.
CRAFTED = [
    "echo $(echo touch canary)",  # CVE-2026-110206
    "echo `touch canary`",
    ">&echo touch x",
    'echo "\\"; touch canary; echo \\""',  # CVE-2025-54795
    "rg --pre=./evil x",  # CVE-2025-58764: an option that nobody saw
    "git log --output=evil",  # CVE-2025-66032
    "cd sub && echo x > .vscode/settings.json",  # CVE-2026-25722
    'git log --grep="$(touch canary)"',  # CVE-2026-30314
    'find . -e"x"ec touch canary',
    "git log\ntouch canary",
    "git log\r\ntouch canary",
    "git log; touch canary",
    "git log | sh",
    "git log & touch canary",
    "git log || touch canary",
    "git log > canary",
    "git log < canary",
    "git log <(touch canary)",
    "git log {a,b}",
    "git log *.py",
    "git log ?",
    "git log [a]",
    "git log ~/x",
    "git log $HOME",
    "git log $'\\x41'",
    "git log \\-x",
    "git log !x",
    "git log #x",
    "git log ^x",
    "PAGER=evil git log",
    "git log\ttouch",
    "git log \u00a0x",
    "git log \u202ex",
    "git log 'a'b",
    "git log 'unclosed",
    "'git' log",
    "-x",
    "",
    "   ",
    "x=1",
]


@pytest.mark.parametrize("command", CRAFTED)
def test_nothing_that_a_shell_would_make_something_of_is_covered_by_a_rule(command: str) -> None:
    for rule in (["git", "log"], ["echo"], ["cd"], ["rg"], ["find"], [""], ["x"]):
        assert covered_operands(rule, command) is None


@pytest.mark.parametrize(
    "command",
    [
        "sudo ls", "env ls", "xargs ls", "sh -c ls", "bash x", "python x.py", "python3.12 -m x", "nohup ls", "time ls",
        "find src", "sed 1e x", "awk x", "make test", "rm x", "mv a b", "cp a b", "tar x", "ssh host", "timeout 5 ls",
        "./build.sh x", "/bin/ls x", "bin/tool", "eval ls", "exec ls", "command ls", "npx x", "npm exec x", "uv run x",
        "poetry run x", "docker run x", "git", "git -c core.pager=evil log", "git submodule foreach x",
        "git config a b", "npm run", "npm", "cargo run x", "curl x", "xdg=1 ls", "coproc sh x", "flock lock sh x",
        "coverage run x.py", "taskset 1 sh x", "direnv exec . sh", "nsenter sh", "perf record sh", "screen sh",
    ],
)  # fmt: skip
def test_programs_that_run_or_change_anything_have_no_rule(command: str) -> None:
    assert offered_words(command) is None


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        ("ls src", ("ls",)),
        ("ls -la src", ("ls", "-la")),
        ("git log src", ("git", "log")),
        ("git log --oneline -5 src", ("git", "log", "--oneline", "-5")),
        ("git log src --oneline", ("git", "log", "src", "--oneline")),
        ("npm run build", ("npm", "run", "build")),
        ("npm test", ("npm", "test")),
        ("grep 'two words' src", ("grep",)),
        ('grep "two words" src', ("grep",)),
        ("cargo build --release", ("cargo", "build", "--release")),
    ],
)
def test_the_offered_rule_holds_every_option_and_the_subcommand(command: str, rule: tuple[str, ...]) -> None:
    assert offered_words(command) == rule
    assert covered_operands(rule, command) is not None


@pytest.mark.parametrize(
    ("rule", "command", "covered"),
    [
        ("git log", "git log", True),
        ("git log", "git log src/a.py", True),
        ("git log", "git log 'src/a b.py'", True),
        ("git log", "gitx log", False),
        ("git", "gitx", False),
        ("git log", "git logx", False),
        ("git log", "git status", False),
        ("git log", "git", False),
        ("git log", "git log --oneline", False),
        ("git log", "git log '--output=x'", False),
        ("git log", "git log x=y", False),
        ("git log", "git log ''", False),
        ("git log --oneline", "git log --oneline src", True),
        ("npm run build", "npm run build", True),
        ("npm run build", "npm run build extra", False),
    ],
)
def test_words_are_compared_and_no_option_comes_after_the_rule(rule: str, command: str, covered: bool) -> None:
    assert (covered_operands(rule.split(), command) is not None) is covered


def test_the_words_are_those_a_shell_passes_on() -> None:
    command = "printf '%s|' plain 'two words' \"also two\" a/b.c a=b"
    words = plain_words(command)
    assert words is not None
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout == "".join(f"{word}|" for word in words[2:])


@settings(max_examples=60, deadline=None)
@given(st.text(st.sampled_from("git log;$(`)>|&<\n'\" \\*-x=~{}#!"), max_size=16))
def test_whatever_counts_as_plain_words_reaches_the_program_unchanged(text: str) -> None:
    words = plain_words(f"printf %s, {text}") or plain_words(f"printf '%s,' {text}")
    if words is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["bash", "-c", f"printf '%s,' {text}"], capture_output=True, text=True, cwd=folder)
        assert done.stdout == "".join(f"{word}," for word in words[2:] or [""])
        assert list(Path(folder).iterdir()) == []


@pytest.mark.parametrize("command", [command for command in CRAFTED if "\n" not in command])
def test_no_crafted_command_has_a_rule_offered_for_its_harmless_part(command: str, tmp_path: Path) -> None:
    rule = offered_words(command)
    # Where one is offered at all, it is the whole of what the person sees: every option in it.
    assert rule is None or all(word in rule for word in command.split() if word.startswith("-"))
