from __future__ import annotations

import json
from pathlib import Path

from adal_ls.protocol.tools import Tool
from tests.cli.conftest import Run


def test_the_list_is_that_of_the_protocol(adal_ls: Run, project: Path) -> None:
    done = adal_ls("tools", "list", "--format", "json")
    assert done.returncode == 0
    tools = [Tool.model_validate(tool) for tool in json.loads(done.stdout)]
    assert [tool.name for tool in tools] == ["note", "double"]
    note, double = tools
    assert (note.require_approval, double.require_approval) == (True, False)
    assert note.description == "Keep a note."
    assert note.parameters["properties"] == {"text": {"type": "string", "description": "What to keep."}}
    assert note.location is not None
    assert note.location.uri == (project / ".adal" / "tools.py").as_uri()
    assert (note.location.range.start.line, note.location.range.start.character) == (0, 4)


def test_positions_count_utf_16_units_from_zero(adal_ls: Run, project: Path) -> None:
    tools = project / ".adal" / "tools.py"
    tools.write_text('def f(): ...\n\nCUSTOM_TOOLS = [{"description": "😀", "function": f, "name": "g"}]\n')
    (tool,) = json.loads(adal_ls("tools", "list", "--format", "json").stdout)
    line = tools.read_text().splitlines()[2]
    column = line.index('"g"')
    assert tool["location"]["range"]["start"] == {"line": 2, "character": column + 1}


def test_without_a_terminal_the_list_is_plain_lines(adal_ls: Run) -> None:
    lines = adal_ls("tools", "list").stdout.splitlines()
    assert [line.split("\t")[:2] for line in lines] == [
        ["note", "asks before it runs"],
        ["double", "runs unasked"],
    ]


def test_one_tool_can_be_shown(adal_ls: Run) -> None:
    shown = adal_ls("tools", "show", "note")
    assert shown.returncode == 0
    assert "Keep a note." in shown.stdout
    assert '"text"' in shown.stdout
    assert json.loads(adal_ls("tools", "show", "note", "--format", "json").stdout)["name"] == "note"


def test_a_name_that_is_not_there_lists_those_that_are(adal_ls: Run) -> None:
    done = adal_ls("tools", "show", "nota")
    assert done.returncode == 1
    assert "note, double" in done.stderr


def test_problems_of_a_tool_are_shown_with_it(adal_ls: Run, project: Path) -> None:
    tools = project / ".adal" / "tools.py"
    tools.write_text(tools.read_text().replace("[note,", '[{"function": note, "name": "take-note"},'))
    assert "ADAL101" in adal_ls("tools", "show", "take-note").stdout


def test_a_missing_tools_file_is_named(adal_ls: Run, project: Path) -> None:
    (project / ".adal" / "tools.py").unlink()
    done = adal_ls("tools", "list")
    assert done.returncode == 1
    assert "tools.py" in done.stderr
