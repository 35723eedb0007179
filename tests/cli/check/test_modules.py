"""Tools in modules beside a tools file: what is said of them is told at their own place, and mended there."""

from __future__ import annotations

import codecs
import json
import sys
from pathlib import Path

import pytest

from tests.cli.check.test_watch import Watch
from tests.cli.conftest import Run

TOOLS = "from helpers import find\nfrom pack.deep import dig\n\nCUSTOM_TOOLS = [find, dig]\n"
HELPERS = '''\
def find(q, order: str = None) -> str:
    """Find it.

    Args:
        q: What to find.
        order: By what to sort.
    """
    return q


def _untouched(q, /, order: str = None): ...
'''
MENDED = HELPERS.replace("order: str = None) -> str", "order: str | None = None) -> str")
DEEP = 'def dig(depth: int) -> int:\n    """Dig."""\n    return depth\n'
BROKEN = "def other(x: int -> int:\n    return x\n"
SHORT = [str(Path(".adal", name)) for name in ("tools.py", "helpers.py")]


@pytest.fixture
def folder(project: Path) -> Path:
    found = project / ".adal"
    (found / "tools.py").write_text(
        "from helpers import find\nfrom pack.deep import dig\n\nCUSTOM_TOOLS = [find, dig]\n"
    )
    (found / "helpers.py").write_text(HELPERS)
    (found / "pack").mkdir()
    (found / "pack" / "__init__.py").write_text("")
    (found / "pack" / "deep.py").write_text(DEEP)
    (project / ".git").mkdir()
    return found


def test_findings_are_told_in_the_module_and_it_counts_as_a_file(adal_ls: Run, folder: Path) -> None:
    done = adal_ls("check")
    assert done.returncode == 0
    untyped, optional, summary = done.stdout.splitlines()
    assert untyped.startswith(f"{SHORT[1]}:1:10: hint ADAL303 untyped-parameter: ")
    assert optional.startswith(f"{SHORT[1]}:1:13: ")
    assert summary.endswith("in 3 files")
    (folder / "tools.py").write_text("CUSTOM_TOOLS = []\n")
    assert adal_ls("check").stdout == "no errors in 1 file\n"


def test_json_names_the_module(adal_ls: Run, folder: Path) -> None:
    (folder / "helpers.py").write_text(HELPERS + BROKEN)
    done = adal_ls("check", "--format", "json")
    told = json.loads(done.stdout)
    assert {one["path"] for one in told["diagnostics"]} == {SHORT[1]}
    assert told["summary"] == {"files": 3, "errors": 1, "warnings": 0, "informations": 0, "hints": 2}
    # Python takes nothing from a module that it refuses, so none of the tools can be loaded.
    assert done.returncode == 1
    assert [one["range"]["start"]["line"] for one in told["diagnostics"] if one["code"] == "ADAL001"] == [12]


def test_github_and_sarif_annotate_the_module(adal_ls: Run, folder: Path) -> None:
    lines = adal_ls("check", "--format", "github").stdout.splitlines()
    assert [line.split(",")[0] for line in lines] == ["::notice file=.adal/helpers.py"] * 2
    (run,) = json.loads(adal_ls("check", "--format", "sarif").stdout)["runs"]
    files = [one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in run["results"]]
    assert files == [".adal/helpers.py"] * 2
    (changed,) = [one["fixes"][0]["artifactChanges"][0] for one in run["results"] if "fixes" in one]
    assert changed["artifactLocation"]["uri"] == ".adal/helpers.py"


def test_a_module_that_is_named_as_well_is_told_once(adal_ls: Run, folder: Path) -> None:
    both = json.loads(adal_ls("check", *SHORT, "--format", "json").stdout)
    mine = [one for one in both["diagnostics"] if one["code"] in ("ADAL303", "ADAL304") or one["path"] == SHORT[1]]
    keys = [(one["path"], one["code"], json.dumps(one["range"])) for one in mine]
    assert len(keys) == len(set(keys))
    assert both["summary"]["files"] == 3


def test_a_module_that_is_named_stands_for_the_tools_file_beside_it(adal_ls: Run, folder: Path) -> None:
    whole = adal_ls("check", SHORT[0], "--format", "json").stdout
    assert adal_ls("check", SHORT[1], "--format", "json").stdout == whole
    assert json.loads(whole)["diagnostics"]
    (folder / "tools.py").unlink()
    alone = json.loads(adal_ls("check", SHORT[1], "--format", "json").stdout)
    assert {one["path"] for one in alone["diagnostics"]} == {SHORT[1]}


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_module_that_two_tools_files_share_is_told_once(adal_ls: Run, project: Path, folder: Path) -> None:
    other = project / "service" / ".adal"
    other.mkdir(parents=True)
    (other / "tools.py").write_text("from helpers import find\n\nCUSTOM_TOOLS = [find]\n")
    (other / "helpers.py").symlink_to(folder / "helpers.py")
    told = json.loads(adal_ls("check", "--format", "json").stdout)
    assert [(one["path"], one["range"]["start"]["column"]) for one in told["diagnostics"]] == [
        (SHORT[1], 10),
        (SHORT[1], 13),
    ]
    assert told["summary"]["files"] == 4


@pytest.mark.parametrize(("mark", "end"), [(b"", "\n"), (codecs.BOM_UTF8, "\r\n")])
def test_fix_mends_the_tools_of_a_module_and_nothing_else_in_it(
    adal_ls: Run, folder: Path, mark: bytes, end: str
) -> None:
    (folder / "helpers.py").write_bytes(mark + HELPERS.replace("\n", end).encode())
    before = adal_ls("check", "--diff")
    assert before.returncode == 1
    assert f"+++ {SHORT[1]}" in before.stdout
    done = adal_ls("check", "--fix")
    assert f"{SHORT[1]}:1: fixed " in done.stdout
    assert "ADAL303" in done.stdout  # which type is meant is a person's to say
    assert (folder / "helpers.py").read_bytes() == mark + MENDED.replace("\n", end).encode()
    assert "fixed" not in adal_ls("check", "--fix").stdout


def test_a_comment_that_silences_what_a_module_brings_is_no_idle_one(adal_ls: Run, folder: Path) -> None:
    (folder / "helpers.py").write_text('def find(q: str) -> int:\n    """Find."""\n    return open(q, "w").write(q)\n')
    entry = '{"function": find, "require_approval": False}'
    (folder / "tools.py").write_text(f"from helpers import find\n\nCUSTOM_TOOLS = [{entry}]\n")
    assert "ADAL601" in adal_ls("check").stdout
    (folder / "tools.py").write_text(f"from helpers import find\n\nCUSTOM_TOOLS = [{entry}]  # adal: ignore[ADAL601]\n")
    before = (folder / "tools.py").read_bytes()
    assert adal_ls("check", "--fix").stdout == "no errors in 2 files\n"
    assert (folder / "tools.py").read_bytes() == before


def test_standard_input_without_a_place_has_nothing_beside_it(adal_ls: Run, folder: Path) -> None:
    text = (folder / "tools.py").read_text()
    assert "in 1 file" in adal_ls("check", "-", text=text, cwd=folder).stdout
    assert "in 3 files" in adal_ls("check", "-", "--stdin-filename", ".adal/tools.py", text=text).stdout


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal of POSIX")
def test_watch_follows_a_module_of_a_package(project: Path, folder: Path) -> None:
    watching = Watch("check", "--watch", cwd=project, whole=True)
    try:
        watching.round("no errors", "3 files")
        (folder / "pack" / "deep.py").write_text(DEEP.replace(": int)", ")"))
        assert "ADAL303" in watching.round("no errors", "3 files")
        assert watching.end() == 0
    finally:
        if watching.process.poll() is None:
            watching.process.kill()
            watching.wait()
