from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Run


def test_trust_says_what_it_did(adal_ls: Run, project: Path) -> None:
    assert f"{project} is trusted" in adal_ls("trust").stdout
    assert f"{project} is no longer trusted" in adal_ls("trust", "--revoke").stdout
    assert f"{project} was not trusted" in adal_ls("trust", "--revoke", str(project)).stdout


def test_only_a_folder_can_be_trusted(adal_ls: Run) -> None:
    done = adal_ls("trust", "nowhere")
    assert (done.returncode, done.stdout) == (1, "")
    assert "nowhere" in done.stderr
