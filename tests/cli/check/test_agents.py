"""`check` of agents files: found beside tools files, linted, and loaded with their project."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run

AGENTS = """\
from adal_ls import create_runtime

runtime = create_runtime()
AGENTS = [runtime.create_agent("librarian")]
"""
TYPO = AGENTS.replace('"librarian"', '"librarian", modle="x"')


@pytest.fixture
def agents(project: Path) -> Path:
    file = project / ".adal" / "agents.py"
    file.write_text(AGENTS)
    return file


def told(adal_ls: Run, *options: str) -> list[tuple[str, str, int]]:
    done = adal_ls("check", "--format", "json", *options)
    found: list[dict[str, Any]] = json.loads(done.stdout)["diagnostics"]
    errors = any(one["severity"] == "error" for one in found)
    assert done.returncode == (1 if errors else 0)
    return [
        (one["code"], Path(one["path"]).name, one["range"]["start"]["line"])
        for one in found
        if one["code"] != "ADAL603"
    ]


def test_a_folder_has_its_agents_file_checked_with_its_tools_file(adal_ls: Run, agents: Path) -> None:
    assert told(adal_ls) == []
    agents.write_text(TYPO)
    assert told(adal_ls) == [("ADAL705", "agents.py", 4)]
    assert told(adal_ls, str(agents)) == [("ADAL705", "agents.py", 4)]
    assert told(adal_ls, "--ignore", "ADAL7") == []
    done = adal_ls("check", "--format", "json")
    assert json.loads(done.stdout)["summary"]["files"] == 2


def test_a_project_of_agents_alone_is_found_also_from_a_folder_below(adal_ls: Run, agents: Path, project: Path) -> None:
    (project / ".adal" / "tools.py").unlink()
    agents.write_text(TYPO)
    (project / "src").mkdir()
    done = adal_ls("check", cwd=project / "src")
    assert done.returncode == 1
    assert "ADAL705" in done.stdout


def test_fix_and_diff_leave_agents_files_alone(adal_ls: Run, agents: Path) -> None:
    agents.write_text(TYPO)
    assert adal_ls("check", "--fix").returncode == 1
    assert agents.read_text() == TYPO
    assert adal_ls("check", "--diff").returncode == 0


def test_standard_input_is_an_agents_file_by_its_name(adal_ls: Run) -> None:
    done = adal_ls("check", "-", "--stdin-filename", ".adal/agents.py", text=TYPO)
    assert (done.returncode, "ADAL705" in done.stdout) == (1, True)


@pytest.mark.parametrize("with_tools", [True, False])
def test_a_load_that_fails_in_it_is_told_there_once(
    adal_ls: Run, agents: Path, project: Path, with_tools: bool
) -> None:
    if not with_tools:
        (project / ".adal" / "tools.py").unlink()
    assert told(adal_ls, "--load", "--trust") == []
    agents.write_text(f"{AGENTS}\nraise RuntimeError('not today')\n")
    assert told(adal_ls, "--load", "--trust") == [("ADAL901", "agents.py", 6)]
    assert told(adal_ls, "--load", "--trust", str(agents)) == [("ADAL901", "agents.py", 6)]
    agents.write_text(TYPO)
    assert told(adal_ls, "--load", "--trust") == [("ADAL705", "agents.py", 4)]
    lines = '[\n    runtime.create_agent(\n        "librarian",\n        modle="x",\n    )\n]'
    agents.write_text(AGENTS.replace('[runtime.create_agent("librarian")]', lines))
    assert told(adal_ls, "--load", "--trust") == [("ADAL705", "agents.py", 7)]
    agents.write_text("AGENTS = 7\n")
    assert told(adal_ls, "--load", "--trust") == [("ADAL702", "agents.py", 1)]
    agents.write_text("def (\n")
    assert {code for code, _, _ in told(adal_ls, "--load", "--trust")} == {"ADAL001", "ADAL701"}


def test_an_agents_file_that_is_not_checked_itself_is_told_with_the_tools_file(
    adal_ls: Run, agents: Path, project: Path
) -> None:
    agents.write_text("raise RuntimeError('not today')\n")
    found = told(adal_ls, "--load", "--trust", str(project / ".adal" / "tools.py"))
    assert found == [("ADAL901", "agents.py", 1)]
