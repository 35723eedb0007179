"""`check --python`: the Python that will run the files judges their syntax, with all Pythons of this machine."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests import pythons
from tests.cli.conftest import Run

NEWER = 'type Name = str\n\n\ndef f[T](x: list[T]) -> str:\n    """Do f.\n\n    Args:\n        x: It.\n    """\n'
NEWER += '    return f"{x["a"]}"\n\n\nCUSTOM_TOOLS = [f]\n'


@pytest.fixture
def tools(project: Path) -> Path:
    file = project / ".adal" / "tools.py"
    file.write_text(NEWER)
    return file


@pytest.mark.parametrize("version", sorted(pythons.found()))
def test_a_named_interpreter_judges_whatever_python_adal_ls_runs_on(
    adal_ls: Run, tools: Path, version: pythons.Version
) -> None:
    done = adal_ls("check", "--python", pythons.found()[version])
    if version >= (3, 12):
        assert (done.returncode, done.stdout) == (0, "no errors in 1 file\n")
    else:
        assert done.returncode == 1
        assert ":1:" in done.stdout.splitlines()[0]
        assert "error ADAL001 syntax: " in done.stdout
        assert ".".join(map(str, version)) in done.stdout
        assert done.stdout.count("ADAL001") == 1


def test_without_it_newer_syntax_is_no_error(adal_ls: Run, tools: Path) -> None:
    done = adal_ls("check")
    assert done.returncode == 0
    assert ("information ADAL004" in done.stdout) is (pythons.OWN < (3, 12))


def test_a_newer_version_that_is_not_here_is_judged_by_what_is_known_of_it(adal_ls: Run, tools: Path) -> None:
    assert adal_ls("check", "--python", "3.49").stdout == "no errors in 1 file\n"
    tools.write_text("def f(x: str -> str: ...\n")
    assert adal_ls("check", "--python", "3.49").returncode == 1


@pytest.mark.parametrize("named", ["3.1", "nothing-of-that-name", "/bin/sh", "2.7", "", "."])
def test_a_python_that_cannot_be_asked_is_wrong_usage(adal_ls: Run, tools: Path, named: str) -> None:
    done = adal_ls("check", "--python", named)
    assert done.returncode == 2
    assert "--python" in done.stderr
    assert "Traceback" not in done.stderr


def test_slips_are_errors_for_every_python_and_files_are_judged_one_by_one(adal_ls: Run, project: Path) -> None:
    (project / "good.py").write_text(NEWER)
    (project / "slip.py").write_text("def f(x: str -> str: ...\n")
    newest = max(pythons.found().items())[1]
    done = adal_ls("check", "good.py", "slip.py", "--python", newest)
    assert done.returncode == 1
    assert {line.split(":")[0] for line in done.stdout.splitlines() if "error ADAL001" in line} == {"slip.py"}


def test_a_path_counts_from_the_current_folder(adal_ls: Run, project: Path, tools: Path) -> None:
    (project / "env").mkdir()
    (project / "env" / "python").symlink_to(sys.executable)
    done = adal_ls("check", "--python", str(Path("env", "python")))
    assert done.returncode == (0 if pythons.OWN >= (3, 12) else 1)


def test_a_version_that_is_nowhere_is_told_as_one(adal_ls: Run) -> None:
    done = adal_ls("check", "--python", "9.9")
    assert done.returncode == 2
    assert "there is no python9.9 on the PATH" in done.stderr
    assert "Errno" not in done.stderr
