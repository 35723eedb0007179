from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Run


def test_trust_says_what_it_did(adal_ls: Run, project: Path) -> None:
    assert f"{project} is trusted" in adal_ls("trust").stdout
    assert f"{project} is no longer trusted" in adal_ls("trust", "--revoke").stdout
    assert f"{project} was not trusted" in adal_ls("trust", "--revoke", str(project)).stdout


def test_only_a_folder_can_be_trusted(adal_ls: Run) -> None:
    done = adal_ls("trust", "nowhere")
    assert (done.returncode, done.stdout) == (2, "")
    assert "nowhere" in done.stderr


def test_trust_of_a_folder_without_tools_says_so_and_names_the_project_above(adal_ls: Run, project: Path) -> None:
    (project / "src").mkdir()
    done = adal_ls("trust", "src")
    assert done.returncode == 0
    assert f"no .adal/tools.py or agents.py in {project / 'src'} yet" in done.stderr
    assert f"the nearest project above is {project}" in done.stderr
    assert adal_ls("trust").stderr == ""


def test_the_adal_folder_stands_for_its_project(adal_ls: Run, project: Path) -> None:
    assert f"{project} is trusted" in adal_ls("trust", ".adal").stdout
    assert adal_ls("run", "-q", "double(number=1)").returncode == 0
