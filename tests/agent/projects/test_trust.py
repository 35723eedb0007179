from __future__ import annotations

import os
from pathlib import Path

import pytest

from adal_ls.agent.files.paths import workspace_dir
from adal_ls.agent.projects import trust


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADAL_DATA_DIR", str(tmp_path / "data"))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / ".adal").mkdir(parents=True)
    return folder


def test_no_folder_is_trusted_at_first(workspace: Path) -> None:
    assert not trust.is_trusted(workspace)


def test_trust_is_remembered_until_it_is_revoked(workspace: Path) -> None:
    trust.grant(workspace)
    assert trust.is_trusted(workspace)
    assert trust.revoke(workspace)
    assert not trust.is_trusted(workspace)
    assert not trust.revoke(workspace)


def test_trust_lies_outside_the_workspace(workspace: Path) -> None:
    before = sorted(workspace.rglob("*"))
    trust.grant(workspace)
    assert sorted(workspace.rglob("*")) == before


def test_trust_covers_neither_parents_nor_children_nor_longer_names(tmp_path: Path, workspace: Path) -> None:
    evil = tmp_path / "project-evil"
    evil.mkdir()
    trust.grant(workspace)
    assert not trust.is_trusted(tmp_path)
    assert not trust.is_trusted(workspace / ".adal")
    assert not trust.is_trusted(evil)


def test_a_link_to_a_trusted_folder_is_trusted_and_one_turned_elsewhere_is_not(tmp_path: Path, workspace: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(workspace)
    trust.grant(link)
    assert trust.is_trusted(workspace)
    assert trust.is_trusted(link)
    other = tmp_path / "other"
    other.mkdir()
    link.unlink()
    link.symlink_to(other)
    assert not trust.is_trusted(link)


def test_a_record_copied_from_another_folder_gives_no_trust(tmp_path: Path, workspace: Path) -> None:
    trust.grant(workspace)
    other = tmp_path / "other"
    other.mkdir()
    stolen = workspace_dir(other) / "trusted"
    stolen.parent.mkdir()
    stolen.write_bytes((workspace_dir(workspace) / "trusted").read_bytes())
    assert not trust.is_trusted(other)


def test_a_file_cannot_be_trusted(workspace: Path) -> None:
    file = workspace / "file"
    file.touch()
    with pytest.raises(NotADirectoryError):
        trust.grant(file)


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX's")
def test_the_record_is_private(workspace: Path) -> None:
    trust.grant(workspace)
    record = workspace_dir(workspace) / "trusted"
    assert record.stat().st_mode & 0o777 == 0o600
    assert record.parent.stat().st_mode & 0o777 == 0o700
