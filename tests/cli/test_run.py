from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run


def notes(project: Path) -> list[str]:
    file = project / "notes.txt"
    return file.read_text().splitlines() if file.exists() else []


def test_a_folder_never_trusted_is_refused_and_nothing_of_it_is_run(adal_ls: Run, project: Path) -> None:
    tools = project / ".adal" / "tools.py"
    tools.write_text("open('canary', 'w')\n" + tools.read_text())
    done = adal_ls("run", "-q", "double(number=4)", "--yolo")
    assert (done.returncode, done.stdout) == (1, "")
    assert "not trusted" in done.stderr
    assert "--trust" in done.stderr
    assert "adal-ls trust" in done.stderr
    assert not (project / "canary").exists()

    done = adal_ls("run", "-q", "double(number=4)", "-o", "json")
    assert json.loads(done.stdout) == {
        "success": False,
        "answer": None,
        "model": None,
        "session_id": None,
        "exit_code": 1,
        "error": json.loads(done.stdout)["error"],
    }
    lines = [json.loads(line) for line in adal_ls("run", "-q", "x", "-o", "stream-json").stdout.splitlines()]
    assert [line["type"] for line in lines] == ["error", "complete"]


def test_trust_is_for_once_or_for_good(adal_ls: Run) -> None:
    assert adal_ls("run", "--trust", "-q", "double(number=4)").returncode == 0
    assert adal_ls("run", "-q", "double(number=4)").returncode == 1
    assert adal_ls("trust").returncode == 0
    assert adal_ls("run", "-q", "double(number=4)").returncode == 0
    assert adal_ls("trust", "--revoke").returncode == 0
    assert adal_ls("run", "-q", "double(number=4)").returncode == 1


def test_a_folder_without_tools_needs_no_trust(adal_ls: Run, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "poem.txt").write_text("roses")
    done = adal_ls("run", "-q", "read_file(path='poem.txt')", cwd=plain)
    assert done.returncode == 0
    assert "roses" in done.stdout
    assert "trust" not in done.stderr


def test_a_tool_that_need_not_ask_runs_and_its_result_is_in_the_answer(adal_ls: Run) -> None:
    done = adal_ls("run", "--trust", "-q", "double(number=21)")
    assert done.returncode == 0
    assert "42" in done.stdout


def test_without_a_terminal_a_tool_that_asks_is_not_run_and_everything_says_so(adal_ls: Run, project: Path) -> None:
    done = adal_ls("run", "--trust", "-q", "note(text='buy milk')", "-o", "json")
    assert done.returncode == 3
    assert notes(project) == []
    assert "Would have asked: note" in done.stderr
    for known in ("runs the workspace's own code", f"defined at {Path('.adal', 'tools.py')}:1"):
        assert known in done.stderr
    assert '"text": "buy milk"' in done.stderr
    assert str(project) in done.stderr
    result = json.loads(done.stdout)
    assert (result["success"], result["exit_code"]) == (False, 3)
    assert "note" in result["error"]
    assert "--yolo" in result["error"]
    assert "Nothing was executed" in result["answer"]


def test_yolo_runs_everything_and_announces_itself(adal_ls: Run, project: Path) -> None:
    done = adal_ls("run", "--trust", "--yolo", "-q", "note(text='buy milk')", "-o", "json")
    assert done.returncode == 0
    assert notes(project) == ["buy milk"]
    assert "yolo" in done.stderr
    result = json.loads(done.stdout)
    assert set(result) == {"success", "answer", "model", "session_id", "exit_code"}
    assert (result["success"], result["model"], result["exit_code"]) == (True, "offline", 0)
    assert adal_ls("run", "--trust", "--permission-mode", "yolo", "-q", "note(text='eggs')").returncode == 0
    assert notes(project) == ["buy milk", "eggs"]


def test_piped_input_is_the_query(adal_ls: Run) -> None:
    done = adal_ls("run", "--trust", text="double(number=21)\n")
    assert done.returncode == 0
    assert "42" in done.stdout


def test_a_query_given_leaves_standard_input_alone(adal_ls: Run) -> None:
    assert "42" in adal_ls("run", "--trust", "-q", "double(number=21)", text="double(number=1)").stdout


def test_the_stream_is_one_object_a_line_and_complete_is_last(adal_ls: Run) -> None:
    done = adal_ls("run", "--trust", "-o", "stream-json", "-q", "double(number=2) note(text='x')")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    calls = [line for line in lines if line["type"] == "tool_call"]
    results = {line["name"]: line["status"] for line in lines if line["type"] == "tool_result"}
    assert calls == [
        {"type": "tool_call", "name": "double", "args": {"number": 2}},
        {"type": "tool_call", "name": "note", "args": {"text": "x"}},
    ]
    assert results == {"double": "success", "note": "cancelled"}
    assert [line["type"] for line in lines[-3:]] == ["answer", "error", "complete"]
    complete = lines[-1]
    assert set(complete) == {"type", "exit_code", "session_id", "model"}
    assert (complete["exit_code"], complete["model"]) == (done.returncode, "offline") == (3, "offline")


def script(project: Path, text: str) -> str:
    (project / "turns.yaml").write_text(text)
    return "script:turns.yaml"


# https://github.com/openai/openai-agents-python/issues/2204
def test_an_unknown_tool_is_answered_and_the_run_goes_on(adal_ls: Run, project: Path) -> None:
    model = script(
        project,
        """
        - calls: [{name: find_file, arguments: {x: 1}}]
        - calls: [{name: double, arguments: {number: 5}}]
        - text: done
        """,
    )
    done = adal_ls("run", "--trust", "-m", model, "-q", "go", "-o", "stream-json")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0
    assert "Would have asked" not in done.stderr
    assert [(line["name"], line["status"]) for line in lines if line["type"] == "tool_result"] == [
        ("find_file", "error"),
        ("double", "success"),
    ]
    assert lines[-2] == {"type": "answer", "content": "done"}


def test_a_data_folder_that_cannot_be_is_an_error_that_names_it(adal_ls: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADAL_DATA_DIR", "relative")
    done = adal_ls("run", "--trust", "-q", "go", "-o", "json")
    assert done.returncode == 1
    assert "ADAL_DATA_DIR must be an absolute path" in json.loads(done.stdout)["error"]
    assert "Traceback" not in done.stderr


def test_a_model_error_gives_exit_code_one_and_its_text(adal_ls: Run, project: Path) -> None:
    done = adal_ls("run", "--trust", "-m", "script:missing.yaml", "-q", "go", "-o", "json")
    result = json.loads(done.stdout)
    assert done.returncode == result["exit_code"] == 1
    assert (result["success"], result["answer"], result["model"]) == (False, None, None)
    assert "missing.yaml" in result["error"]


# https://github.com/anthropics/claude-code/issues/985
def test_a_tool_with_a_refused_name_is_left_out_with_its_reason_and_the_others_work(
    adal_ls: Run, project: Path
) -> None:
    tools = project / ".adal" / "tools.py"
    tools.write_text(tools.read_text().replace("[note,", '[{"function": note, "name": "take-note"},'))
    done = adal_ls("run", "--trust", "-q", "double(number=3)")
    assert done.returncode == 0
    assert "6" in done.stdout


def test_a_tools_file_that_cannot_be_loaded_is_no_success_and_built_in_tools_work(adal_ls: Run, project: Path) -> None:
    (project / ".adal" / "tools.py").write_text("import surely_not_installed\nCUSTOM_TOOLS = []\n")
    (project / "poem.txt").write_text("roses")
    done = adal_ls("run", "--trust", "-q", "read_file(path='poem.txt')", "-o", "json")
    result = json.loads(done.stdout)
    assert done.returncode == result["exit_code"] == 1
    assert result["success"] is False
    assert "roses" in result["answer"]
    assert "could not be loaded" in result["error"]
    assert "surely_not_installed" in result["error"]
    assert result["error"].count(sys.executable) == 2, "the Python is named where the package is missing, not again"


def test_entries_that_are_left_out_are_told_on_standard_error_in_every_format(adal_ls: Run, project: Path) -> None:
    tools = project / ".adal" / "tools.py"
    tools.write_text(tools.read_text().replace("[note,", '[{"function": note, "name": "b-b"}, {"func": note},'))
    for style in ("text", "json", "stream-json"):
        done = adal_ls("run", "--trust", "-q", "double(number=3)", "-o", style)
        assert done.returncode == 0
        assert "2 entries of CUSTOM_TOOLS were left out" in done.stderr
        assert "left out" not in done.stdout


def test_a_query_that_names_no_tool_there_is_is_no_success(adal_ls: Run) -> None:
    done = adal_ls("run", "--trust", "-q", "double(number=3) dubble(number=4)", "-o", "json")
    result = json.loads(done.stdout)
    assert done.returncode == result["exit_code"] == 1
    assert result["success"] is False
    assert "6" in result["answer"]
    for text in (result["answer"], result["error"]):
        assert "no tool 'dubble'; did you mean 'double'? The tools there are: " in text


def test_why_a_run_stopped_at_a_limit_is_said_once(adal_ls: Run, project: Path) -> None:
    model = script(project, "- calls: [{name: double, arguments: {number: 1}}]\n" * 20)
    done = adal_ls("run", "--trust", "-m", model, "-q", "go")
    assert done.returncode == 1
    assert done.stderr.count("Stopped: the model made the same calls") == 1


@pytest.mark.parametrize("names", ["Bash", "bash", "Read,Bash"])
def test_disabled_built_in_tools_cannot_be_called_even_with_yolo(adal_ls: Run, project: Path, names: str) -> None:
    model = script(project, "- calls: [{name: bash, arguments: {command: touch ran}}]\n- text: done\n")
    done = adal_ls("run", "--trust", "--yolo", "--disabled-default-tools", names, "-m", model, "-q", "go")
    assert done.returncode == 0
    assert not (project / "ran").exists()


def test_only_the_enabled_built_in_tools_are_there_and_custom_ones_stay(adal_ls: Run, project: Path) -> None:
    model = script(
        project,
        """
        - calls: [{name: bash, arguments: {command: echo hi}}, {name: double, arguments: {number: 2}}]
        - text: done
        """,
    )
    done = adal_ls(
        "run", "--trust", "--yolo", "--enabled-default-tools", "Read", "-m", model, "-q", "go", "-o", "stream-json"
    )
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert {line["name"]: line["status"] for line in results if line["type"] == "tool_result"} == {
        "bash": "error",
        "double": "success",
    }


def test_bash_runs_sandboxed(adal_ls: Run, project: Path, tmp_path: Path) -> None:
    model = script(
        project,
        f"- calls: [{{name: bash, arguments: {{command: 'echo in > in.txt; echo out > {tmp_path}/out.txt'}}}}]\n"
        "- text: done\n",
    )
    assert adal_ls("run", "--trust", "--yolo", "-m", model, "-q", "go").returncode == 0
    assert (project / "in.txt").read_text() == "in\n"
    assert not (tmp_path / "out.txt").exists()


def test_the_tool_context_is_any_json(adal_ls: Run) -> None:
    assert adal_ls("run", "--trust", "-c", "null", "-q", "double(number=1)").returncode == 0
    assert adal_ls("run", "--trust", "-c", '{"user": 1}', "-q", "double(number=1)").returncode == 0


def test_another_project_folder_can_be_named(adal_ls: Run, project: Path, tmp_path: Path) -> None:
    done = adal_ls("run", "--trust", "--yolo", "--project", str(project), "-q", "note(text='there')", cwd=tmp_path)
    assert done.returncode == 0
    assert notes(project) == ["there"]


def test_inside_of_a_project_its_tools_are_there_and_it_is_named(adal_ls: Run, project: Path) -> None:
    (project / "src").mkdir()
    for folder in ("src", ".adal"):
        done = adal_ls("run", "--trust", "-q", "double(number=21)", cwd=project / folder)
        assert done.returncode == 0
        assert "42" in done.stdout
        assert f"Project: {project}\n" in done.stderr
    assert len(adal_ls("runs", "list", cwd=project / "src").stdout.splitlines()) == 2


@pytest.mark.parametrize("arguments", [["-o", "json", "-m", ""], ["--output=json", "--nope"], ["-ojson", "-q", " "]])
def test_a_program_that_asks_for_json_gets_wrong_usage_as_json(adal_ls: Run, arguments: list[str]) -> None:
    done = adal_ls("run", "-q", "x", *arguments)
    assert done.returncode == 2
    result = json.loads(done.stdout)
    assert (result["success"], result["exit_code"]) == (False, 2)
    assert result["error"] in done.stderr.replace("\n", " ")


def test_wrong_usage_is_the_end_of_a_stream_too(adal_ls: Run) -> None:
    done = adal_ls("run", "-q", "x", "--trust", "--disabled-default-tools", "Bahs", "-o", "stream-json")
    assert done.returncode == 2
    assert [json.loads(line)["type"] for line in done.stdout.splitlines()] == ["error", "complete"]


def test_a_built_in_name_that_is_only_reserved_is_told(adal_ls: Run) -> None:
    chosen = ["--enabled-default-tools", "consult,Image,Read"]
    done = adal_ls("run", "--trust", *chosen, "-q", "double(number=1)", "-o", "json")
    assert done.returncode == 0
    assert "No built-in tool of this version has the name or group consult, Image; it is only reserved." in done.stderr
    assert "reserved" not in done.stdout


def test_a_query_is_given_once_and_numbers_are_asked_for_in_words(adal_ls: Run) -> None:
    twice = adal_ls("run", "-q", "a", "-q", "b")
    assert twice.returncode == 2
    assert "more than once" in twice.stderr
    assert "'x' is not a valid number." in adal_ls("run", "-q", "a", "--max-seconds", "x").stderr
    assert "'x' is not a valid whole number." in adal_ls("run", "-q", "a", "--max-steps", "x").stderr
    assert adal_ls("run", "-q", "a", "--max-steps", "0").returncode == 2
