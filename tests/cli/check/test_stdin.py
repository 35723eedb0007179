"""The path `-`: a text that is not saved, as editors and hooks have it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run

FAULTY = 'def f(x: str) -> str:\n    """Do f."""\n    return x\n\n\nCUSTOM_TOOLS = [{"function": f, "name": "a-b"}]\n'


def test_standard_input_is_checked_under_the_name_it_is_given(adal_ls: Run, project: Path) -> None:
    done = adal_ls("check", "-", "--stdin-filename", "pkg/.adal/tools.py", "--format", "json", text=FAULTY)
    assert done.returncode == 1
    result = json.loads(done.stdout)
    assert [(found["path"], found["code"]) for found in result["diagnostics"]] == [("pkg/.adal/tools.py", "ADAL101")]
    assert adal_ls("check", "-", text=FAULTY).stdout.startswith("-:6:41: error ADAL101 ")


def test_the_configuration_is_that_of_the_place_named(adal_ls: Run, project: Path) -> None:
    (project / "quiet").mkdir()
    (project / "quiet" / "pyproject.toml").write_text('[tool.adal-ls]\nignore = ["ADAL3", "ADAL4"]\n')
    unhinted = "def f(x):\n    return x\n\n\nCUSTOM_TOOLS = [f]\n"
    assert "ADAL30" in adal_ls("check", "-", text=unhinted).stdout
    done = adal_ls("check", "-", "--stdin-filename", "quiet/.adal/tools.py", text=unhinted)
    assert (done.returncode, done.stdout) == (0, "no errors in 1 file\n")


def test_standard_input_goes_with_files_and_is_told_last(adal_ls: Run, project: Path) -> None:
    result = json.loads(adal_ls("check", "-", ".", "--format", "json", text=FAULTY).stdout)
    assert result["summary"]["files"] == 2
    assert result["diagnostics"][-1]["path"] == "-"


def test_a_diff_shows_what_would_be_mended_and_fix_is_refused(adal_ls: Run) -> None:
    done = adal_ls("check", "--diff", "-", text=FAULTY)
    assert done.returncode == 1
    assert '+CUSTOM_TOOLS = [{"function": f, "name": "a_b"}]' in done.stdout
    done = adal_ls("check", "--fix", "-", text=FAULTY)
    assert done.returncode == 2
    assert "--diff" in done.stderr


def test_a_name_without_standard_input_is_wrong_usage(adal_ls: Run) -> None:
    assert adal_ls("check", "--stdin-filename", "x.py").returncode == 2


def test_bytes_that_are_no_text_are_located(adal_ls: Run) -> None:
    done = adal_ls("check", "-", text="# coding: nonsense\n")
    assert done.returncode == 1
    assert "-:1:" in done.stdout
