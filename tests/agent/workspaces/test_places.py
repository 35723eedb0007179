from __future__ import annotations

import os
from pathlib import Path

import pytest

from adal_ls.agent.workspaces.places import OutsideWorkspaceError, protected, resolve_inside, secret


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "a.py").write_text("a = 1\n")
    (tmp_path / "ws-evil").mkdir()
    (tmp_path / "ws-evil" / "secret").write_text("secret")
    return folder


@pytest.mark.parametrize("path", ["src/a.py", "./src/../src/a.py", "src", ".", "new/file.txt"])
def test_paths_inside_resolve_to_their_real_place(workspace: Path, path: str) -> None:
    assert resolve_inside(workspace, path) == (workspace / path).resolve()


def test_an_absolute_path_inside_is_inside(workspace: Path) -> None:
    assert resolve_inside(workspace, str(workspace / "src" / "a.py")) == (workspace / "src" / "a.py").resolve()


@pytest.mark.parametrize("path", ["..", "../ws-evil/secret", "src/../../ws-evil/secret", "/etc/passwd", "a\0b"])
def test_paths_outside_are_refused(workspace: Path, path: str) -> None:
    with pytest.raises(OutsideWorkspaceError):
        resolve_inside(workspace, path)


def test_a_folder_whose_name_only_begins_alike_is_outside(workspace: Path) -> None:
    with pytest.raises(OutsideWorkspaceError, match="outside the workspace"):
        resolve_inside(workspace, str(workspace) + "-evil/secret")


def test_links_are_judged_by_where_they_lead(workspace: Path) -> None:
    (workspace / "out").symlink_to(workspace.parent / "ws-evil")
    (workspace / "in").symlink_to(workspace / "src")
    (workspace / "dangling").symlink_to(workspace.parent / "ws-evil" / "not-there-yet")
    (workspace / "loop").symlink_to(workspace / "loop")
    assert resolve_inside(workspace, "in/a.py") == (workspace / "src" / "a.py").resolve()
    for path in ("out/secret", "out/new", "dangling", "loop", "loop/x"):
        with pytest.raises(OutsideWorkspaceError):
            resolve_inside(workspace, path)


def test_a_workspace_given_by_a_link_is_the_same_workspace(workspace: Path) -> None:
    link = workspace.parent / "link"
    link.symlink_to(workspace)
    assert resolve_inside(link, "src/a.py") == resolve_inside(workspace, "src/a.py")


# Names that slipped through the lists of others: CVE-2025-58372, CVE-2025-59944, CVE-2026-103572.
@pytest.mark.parametrize(
    "path",
    [
        ".vscode/settings.json",
        ".VSCODE/Settings.json",
        ".vscode/./settings.json",
        "x/../.vscode/tasks.json",
        ".vscode",
        "foo.code-workspace",
        "Foo.Code-Workspace",
        ".adal/tools.py",
        "packages/api/.adal/tools.py",
        ".git/hooks/pre-commit",
        ".GIT/config",
        ".git./config",
        ".git /config",
        ".git::$INDEX_ALLOCATION/config",
        "git~1/config",
        ".g\u200cit/config",
        ".env",
        ".env.local",
        ".ENV",
        ".envrc",
        "deploy/.env.production",
        ".bashrc",
        ".zshrc",
        "../outside",
        "/etc/passwd",
        ".ssh/authorized_keys",
        "app/.devcontainer/devcontainer.json",
        ".idea/workspace.xml",
        ".husky/pre-commit",
        ".venv/bin/python",
        "venv/lib/python3.11/site-packages/x.pth",
        "app/pyvenv.cfg",
        ".vimrc",
        "nul\0byte",
    ],
)
def test_what_runs_unasked_and_what_cannot_be_judged_is_protected(workspace: Path, path: str) -> None:
    assert protected(workspace, path)


def test_a_repository_under_another_name_is_protected(workspace: Path) -> None:
    for name in ("objects", "refs", "hooks"):
        (workspace / "store" / name).mkdir(parents=True)
    assert not protected(workspace, "store/config")
    (workspace / "store" / "HEAD").write_text("ref: refs/heads/main")
    assert protected(workspace, "store/config")
    assert protected(workspace, "store/hooks/pre-commit")


@pytest.mark.parametrize("mark", ["pyvenv.cfg", "conda-meta/history"])
def test_an_environment_of_python_under_any_name_is_protected(workspace: Path, mark: str) -> None:
    assert not protected(workspace, "tools/py/bin/python")
    (workspace / "tools" / "py" / mark).parent.mkdir(parents=True)
    (workspace / "tools" / "py" / mark).touch()
    assert protected(workspace, "tools/py/bin/python")
    assert protected(workspace, "tools/py/lib/site-packages/sitecustomize.py")
    assert not protected(workspace, "tools/other.py")


@pytest.mark.parametrize("path", ["NUL", "src/con.txt", "src\\aux", "COM1", "lpt\u00b9.log", "nul:", "CONIN$", "prn ."])
def test_a_device_is_no_file_on_windows(workspace: Path, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "win32")
    with pytest.raises(OutsideWorkspaceError, match="device"):
        resolve_inside(workspace, path)
    for name in ("console.txt", "com", "nullable.py", "auxiliary/a.py"):
        resolve_inside(workspace, name)


def test_a_link_to_a_protected_file_is_protected(workspace: Path) -> None:
    (workspace / ".vscode").mkdir()
    (workspace / "innocent").symlink_to(workspace / ".vscode" / "settings.json")
    (workspace / "folder").symlink_to(workspace / ".vscode")
    assert protected(workspace, "innocent")
    assert protected(workspace, "folder/tasks.json")


def test_a_protected_name_is_protected_wherever_it_leads(workspace: Path) -> None:
    (workspace / ".env").symlink_to(workspace / "src" / "a.py")
    assert protected(workspace, ".env")


@pytest.mark.parametrize("path", ["src/a.py", "environment.py", ".gitignore", ".github/workflows/ci.yml", "vscode/x"])
def test_ordinary_files_are_not_protected(workspace: Path, path: str) -> None:
    assert not protected(workspace, path)


def test_the_folders_above_the_workspace_do_not_count(tmp_path: Path) -> None:
    workspace = tmp_path / ".adal" / "ws"
    workspace.mkdir(parents=True)
    assert not protected(workspace, "a.py")
    assert not protected(workspace, str(workspace / "a.py"))


def test_another_name_of_a_secret_file_is_secret(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / ".env").write_text("KEY=1")
    (tmp_path / "two.txt").write_text("x")
    os.link(tmp_path / ".env", tmp_path / "notes.txt")
    os.link(tmp_path / ".env", tmp_path / "sub" / "notes.txt")
    os.link(tmp_path / "two.txt", tmp_path / "sub" / "two.txt")
    assert secret(tmp_path, "notes.txt")
    assert secret(tmp_path, "sub/notes.txt")
    assert not secret(tmp_path, "two.txt")
    assert not secret(tmp_path, "nothing.txt")
