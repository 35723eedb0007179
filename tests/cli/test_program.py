from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from adal_ls.version import __version__
from tests.cli.conftest import Run, command

HEAVY = ("litellm", "pydantic", "pygls", "lsprotocol", "rich", "asyncio", "adal_ls.agent", "adal_ls.worker")


def test_version_and_help(adal_ls: Run) -> None:
    assert adal_ls("--version").stdout == f"adal-ls {__version__}\n"
    shown = adal_ls("--help")
    assert shown.returncode == 0
    for name in ("check", "run", "runs", "tools", "trust"):
        assert f"  {name} " in shown.stdout
        assert adal_ls(name, "--help").returncode == 0


@pytest.mark.parametrize("arguments", [["--help"], ["check"], ["tools", "list"]])
def test_quick_commands_import_nothing_heavy(project: Path, arguments: list[str]) -> None:
    code = (
        "import sys, json; from adal_ls.cli import main; code = main(sys.argv[1:]); "
        "print(json.dumps([code, sorted(sys.modules)]), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, encoding="utf-8", cwd=project, check=True
    )
    exit_code, modules = json.loads(done.stderr.splitlines()[-1])
    assert exit_code == 0
    assert [name for name in HEAVY if name in modules] == []


@pytest.mark.parametrize(
    ("arguments", "way_out"),
    [
        (["chekc"], "agent, chat, check, doctor, grants, rule, run, runs, tools, trust"),
        (["check", "--format", "xml"], "'text', 'json'"),
        (["run", "-q", "x", "--nope"], "--help"),
        (["run", "-q", "x", "--yolo", "--permission-mode", "default"], "give one"),
        (["run", "-q", "  "], "-q TEXT"),
        (["run"], "-q TEXT"),
        (["run", "-q", "x", "-c", "{not json"], "Could not parse --tool-context as JSON"),
        (["run", "-q", "x", "-m", " "], "--model is empty"),
        (["run", "-q", "x", "--project", "nowhere"], "nowhere"),
        (["runs", "list", "--project", "nowhere"], "nowhere"),
        (["runs", "show", "x", "--project", "nowhere"], "nowhere"),
        (["tools", "list", "--project", "nowhere"], "nowhere"),
        (["tools", "show", "x", "--project", "nowhere"], "nowhere"),
        (["trust", "nowhere"], "nowhere"),
        (
            ["run", "-q", "x", "--trust", "--enabled-default-tools", "Bash", "--disabled-default-tools", "Bash"],
            "one of the two",
        ),
        (["run", "-q", "x", "--trust", "--disabled-default-tools", "Bahs"], "The tools: read_file, list_files"),
        (["runs", "show"], "ID"),
    ],
)
def test_wrong_usage_gives_exit_code_two_and_a_way_out(adal_ls: Run, arguments: list[str], way_out: str) -> None:
    done = adal_ls(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert way_out in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="pipes end differently there")
def test_a_reader_that_has_seen_enough_causes_no_traceback(project: Path) -> None:
    tools = project / ".adal" / "tools.py"
    tools.write_text("CUSTOM_TOOLS = [" + "1, " * 20_000 + "]\n")
    process = subprocess.Popen([*command(), "check"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=project)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    assert process.wait() == 1
    assert said == b""
