"""Remembered answers: kept apart from the workspace, sealed, bound, revocable; void when somebody was at them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from adal_ls.agent.approvals.grants import Grant, Grants, GrantsError, forget
from adal_ls.agent.approvals.rules import Call, Rule
from adal_ls.agent.files.paths import data_dir, workspace_dir


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ADAL_DATA_DIR", str(tmp_path / "data"))
    folder = tmp_path / "work"
    folder.mkdir()
    return folder.resolve()


def call(folder: Path, **changes: Any) -> Call:
    return replace(Call("deploy", {"to": "test"}, "digest", folder, folder, "custom", None, "code"), **changes)


def grant(folder: Path, rule: Rule | None = None, **changes: Any) -> Grant:
    made = Grant("deploy", rule or Rule("tool"), "code", str(folder), "workspace")
    return replace(made, **changes)


def found(grants: Grants, wanted: Call) -> Grant | None:
    warned: list[str] = []
    result = grants.find(wanted, warned.append)
    assert warned == []
    return result


def files(workspace: Path) -> list[Path]:
    return list((workspace_dir(workspace) / "grants").iterdir())


def test_a_stored_grant_counts_in_another_process_and_lies_outside_the_workspace_for_its_owner_alone(
    workspace: Path,
) -> None:
    made = grant(workspace)
    Grants().add(made)
    assert found(Grants(), call(workspace)) == made
    assert list(workspace.iterdir()) == []
    (file,) = files(workspace)
    if os.name == "posix":
        assert file.stat().st_mode & 0o777 == 0o600
        assert (data_dir() / "grants.key").stat().st_mode & 0o777 == 0o600


def test_a_session_grant_is_of_this_process_alone(workspace: Path) -> None:
    grants = Grants()
    grants.add(grant(workspace, life="session"))
    assert found(grants, call(workspace)) is not None
    assert found(Grants(), call(workspace)) is None
    assert not (data_dir() / "workspaces").exists()


@pytest.mark.parametrize(
    "changes",
    [{"tool": "other"}, {"source_digest": "newer code"}, {"source_digest": ""}, {"workspace": Path("/elsewhere")}],
)
def test_a_grant_is_bound_to_tool_code_and_workspace(workspace: Path, changes: dict[str, Any]) -> None:
    for life in ("session", "workspace"):
        forget(workspace)
        grants = Grants()
        grants.add(grant(workspace, life=life))
        assert found(grants, call(workspace)) is not None
        assert found(grants, call(workspace, **changes)) is None


def test_a_grant_without_a_digest_of_code_covers_nothing(workspace: Path) -> None:
    grants = Grants()
    grants.add(grant(workspace, source_digest=""))
    assert found(grants, call(workspace, source_digest="")) is None


def test_a_revoked_grant_stops_counting_in_every_process_at_once(workspace: Path) -> None:
    here, there = Grants(), Grants()
    made = grant(workspace)
    here.add(made)
    assert found(there, call(workspace)) is not None
    assert here.revoke(made.grant_id)
    assert found(there, call(workspace)) is None
    assert found(here, call(workspace)) is None
    assert not here.revoke(made.grant_id)
    session = grant(workspace, life="session")
    here.add(session)
    assert here.revoke(session.grant_id)
    assert found(here, call(workspace)) is None


@pytest.mark.parametrize("given", ["../../x", "", "*", "a/b", "."])
def test_an_id_that_is_none_revokes_nothing(workspace: Path, given: str) -> None:
    Grants().add(grant(workspace))
    assert not Grants().revoke(given)
    assert len(files(workspace)) == 1


def _rewrite(file: Path, change: Callable[[dict[str, Any]], object]) -> None:
    held = json.loads(file.read_text())
    change(held)
    file.write_text(json.dumps(held))


def _link(file: Path) -> None:
    file.rename(file.with_name("x"))
    file.symlink_to("x")


TAMPERED: dict[str, Callable[[Path, Path], object]] = {
    "another tool": lambda file, _: _rewrite(file, lambda held: held["grant"].update(tool="other")),
    "another rule": lambda file, _: _rewrite(file, lambda held: held["grant"]["rule"].update(kind="tool")),
    "a longer list": lambda file, _: _rewrite(file, lambda held: held["grant"].update(extra=1)),
    "no seal": lambda file, _: _rewrite(file, lambda held: held.pop("seal")),
    "an empty seal": lambda file, _: _rewrite(file, lambda held: held.update(seal="")),
    "a seal that is no text": lambda file, _: _rewrite(file, lambda held: held.update(seal=None)),
    "no JSON": lambda file, _: file.write_text("{"),
    "a list": lambda file, _: file.write_text("[]"),
    "empty": lambda file, _: file.write_text(""),
    "binary": lambda file, _: file.write_bytes(b"\xff\xfe\x00"),
    "huge": lambda file, _: file.write_text("x" * 100_000),
    "readable by others": lambda file, _: file.chmod(0o644),
    "a link": lambda file, _: _link(file),
    "another name": lambda file, _: file.rename(file.with_name("0" * 32 + ".json")),
    "a folder": lambda file, _: file.with_name("folder.json").mkdir(),
    "a stray file": lambda file, _: file.with_name("notes.txt").write_text("mine"),
    "another key": lambda _, key: key.write_bytes(b"k" * 32),
    "no key": lambda _, key: key.unlink(),
    "a short key": lambda _, key: key.write_bytes(b"k"),
}


@pytest.mark.skipif(os.name == "nt", reason="modes and links")
@pytest.mark.parametrize("how", TAMPERED)
def test_grants_that_somebody_was_at_do_not_count_and_it_is_said_once(workspace: Path, how: str) -> None:
    Grants().add(grant(workspace, Rule("arguments", "digest")))
    (file,) = files(workspace)
    TAMPERED[how](file, data_dir() / "grants.key")
    grants, warned = Grants(), list[str]()
    for _ in range(3):
        assert grants.find(call(workspace), warned.append) is None
    assert len(warned) == 1
    assert "do not count" in warned[0]
    assert str(file.parent) in warned[0]
    with pytest.raises(GrantsError, match="do not count"):
        Grants().listed([workspace])
    # The way out works.
    forget(workspace) if how != "a folder" else file.with_name("folder.json").rmdir()
    if how == "a short key":
        (data_dir() / "grants.key").unlink()
    Grants().add(grant(workspace))
    assert found(Grants(), call(workspace)) is not None


@pytest.mark.skipif(os.name == "nt", reason="modes")
def test_a_grant_of_one_workspace_copied_to_another_does_not_count_there(workspace: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    Grants().add(grant(workspace))
    (file,) = files(workspace)
    folder = workspace_dir(other) / "grants"
    folder.mkdir(parents=True)
    copy = folder / file.name
    copy.write_bytes(file.read_bytes())
    copy.chmod(0o600)
    warned: list[str] = []
    assert Grants().find(call(other.resolve()), warned.append) is None
    assert warned


def test_what_cannot_be_stored_is_not_remembered_and_says_so(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (data_dir()).parent.mkdir(exist_ok=True)
    data_dir().write_text("a file where the folder should be")
    grants = Grants()
    with pytest.raises(GrantsError, match="not remembered"):
        grants.add(grant(workspace))


def test_the_list_holds_session_and_stored_grants_of_a_workspace_and_of_folders_in_it(
    workspace: Path, tmp_path: Path
) -> None:
    inner = workspace / "sub"
    inner.mkdir()
    (tmp_path / "apart").mkdir()
    grants = Grants()
    grants.add(grant(workspace, created="2026-01-02"))
    grants.add(grant(workspace, life="session", created="2026-01-01"))
    grants.add(grant(inner, created="2026-01-03"))
    grants.add(grant(tmp_path / "apart"))
    listed = grants.listed([workspace])
    assert [(item.life, item.workspace) for item in listed] == [
        ("session", str(workspace)),
        ("workspace", str(workspace)),
        ("workspace", str(inner)),
    ]
    told = listed[1].told().wire()
    assert told["scope"] == "workspace"
    assert told["covers"] == "tool"
    assert "every call" in told["rule"]
    assert grants.listed([tmp_path / "nowhere"]) == []


def test_two_processes_that_remember_at_once_lose_nothing_and_share_one_key(workspace: Path) -> None:
    import multiprocessing

    context = multiprocessing.get_context("spawn")
    jobs = [context.Process(target=_add, args=(str(workspace), number)) for number in range(3)]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join(60)
    assert {item.tool for item in Grants().listed([workspace])} == {"tool0", "tool1", "tool2"}


def _add(workspace: str, number: int) -> None:
    Grants().add(Grant(f"tool{number}", Rule("tool"), "code", workspace, "workspace"))
