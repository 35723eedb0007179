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
    assert result["summary"] == {"files": 1, "errors": 2, "warnings": 0}
    name, duplicate = result["diagnostics"]
    keys = {"path", "code", "name", "severity", "message", "range", "related", "fixable"}
    assert set(name) == set(duplicate) == keys
    assert name["path"] == TOOLS_FILE
    assert (name["code"], name["name"], name["severity"]) == ("ADAL101", "invalid-identifier", "error")
    # The emoji is one code point: 15 characters and the quotes make 17 columns.
    assert name["range"] == {"start": {"line": 6, "column": 41}, "end": {"line": 6, "column": 57}}
    assert name["fixable"] is True
    assert duplicate["related"][0]["range"]["start"] == {"line": 6, "column": 60}
    assert duplicate["related"][0]["path"] == name["path"]


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


def test_a_folder_without_tools_says_so(adal_ls: Run, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    done = adal_ls("check", str(empty))
    assert done.returncode == 0
    assert "No .adal/tools.py was found" in done.stderr


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
