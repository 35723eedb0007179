from __future__ import annotations

import codecs
import json
import stat
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run

TOOLS_FILE = str(Path(".adal", "tools.py"))

BODY = '''def f(x: str) -> str:
    """Do f.

    Args:
        x: A text.
    """
    return x


'''
FAULTY = f'{BODY}CUSTOM_TOOLS = [{{"function": f, "name": "create-ticket"}}]\n'
MENDED = FAULTY.replace("create-ticket", "create_ticket")


def written(project: Path, data: bytes) -> Path:
    file = project / ".adal" / "tools.py"
    file.write_bytes(data)
    return file


def test_fix_mends_the_file_and_says_what_it_did(adal_ls: Run, project: Path) -> None:
    file = written(project, FAULTY.encode())
    done = adal_ls("check", "--fix")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{TOOLS_FILE}:10: fixed ADAL101: Rename to 'create_ticket'\nno errors in 1 file\n"
    assert file.read_bytes() == MENDED.encode()
    before = file.stat()
    again = adal_ls("check", "--fix")
    assert (again.returncode, again.stdout) == (0, "no errors in 1 file\n")
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)  # not written again


def test_what_cannot_be_mended_is_still_reported(adal_ls: Run, project: Path) -> None:
    file = written(project, FAULTY.replace("}]", "}, missing]").encode())
    done = adal_ls("check", "--fix")
    assert done.returncode == 1
    assert "fixed ADAL101" in done.stdout
    assert "error ADAL207" in done.stdout
    assert "create_ticket" in file.read_text()


def test_json_lists_the_fixes(adal_ls: Run, project: Path) -> None:
    written(project, FAULTY.encode())
    done = adal_ls("check", "--fix", "--format", "json")
    result = json.loads(done.stdout)
    assert result["fixed"] == [
        {"path": TOOLS_FILE, "code": "ADAL101", "title": "Rename to 'create_ticket'", "line": 10}
    ]
    assert result["diagnostics"] == []
    assert "fixed" not in json.loads(adal_ls("check", "--format", "json").stdout)


@pytest.mark.parametrize(
    "encode",
    [
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: codecs.BOM_UTF8 + text.encode(),
        lambda text: b"# -*- coding: latin-1 -*-\n# \xe9\n" + text.encode("latin-1"),
        lambda text: text.replace("    ", "\t").removesuffix("\n").encode(),
    ],
    ids=["CRLF", "byte order mark", "Latin-1", "tabs, no last line end"],
)
def test_line_ends_encoding_and_indentation_stay(adal_ls: Run, project: Path, encode: object) -> None:
    assert callable(encode)
    file = written(project, encode(FAULTY))
    assert adal_ls("check", "--fix").returncode == 0
    assert file.read_bytes() == encode(MENDED)


def test_a_file_that_python_cannot_decode_is_never_written(adal_ls: Run, project: Path) -> None:
    data = b"# \xff\n" + FAULTY.encode()
    file = written(project, data)
    done = adal_ls("check", "--fix")
    assert done.returncode == 2
    assert f"{TOOLS_FILE} was not changed: " in done.stderr
    assert file.read_bytes() == data


def test_diff_shows_what_fix_would_do_and_writes_nothing(adal_ls: Run, project: Path) -> None:
    file = written(project, FAULTY.encode())
    done = adal_ls("check", "--diff")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[:2] == [f"--- {TOOLS_FILE}", f"+++ {TOOLS_FILE}"]
    assert [line for line in lines[2:] if line[:1] in "+-"] == [
        '-CUSTOM_TOOLS = [{"function": f, "name": "create-ticket"}]',
        '+CUSTOM_TOOLS = [{"function": f, "name": "create_ticket"}]',
    ]
    assert file.read_bytes() == FAULTY.encode()
    written(project, MENDED.encode())
    done = adal_ls("check", "--diff")
    assert (done.returncode, done.stdout) == (0, "")


def test_approval_is_left_to_the_person(adal_ls: Run, project: Path) -> None:
    text = f'{BODY}CUSTOM_TOOLS = [{{"function": f, "require_approval": "False"}}]\n'
    file = written(project, text.encode())
    done = adal_ls("check", "--fix")
    assert done.returncode == 1
    assert file.read_text() == text


def test_ignored_findings_are_not_mended(adal_ls: Run, project: Path) -> None:
    text = f'{BODY}CUSTOM_TOOLS = [{{"function": f, "desc": "F."}}]\n'
    file = written(project, text.encode())
    adal_ls("check", "--fix", "--ignore", "ADAL205")
    assert file.read_text() == text
    adal_ls("check", "--fix")
    assert file.read_text() == text.replace("desc", "description")


@pytest.mark.skipif(sys.platform == "win32", reason="modes and links are POSIX's")
def test_mode_and_link_stay_and_nothing_is_left_behind(adal_ls: Run, project: Path) -> None:
    file = written(project, FAULTY.encode())
    target = project / "shared.py"
    file.rename(target)
    target.chmod(0o640)
    file.symlink_to(target)
    assert adal_ls("check", "--fix").returncode == 0
    assert file.is_symlink()
    assert target.read_bytes() == MENDED.encode()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert sorted(path.name for path in project.iterdir()) == [".adal", "shared.py"]
    assert [path.name for path in (project / ".adal").iterdir()] == ["tools.py"]
