from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ADAL_DATA_DIR", str(tmp_path / "data"))
    copy = tmp_path / "examples"
    shutil.copytree(ROOT / "examples", copy, ignore=shutil.ignore_patterns("drafts", "__pycache__"))
    return copy


def check(folder: Path) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-m", "adal_ls", "check", "--format", "json", str(folder)], capture_output=True, check=False
    )
    return [found["code"] for found in json.loads(done.stdout)["diagnostics"]]


def test_the_faulty_example_has_its_one_fault_and_the_other_none(examples: Path) -> None:
    assert check(examples / "faulty") == ["ADAL101"]
    assert check(examples / "workspace") == []


@pytest.mark.skipif(os.name == "nt", reason="a shell script")
def test_the_tour_goes_through_without_a_terminal(examples: Path, tmp_path: Path) -> None:
    command = tmp_path / "adal-ls"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m adal_ls "$@"\n')
    command.chmod(0o755)
    done = subprocess.run(
        [examples / "tour.sh"],
        env={**os.environ, "ADAL_LS": str(command)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "error ADAL101" in done.stdout
    assert "no errors in 1 file" in done.stdout
    assert "Would have asked: draft_release_notes" in done.stderr
    assert "result   draft_release_notes success" in done.stdout
    assert (examples / "workspace" / "drafts" / "1.4.0.md").read_text().count("\n- ") == 2


@pytest.mark.parametrize(("shelf", "code", "told"), [("travel", 0, '["train"]'), ("nowhere", 1, "INVALID_CONTEXT")])
def test_the_agent_with_providers_runs_without_a_model_or_a_terminal(
    examples: Path, shelf: str, code: int, told: str
) -> None:
    done = subprocess.run(
        [sys.executable, examples / "providers" / "run.py", shelf],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert told in done.stdout + done.stderr
    assert not (examples / "providers" / "shelves" / "travel" / "tea.txt").exists()
    assert not list((examples / "providers").rglob("*.pyc"))


def test_the_agent_with_an_mcp_server_looks_and_does_not_remove(examples: Path) -> None:
    done = subprocess.run(
        [sys.executable, examples / "mcp" / "run.py"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "library_find success: moby_dick" in done.stdout
    assert "library_remove cancelled" in done.stdout
    assert (examples / "mcp" / "books" / "moby_dick.txt").exists()
