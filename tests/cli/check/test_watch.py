"""`check --watch`, as a person sees it: each change is a round, and Ctrl-C ends it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.pseudo_terminal import Terminal

CLEAN = '''\
def f(x: str) -> str:
    """Do f.

    Args:
        x: Text.
    """
    return x


CUSTOM_TOOLS = [f]
'''
FAULTY = CLEAN.replace("[f]", "[f, f]")


class Watch(Terminal):
    """A command that watches `project`."""

    def round(self, outcome: str, files: str = "1 file") -> str:
        """Waits for a round that ends with `outcome`; returns what it showed."""
        shown = self.expect(outcome)
        return shown + self.expect(f" Watching {files}; Ctrl-C ends.")

    def end(self) -> int:
        self.interrupt()
        code, _ = self.wait()
        assert "Traceback" not in self.seen
        return code


@pytest.fixture
def tools(project: Path) -> Path:
    file = project / ".adal" / "tools.py"
    file.write_text(CLEAN)
    (project / ".git").mkdir()
    return file


@pytest.fixture
def watch(project: Path, tools: Path) -> Iterator[Watch]:
    watching = Watch("check", "--watch", cwd=project, whole=True)
    watching.round("no errors")
    yield watching
    if watching.process.poll() is None:
        watching.process.kill()
        watching.wait()


def replace(file: Path, text: str) -> None:
    """Saves as editors do: a new file takes the place of the old one."""
    (file.parent / "new").write_text(text)
    (file.parent / "new").replace(file)


@pytest.mark.parametrize("save", [Path.write_text, replace])
def test_each_change_is_a_round_on_a_clear_screen_and_the_exit_code_is_the_last_one_s(
    watch: Watch, tools: Path, save: object
) -> None:
    assert callable(save)
    save(tools, FAULTY)
    shown = watch.round("1 error, 0 warnings")
    assert "\x1b[2J" in shown
    assert "ADAL103" in shown
    save(tools, CLEAN)
    watch.round("no errors")
    save(tools, FAULTY)
    watch.round("1 error")
    assert watch.end() == 1


def test_ctrl_c_after_a_clean_round_is_success(watch: Watch) -> None:
    assert watch.end() == 0


def test_projects_are_followed_as_they_appear_move_and_vanish(watch: Watch, project: Path, tools: Path) -> None:
    shutil.copytree(project / ".adal", project / "packages" / "deep" / ".adal")
    watch.round("no errors in 2 files", "2 files")
    (project / "packages" / "deep" / ".adal" / "tools.py").write_text(FAULTY)
    assert "packages/deep/.adal/tools.py:" in watch.round("1 error", "2 files")
    (project / "packages").rename(project / "moved")
    assert "moved/deep/.adal/tools.py:" in watch.round("1 error", "2 files")
    (project / "moved" / "deep" / ".adal" / "tools.py").write_text(CLEAN)
    watch.round("no errors", "2 files")
    shutil.rmtree(project / "moved")
    watch.round("no errors in 1 file")
    tools.unlink()
    watch.expect("there is no .adal/tools.py or agents.py in or above")
    watch.expect("Watching for a .adal/tools.py or agents.py")
    tools.parent.rmdir()
    tools.parent.mkdir()
    tools.write_text(FAULTY)
    watch.round("1 error")
    assert watch.end() == 1


def test_a_folder_without_tools_is_watched_until_it_has_some(project: Path, tools: Path) -> None:
    shutil.rmtree(tools.parent)
    watch = Watch("check", "--watch", cwd=project, whole=True)
    watch.expect("Watching for a .adal/tools.py or agents.py")
    tools.parent.mkdir()
    tools.write_text(FAULTY)
    watch.round("1 error")
    shutil.rmtree(tools.parent)
    watch.expect("Watching for a .adal/tools.py or agents.py")
    assert watch.end() == 2


def test_a_file_that_is_named_may_go_and_come_back(project: Path, tools: Path) -> None:
    watch = Watch("check", "--watch", os.fspath(tools.relative_to(project)), cwd=project, whole=True)
    watch.round("no errors")
    shutil.rmtree(tools.parent)
    watch.expect("no such file")
    tools.parent.mkdir()
    tools.write_text(FAULTY)
    watch.round("1 error, 0 warnings in 1 file")
    assert watch.end() == 1


def test_the_configuration_is_followed(watch: Watch, project: Path, tools: Path) -> None:
    tools.write_text(CLEAN.replace("x: str", "x"))
    assert "ADAL303" in watch.round("no errors")
    (project / "pyproject.toml").write_text('[tool.adal-ls]\nignore = ["ADAL3"]\n')
    assert "ADAL303" not in watch.round("no errors")
    (project / "pyproject.toml").write_text("[tool.adal-ls]\nignore = [\n")
    assert "ADAL303" in watch.round("no errors")
    assert watch.end() == 2


def test_modules_and_packages_beside_the_file_are_followed(watch: Watch, tools: Path) -> None:
    (tools.parent / "pack").mkdir()
    (tools.parent / "pack" / "__init__.py").touch()
    (tools.parent / "pack" / "more.py").write_text(CLEAN)
    tools.write_text("from pack.more import *\n\nCUSTOM_TOOLS = [f, f]\n")
    watch.round("1 error", "2 files")
    tools.write_text("from pack.more import *\n\nCUSTOM_TOOLS = [f]\n")
    watch.round("no errors in 2 files", "2 files")
    (tools.parent / "pack" / "more.py").write_text("def g(): ...\n")
    assert "'f'" in watch.round("1 error")
    assert watch.end() == 1


def test_files_that_do_not_matter_make_no_round(watch: Watch, project: Path, tools: Path) -> None:
    rounds = watch.seen.count("Watching")
    (project / "notes.txt").write_text("x")
    (project / "other.py").write_text("x = 1\n")
    (tools.parent / "tools.py.swp").write_text("x")
    (project / "empty").mkdir()
    os.utime(project / "notes.txt")
    tools.write_text(FAULTY)
    watch.round("1 error")
    assert watch.seen.count("Watching") == rounds + 1
    assert watch.end() == 1


def test_fixes_are_shown_until_the_next_change(project: Path, tools: Path) -> None:
    tools.write_text(CLEAN.replace("[f]", '[{"function": f, "name": "a-b"}]'))
    watch = Watch("check", "--watch", "--fix", cwd=project, whole=True)
    assert "fixed ADAL101" in watch.round("no errors")
    tools.write_text(FAULTY)
    watch.round("in 1 file")
    assert watch.seen.count("Watching") == 2
    watch.end()


@pytest.mark.parametrize("more", [("--format", "json"), ("--diff",), ("-",)])
def test_what_is_not_for_a_person_does_not_go_with_it(adal_ls: Run, more: tuple[str, ...]) -> None:
    done = adal_ls("check", "--watch", *more)
    assert done.returncode == 2
    assert "--watch" in done.stderr


def test_what_one_file_does_not_need_is_not_imported(project: Path, tools: Path, adal_ls: Run) -> None:
    code = (
        "import sys; from adal_ls.cli import main; main(['check'])\n"
        "assert not {'watchfiles', 'rich', 'anyio', 'multiprocessing', 'concurrent.futures'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=project, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_file_of_another_name_is_followed_where_it_is_named(project: Path, tools: Path) -> None:
    (project / "agent_tools.py").write_text(CLEAN)
    watch = Watch("check", "--watch", "agent_tools.py", cwd=project, whole=True)
    watch.round("no errors")
    (project / "agent_tools.py").write_text(FAULTY)
    watch.round("1 error")
    assert watch.end() == 1
