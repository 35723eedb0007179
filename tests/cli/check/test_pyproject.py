"""`[tool.adal-ls]` as `adal-ls check` takes it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

TOOLS = "def f(x):\n    return x\n\n\nCUSTOM_TOOLS = [f]\n"


@pytest.fixture
def repository(project: Path) -> Path:
    """A repository with a project in a folder of it."""
    (project / ".git").mkdir()
    nested = project / "services" / "shop" / ".adal"
    nested.mkdir(parents=True)
    (nested / "tools.py").write_text(TOOLS)
    (project / ".adal" / "tools.py").write_text(TOOLS)
    return project


def codes(adal_ls: Run, *arguments: str) -> dict[str, list[str]]:
    result = json.loads(adal_ls("check", "--format", "json", *arguments).stdout)
    found: dict[str, list[str]] = {}
    for diagnostic in result["diagnostics"]:
        found.setdefault(diagnostic["path"].replace("\\", "/"), []).append(diagnostic["code"])
    return found


def write(folder: Path, table: str) -> None:
    (folder / "pyproject.toml").write_text(f"[project]\nname = 'x'\n\n[tool.adal-ls]\n{table}\n")


def test_the_nearest_table_in_the_repository_counts(adal_ls: Run, repository: Path) -> None:
    write(repository, 'ignore = ["ADAL401"]')
    shop = "services/shop/.adal/tools.py"
    assert codes(adal_ls) == {".adal/tools.py": ["ADAL303"], shop: ["ADAL303"]}
    (repository / "services" / "shop" / "pyproject.toml").write_text("[project]\nname = 'shop'\n")
    assert codes(adal_ls)[shop] == ["ADAL303"], "a file without the table is passed by"
    write(repository / "services" / "shop", 'ignore = ["ADAL303"]')
    assert codes(adal_ls) == {".adal/tools.py": ["ADAL303"], shop: ["ADAL401"]}
    assert codes(adal_ls, shop) == {shop: ["ADAL401"]}


def test_a_file_above_the_repository_does_not_count(adal_ls: Run, repository: Path) -> None:
    write(repository.parent, 'ignore = ["ADAL"]')
    assert codes(adal_ls, ".adal/tools.py") == {".adal/tools.py": ["ADAL401", "ADAL303"]}


def test_without_a_repository_only_the_project_s_own_file_counts(adal_ls: Run, project: Path) -> None:
    (project / ".adal" / "tools.py").write_text(TOOLS)
    write(project.parent, 'ignore = ["ADAL401"]')
    assert codes(adal_ls) == {".adal/tools.py": ["ADAL401", "ADAL303"]}
    write(project, 'ignore = ["ADAL303"]')
    assert codes(adal_ls) == {".adal/tools.py": ["ADAL401"]}


def test_options_come_before_the_file(adal_ls: Run, repository: Path) -> None:
    write(repository, 'ignore = ["ADAL401"]')
    assert codes(adal_ls, "--ignore", "ADAL303", ".adal/tools.py") == {".adal/tools.py": ["ADAL401"]}
    assert codes(adal_ls, "--select", "ADAL4", ".adal/tools.py") == {}


def test_severities_decide_the_exit_code(adal_ls: Run, repository: Path) -> None:
    assert adal_ls("check").returncode == 0
    write(repository, 'severity.ADAL401 = "error"')
    assert adal_ls("check").returncode == 1


def test_what_is_wrong_in_the_file_is_told_once_and_ends_nothing(adal_ls: Run, repository: Path) -> None:
    write(repository, 'ignore = ["ADAL401"]\nselct = ["ADAL1"]')
    result = adal_ls("check", "--format", "json")
    assert result.returncode == 0
    assert result.stderr.count("pyproject.toml:6: [tool.adal-ls] has no key 'selct'; did you mean 'select'?") == 1
    assert len(result.stderr.splitlines()) == 1
    assert [diagnostic["code"] for diagnostic in json.loads(result.stdout)["diagnostics"]] == ["ADAL303"] * 2


def test_a_bad_code_is_told_and_the_good_ones_beside_it_hold(adal_ls: Run, repository: Path) -> None:
    write(repository, 'ignore = ["ADAL401", "ADAL3O3"]')
    result = adal_ls("check", "--format", "json", ".adal/tools.py")
    assert "there is no rule ADAL3O3; did you mean ADAL303?" in result.stderr
    assert [found["code"] for found in json.loads(result.stdout)["diagnostics"]] == ["ADAL303"]


def test_a_file_that_is_no_toml_is_no_success(adal_ls: Run, repository: Path) -> None:
    (repository / "pyproject.toml").write_text("[tool.adal-ls]\nignore = [\n")
    result = adal_ls("check", "--format", "json")
    assert result.returncode == 2
    assert "not TOML" in result.stderr
    assert json.loads(result.stdout)["summary"]["files"] == 2
