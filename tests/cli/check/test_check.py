from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.conftest import Run

TOOLS_FILE = str(Path(".adal", "tools.py"))

FAULTY = '''\
def f(x: str) -> str:
    """Do f."""
    return x


CUSTOM_TOOLS = [{"function": f, "name": "😀create-ticket"}, f, f]
'''


CLEAN = '''\
def double(number: int) -> int:
    """Double a number.

    Args:
        number: The number to double.
    """
    return number * 2


CUSTOM_TOOLS = [double]
'''


def test_a_clean_file_gives_exit_code_zero(adal_ls: Run, project: Path) -> None:
    (project / ".adal" / "tools.py").write_text(CLEAN)
    done = adal_ls("check")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "no errors in 1 file\n"


def test_findings_are_lines_with_path_line_and_column(adal_ls: Run, project: Path) -> None:
    (project / ".adal" / "tools.py").write_text(FAULTY)
    done = adal_ls("check")
    assert done.returncode == 1
    first, second, note, summary = done.stdout.splitlines()
    assert first.startswith(f"{TOOLS_FILE}:6:41: error ADAL101 invalid-identifier: ")
    assert ":6:63: error ADAL103 duplicate: " in second
    assert ":6:60: note: " in note
    assert summary == "2 errors, 0 warnings in 1 file"


def test_json_is_the_whole_output_with_columns_in_code_points(adal_ls: Run, project: Path) -> None:
    (project / ".adal" / "tools.py").write_text(FAULTY)
    done = adal_ls("check", "--format", "json")
    assert done.returncode == 1
    assert done.stderr == ""
    result = json.loads(done.stdout)
    assert set(result) == {"version", "diagnostics", "summary"}
    assert result["version"] == 1
    assert result["summary"] == {"files": 1, "errors": 2, "warnings": 0, "informations": 0, "hints": 0}
    name, duplicate = result["diagnostics"]
    keys = {"path", "code", "name", "severity", "message", "range", "related", "fixable", "choices"}
    assert set(name) == set(duplicate) == keys
    assert name["path"] == TOOLS_FILE
    assert (name["code"], name["name"], name["severity"]) == ("ADAL101", "invalid-identifier", "error")
    # The emoji is one code point: 15 characters and the quotes make 17 columns.
    assert name["range"] == {"start": {"line": 6, "column": 41}, "end": {"line": 6, "column": 57}}
    assert (name["fixable"], name["choices"]) == (True, [])
    assert duplicate["related"][0]["range"]["start"] == {"line": 6, "column": 60}
    assert duplicate["related"][0]["path"] == name["path"]


CHOOSING = """\
def look(x):
    return x


CUSTOM_TOOLS = [{"function": look, "name": "look-up"}]
"""


def test_fixes_that_need_a_choice_are_told_from_those_of_fix(adal_ls: Run, project: Path) -> None:
    tools = project / ".adal" / "tools.py"
    tools.write_text(CHOOSING)
    told = {found["code"]: found for found in json.loads(adal_ls("check", "--format", "json").stdout)["diagnostics"]}
    assert (told["ADAL101"]["fixable"], told["ADAL101"]["choices"]) == (True, [])
    assert (told["ADAL401"]["fixable"], told["ADAL401"]["choices"]) == (False, ["Add a docstring"])
    assert (told["ADAL303"]["fixable"], told["ADAL303"]["choices"]) == (False, [])
    done = adal_ls("check")
    summary = done.stdout.splitlines()[-1]
    assert summary == "1 error, 1 warning, 1 hint in 1 file"
    assert done.stderr == "--fix mends 1 of them; 1 more has a fix to choose in the editor.\n"
    adal_ls("check", "--fix")
    assert "look_up" in tools.read_text()
    assert adal_ls("check").stderr == "1 of them has a fix to choose in the editor.\n"


def test_a_folder_means_every_tools_file_in_it(adal_ls: Run, project: Path) -> None:
    for folder in ("packages/a", "packages/a/b", "node_modules/x", ".venv/lib"):
        (project / folder / ".adal").mkdir(parents=True)
        (project / folder / ".adal" / "tools.py").write_text(FAULTY)
    result = json.loads(adal_ls("check", ".", "--format", "json").stdout)
    assert result["summary"]["files"] == 3
    errors = [found for found in result["diagnostics"] if found["severity"] == "error"]
    assert {Path(found["path"]).as_posix() for found in errors} == {
        "packages/a/.adal/tools.py",
        "packages/a/b/.adal/tools.py",
    }


def test_a_file_named_twice_is_checked_once(adal_ls: Run) -> None:
    result = json.loads(adal_ls("check", ".adal/tools.py", ".", ".adal/../.adal/tools.py", "--format", "json").stdout)
    assert result["summary"]["files"] == 1


def test_a_file_of_any_name_is_checked_where_it_is_named(adal_ls: Run, project: Path) -> None:
    (project / "agent_tools.py").write_text(FAULTY)
    assert adal_ls("check", "agent_tools.py").returncode == 1


def test_a_place_without_tools_is_no_success_and_says_the_way_out(adal_ls: Run, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    (empty / ".git").mkdir(parents=True)
    done = adal_ls("check", str(empty))
    assert (done.returncode, done.stdout) == (2, "")
    assert f"there is no .adal/tools.py or agents.py below '{empty}'" in done.stderr
    done = adal_ls("check", "--format", "json", cwd=empty)
    assert done.returncode == 2
    assert f"there is no .adal/tools.py or agents.py in or above {empty}" in done.stderr
    assert "adal-ls check PATH" in done.stderr
    assert json.loads(done.stdout)["summary"]["files"] == 0


@pytest.mark.parametrize("folder", [".adal", "src", "src/deep"])
def test_inside_of_a_project_its_file_is_checked(adal_ls: Run, project: Path, folder: str) -> None:
    (project / ".adal" / "tools.py").write_text(FAULTY)
    (project / folder).mkdir(parents=True, exist_ok=True)
    done = adal_ls("check", cwd=project / folder)
    assert done.returncode == 1
    steps = [".."] * len(Path(folder).parts)
    assert done.stdout.startswith("tools.py:6:" if folder == ".adal" else f"{Path(*steps, TOOLS_FILE)}:6:")


def test_the_search_ends_at_the_root_of_the_repository(adal_ls: Run, project: Path) -> None:
    (project / "other" / ".git").mkdir(parents=True)
    (project / "other" / "src").mkdir()
    assert adal_ls("check", cwd=project / "other" / "src").returncode == 2
    assert adal_ls("check", cwd=project).returncode == 0


def test_the_adal_folder_itself_can_be_named(adal_ls: Run, project: Path) -> None:
    (project / ".adal" / "tools.py").write_text(FAULTY)
    done = adal_ls("check", ".adal")
    assert done.returncode == 1
    assert done.stdout.startswith(f"{TOOLS_FILE}:6:")


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
def test_an_adal_folder_that_cannot_be_looked_into_is_an_unreadable_file(adal_ls: Run, project: Path) -> None:
    (project / ".adal" / "tools.py").unlink()
    (project / ".adal").rmdir()
    (project / ".adal").symlink_to(".adal")
    done = adal_ls("check", "--format", "json")
    assert done.returncode == 2
    result = json.loads(done.stdout)
    (found,) = result["diagnostics"]
    assert (found["code"], found["name"], found["path"]) == ("ADAL003", "unreadable", TOOLS_FILE)
    assert "symbolic links" in found["message"]
    assert result["summary"] == {"files": 0, "errors": 1, "warnings": 0, "informations": 0, "hints": 0}


def test_codes_can_be_selected_and_ignored_but_not_what_the_runtime_refuses(adal_ls: Run, project: Path) -> None:
    tools = project / ".adal" / "tools.py"
    tools.write_text(
        "def f(x: str) -> str:\n    return x\n\n\nCUSTOM_TOOLS = [{'function': f, 'approve': False}, f, f]\n"
    )

    def codes(*more: str) -> set[str]:
        return {
            found["code"] for found in json.loads(adal_ls("check", "--format", "json", *more).stdout)["diagnostics"]
        }

    everything = codes()
    others = everything - {"ADAL103"}
    assert "ADAL103" in everything
    assert others
    assert codes("--ignore", ",".join(others)) == {"ADAL103"}
    assert codes("--select", "ADAL103") == {"ADAL103"}
    assert codes("--ignore", "ADAL103") == everything


def test_a_wrong_code_is_wrong_usage(adal_ls: Run) -> None:
    done = adal_ls("check", "--select", "E501")
    assert done.returncode == 2
    assert "E501" in done.stderr
    assert "ADAL107" in done.stderr
    done = adal_ls("check", "--ignore", "ADAL3O3")
    assert done.returncode == 2
    assert "did you mean ADAL303?" in done.stderr


@pytest.mark.parametrize("written", ["adal101", "Invalid-Identifier", " ADAL101 ,"])
def test_a_rule_is_selected_in_any_case_and_by_its_name(adal_ls: Run, project: Path, written: str) -> None:
    (project / ".adal" / "tools.py").write_text(
        "def f(x):\n    return x\n\n\nCUSTOM_TOOLS = [{'function': f, 'name': 'a-b'}]\n"
    )
    result = json.loads(adal_ls("check", "--select", written, "--format", "json").stdout)
    assert [found["code"] for found in result["diagnostics"]] == ["ADAL101"]


def _directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _huge(path: Path) -> None:
    path.write_text("#" * (8 * 1024 * 1024 + 1))


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (Path.unlink, "no such file"),
        (_directory, "is a folder"),
        (_pipe, "no regular file"),
        (_huge, "larger than"),
    ],
)
def test_a_file_that_cannot_be_read_is_located_and_gives_exit_code_two(
    adal_ls: Run, project: Path, spoil: object, words: str
) -> None:
    assert callable(spoil)
    spoil(project / ".adal" / "tools.py")
    done = adal_ls("check", TOOLS_FILE)
    assert done.returncode == 2
    assert done.stdout.startswith(f"{TOOLS_FILE}:1:1: error ")
    assert words in done.stdout
    assert "Traceback" not in done.stderr
    result = json.loads(adal_ls("check", ".adal/tools.py", "--format", "json").stdout)
    assert words in result["diagnostics"][0]["message"]


@pytest.mark.parametrize(
    ("content", "place"),
    [(b"# ok\nx = 'caf\xe9'\n", ":2:9:"), (b"\x7fELF\0\0\0\1\2\3", ":1:"), (b"", None), (b"#" * 5_000_000, None)],
)
def test_bytes_that_are_no_python_are_located(adal_ls: Run, project: Path, content: bytes, place: str | None) -> None:
    (project / ".adal" / "tools.py").write_bytes(content)
    done = adal_ls("check")
    assert "Traceback" not in done.stderr
    if place is None:
        assert done.returncode == 0
    else:
        assert done.returncode == 1
        (located,) = (line for line in done.stdout.splitlines() if "ADAL001" in line)
        assert place in located


def test_nothing_in_the_file_is_run(adal_ls: Run, project: Path) -> None:
    (project / ".adal" / "tools.py").write_text("open('canary', 'w')\nCUSTOM_TOOLS = []\n")
    adal_ls("check")
    adal_ls("tools", "list")
    assert not (project / "canary").exists()


@pytest.mark.skipif(os.name == "nt", reason="no such names there")
def test_control_characters_do_not_reach_the_terminal(adal_ls: Run, project: Path) -> None:
    folder = project / "a\x1b]0;owned\x07" / ".adal"
    folder.mkdir(parents=True)
    (folder / "tools.py").write_text('CUSTOM_TOOLS = [{"function": len, "name": "\\x1b[2J\u202e"}]\n')
    done = adal_ls("check")
    assert done.returncode == 1
    assert "\\u{1b}]0;owned" in done.stdout
    assert not {"\x1b", "\x07", "\u202e"} & set(done.stdout)
