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
    assert "is no project with tools: there is no " in done.stderr
    assert "tools.py" in done.stderr


def approvals(adal_ls: Run, project: Path, text: str) -> dict[str, str]:
    (project / ".adal" / "tools.py").write_text(text)
    lines = adal_ls("tools", "list").stdout.splitlines()
    return {line.split("\t")[0]: line.split("\t")[1] for line in lines}


F = "def f(x: str) -> str:\n    'Do f.'\n    return x\n\n\ndef g(x: str) -> str:\n    'Do g.'\n    return x\n\n\n"


def test_a_tool_that_a_run_will_not_have_is_marked(adal_ls: Run, project: Path) -> None:
    entries = "[f, {'function': f, 'name': 'a-b'}, {'function': f, 'name': 'bash'}, {'function': 'g', 'name': 'h'}]"
    assert approvals(adal_ls, project, f"{F}CUSTOM_TOOLS = {entries}\n") == {
        "f": "asks before it runs",
        "a-b": "left out: ADAL101",
        "bash": "left out: ADAL104",
        "h": "left out: ADAL206",
    }
    assert "left out: ADAL101" in adal_ls("tools", "show", "a-b").stdout
    two = "[{'function': f, 'name': 'same'}, {'function': g, 'name': 'same'}]"
    assert approvals(adal_ls, project, f"{F}CUSTOM_TOOLS = {two}\n") == {"same": "left out: ADAL103"}


def test_what_leaves_a_tool_working_is_no_mark(adal_ls: Run, project: Path) -> None:
    text = f"{F}CUSTOM_TOOLS = [f, f, {{'function': g, 'description': 3}}]\n"
    assert approvals(adal_ls, project, text) == {"f": "asks before it runs", "g": "asks before it runs"}


def test_no_tool_of_a_file_that_cannot_be_loaded_will_be_there(adal_ls: Run, project: Path) -> None:
    assert approvals(adal_ls, project, f"{F}x = = 1\nCUSTOM_TOOLS = [f]\n") == {"f": "not loaded"}
    text = f"{F}CUSTOM_TOOLS = [f, g, undefined_tool]\n"
    assert approvals(adal_ls, project, text) == dict.fromkeys(("f", "g", "undefined_tool"), "not loaded")
    for arguments in (("list",), ("show", "f")):
        (said,) = adal_ls("tools", *arguments).stderr.splitlines()
        assert "none is loaded: line 11, 'undefined_tool' is not defined" in said


def test_computed_tools_and_entries_that_are_none_are_told(adal_ls: Run, project: Path) -> None:
    tools = project / ".adal" / "tools.py"
    tools.write_text(f"{F}CUSTOM_TOOLS = list(filter(None, (f, g)))\n")
    said = adal_ls("tools", "list").stderr
    assert "the tools are computed when the file is loaded" in said
    assert "gives no tools" not in said
    tools.write_text(f"{F}CUSTOM_TOOLS = [f, *map(id, []), {{'func': f}}, 3]\n")
    said = adal_ls("tools", "list").stderr
    assert "more tools are computed" in said
    assert "entries that are no tools are left out: line 11 " in said
    tools.write_text("CUSTOM_TOOLS = []\n")
    assert "gives no tools" in adal_ls("tools", "list").stderr


def test_the_project_is_found_upward_and_named(adal_ls: Run, project: Path) -> None:
    (project / "src" / "deep").mkdir(parents=True)
    done = adal_ls("tools", "list", cwd=project / "src" / "deep")
    assert done.returncode == 0
    assert done.stderr == f"Project: {project}\n"
    assert "double" in done.stdout
    assert "double" in adal_ls("tools", "list", "--project", ".adal").stdout


def test_of_a_function_that_is_not_read_nothing_is_made_up(adal_ls: Run, project: Path) -> None:
    (project / ".adal" / "tools.py").write_text("from json import dumps\n\n\nCUSTOM_TOOLS = [dumps]\n")
    shown = adal_ls("tools", "show", "dumps").stdout
    assert "known once the file is loaded" in shown
    assert "no description" not in shown
