from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from adal_ls.cli.doctor import model_variables
from tests.cli.conftest import Run

KEY = "sk-canary-4711"


def found(run: Any, *arguments: str, code: int = 0) -> dict[str, Any]:
    done = run("doctor", "--format", "json", *arguments)
    assert done.returncode == code, done.stderr + done.stdout
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_a_whole_installation_has_no_errors(adal_ls: Run, project: Path, tmp_path: Path) -> None:
    report = found(adal_ls)
    assert all(report["packages"].values())
    assert report["executable"] == sys.executable
    assert report["data_folder"] == str(tmp_path / "data")
    assert not (tmp_path / "data").exists(), "looking makes nothing"
    (entry,) = report["projects"]
    assert (entry["root"], entry["trusted"], entry["interpreter"]) == (str(project.resolve()), False, sys.executable)
    assert report["sandbox"] == (not [problem for problem in report["problems"] if "bubblewrap" in problem["message"]])


def test_keys_are_told_of_by_name_alone(adal_ls: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("SOMEBODY_API_BASE", f"https://{KEY}")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    for style in ("text", "json"):
        done = adal_ls("doctor", "--format", style)
        assert KEY not in done.stdout + done.stderr
        assert "SOMEBODY_API_BASE" in done.stdout
    given = found(adal_ls)["model_variables"]
    assert (given["OPENAI_API_KEY"], given["ANTHROPIC_API_KEY"]) == (True, False)


def test_an_empty_variable_counts_as_not_set() -> None:
    assert model_variables({"OPENAI_API_KEY": "", "X_API_KEY": "1", "OTHER": "1"})["OPENAI_API_KEY"] is False
    assert model_variables({"OTHER": "1", "X_API_KEY": "1"}).keys() >= {"X_API_KEY"}
    assert "OTHER" not in model_variables({"OTHER": "1"})


def interpreter(project: Path, text: str) -> Path:
    program = project / ".venv" / "bin" / "python"
    program.parent.mkdir(parents=True)
    (project / ".venv" / "pyvenv.cfg").touch()
    program.write_text(text)
    program.chmod(0o755)
    return program


@pytest.mark.skipif(sys.platform == "win32", reason="a program that is a shell script")
def test_an_interpreter_in_a_folder_that_nobody_trusted_is_named_and_not_run(adal_ls: Run, project: Path) -> None:
    program = interpreter(project, f"#!/bin/sh\ntouch {project}/owned\n")
    (entry,) = found(adal_ls)["projects"]
    assert (entry["interpreter"], entry["python"]) == (str(program), None)
    assert not (project / "owned").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="a program that is a shell script")
@pytest.mark.parametrize(
    ("text", "said"), [("#!/bin/sh\nexit 3\n", "does not run"), ("#!/bin/sh\necho 3.8.1\n", "3.10")]
)
def test_an_interpreter_that_cannot_run_tools_is_an_error(adal_ls: Run, project: Path, text: str, said: str) -> None:
    interpreter(project, text)
    assert adal_ls("trust").returncode == 0
    report = found(adal_ls, code=1)
    assert any(said in problem["message"] and problem["severity"] == "error" for problem in report["problems"])
    assert report["projects"][0]["trusted"] is True


def test_a_data_folder_that_cannot_be_is_an_error(
    adal_ls: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("ADAL_DATA_DIR", str(tmp_path / "file" / "data"))
    done = adal_ls("doctor")
    assert done.returncode == 1
    assert "Error: runs and trust cannot be kept" in done.stdout
    monkeypatch.setenv("ADAL_DATA_DIR", "relative")
    assert "must be an absolute path" in adal_ls("doctor").stdout
