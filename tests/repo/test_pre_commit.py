"""The hooks of `.pre-commit-hooks.yaml`, as pre-commit runs them: the entry, with the files that match."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
HOOKS: dict[str, dict[str, Any]] = {
    hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
}
FAULTY = 'def f(x: str) -> str:\n    """Do f."""\n    return x\n\n\nCUSTOM_TOOLS = [{"function": f, "name": "a-b"}]\n'


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    taken, others = (".adal/tools.py", "a b/.adal/tools.py"), ("tools.py", ".adal/tools.py.txt", "x.adal/tools.py")
    for name in (*taken, *others):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(FAULTY)
    git(tmp_path, "add", ".")
    return tmp_path


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


def commit(repository: Path, hook: str) -> subprocess.CompletedProcess[str]:
    """What pre-commit does for the files that are about to be committed."""
    staged = git(repository, "diff", "--staged", "--name-only", "-z").split("\0")
    files = [name for name in staged if name and re.search(HOOKS[hook]["files"], name)]
    command = shlex.split(HOOKS[hook]["entry"])
    command[0] = str(Path(sys.executable).with_name(command[0]))
    return subprocess.run([*command, *files], cwd=repository, capture_output=True, encoding="utf-8", check=False)


def test_a_commit_with_an_error_is_refused_and_one_without_goes_through(repository: Path) -> None:
    done = commit(repository, "adal-ls")
    assert done.returncode == 1
    assert {line.split(":")[0] for line in done.stdout.splitlines() if "error" in line and ":" in line} == {
        str(Path(".adal", "tools.py")),
        str(Path("a b", ".adal", "tools.py")),
    }
    for file in (repository / ".adal" / "tools.py", repository / "a b" / ".adal" / "tools.py"):
        file.write_text(FAULTY.replace("a-b", "a_b"))
    git(repository, "add", ".")
    assert commit(repository, "adal-ls").returncode == 0


def test_the_fixing_hook_changes_the_files_which_pre_commit_takes_for_a_refusal(repository: Path) -> None:
    assert commit(repository, "adal-ls-fix").returncode == 0
    assert git(repository, "diff", "--name-only").splitlines() == [".adal/tools.py", "a b/.adal/tools.py"]


def test_a_commit_of_a_module_alone_is_checked_by_the_tools_file_beside_it(repository: Path) -> None:
    helpers = repository / ".adal" / "pack" / "helpers.py"
    helpers.parent.mkdir()
    (repository / ".adal" / "tools.py").write_text("from pack.helpers import find\n\n\nCUSTOM_TOOLS = [find]\n")
    helpers.write_text('def find(q: str) -> str:\n    """Find."""\n    return q\n')
    git(repository, "add", ".")
    git(repository, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "all")
    helpers.write_text(helpers.read_text().replace("def find", "def bash"))
    git(repository, "add", ".")
    done = commit(repository, "adal-ls")
    assert "has no 'find'" in done.stdout
    assert "ADAL201" not in done.stdout
    helpers.write_text('def find(q: str -> str:\n    """Find."""\n    return q\n')
    git(repository, "add", ".")
    assert commit(repository, "adal-ls").returncode == 1


@pytest.mark.parametrize("hook", sorted(HOOKS))
def test_a_hook_takes_all_files_at_once_and_says_what_pre_commit_needs(hook: str) -> None:
    assert HOOKS[hook]["language"] == "python"
    assert HOOKS[hook]["require_serial"] is True
    assert {"id", "name", "entry", "description", "files"} <= set(HOOKS[hook])


def test_agents_files_are_taken_as_well() -> None:
    pattern = HOOKS["adal-ls"]["files"]
    assert re.search(pattern, "service/.adal/agents.py")
    assert not re.search(pattern, "agents.py")
