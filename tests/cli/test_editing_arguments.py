"""Editing the arguments of a call before it is allowed, at a real (pseudo) terminal."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from adal_ls.agent.store.store import Store
from adal_ls.cli.argument_editing import Draft
from adal_ls.protocol.runs import DecisionEvent, ToolResultEvent
from tests.cli.test_run import notes

if os.name == "nt":
    pytest.skip("pseudo terminals are POSIX's", allow_module_level=True)

from tests.cli.pseudo_terminal import Terminal

NOTE = ("run", "--trust", "-q", "note(text='buy milk')")


@pytest.fixture(autouse=True)
def no_editor(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)


def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *texts: str) -> None:
    """An editor that writes the next of `texts` each time, and keeps what it was given."""
    (tmp_path / "texts.json").write_text(json.dumps(list(texts)))
    program = tmp_path / "editor.py"
    program.write_text(
        "import json, os, shutil, sys\n"
        "from pathlib import Path\n"
        f"folder = Path({str(tmp_path)!r})\n"
        "texts = json.loads((folder / 'texts.json').read_text())\n"
        "file = Path(sys.argv[-1])\n"
        "shutil.copy(file, folder / f'given{len(texts)}.json')\n"
        "(folder / 'mode').write_text(oct(file.parent.stat().st_mode & 0o777))\n"
        "print('editing', sys.stdin.isatty(), sys.stdout.isatty(), flush=True)\n"
        "if texts[0] == 'FAIL': sys.exit(3)\n"
        "file.write_text(texts[0])\n"
        "(folder / 'texts.json').write_text(json.dumps(texts[1:]))\n"
    )
    monkeypatch.setenv("EDITOR", f"'{sys.executable}' {program} --wait")


def stored(project: Path) -> tuple[DecisionEvent, ToolResultEvent]:
    store = Store.open(project)
    events = [update.event for update in store.get(store.runs()[0].run_id).events]
    store.close()
    (decision,) = [event for event in events if isinstance(event, DecisionEvent)]
    (result,) = [event for event in events if isinstance(event, ToolResultEvent)]
    return decision, result


def test_arguments_are_edited_in_the_editor_and_run_as_they_were_shown(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor(tmp_path, monkeypatch, '{"text": "buy oat milk"}')
    terminal = Terminal(*NOTE, "-o", "json", cwd=project)
    assert "[e] Edit the arguments first" in terminal.expect("Choose y, a, e, n or x: ")
    terminal.answer("e")
    terminal.expect("editing True True")
    card = terminal.expect("Choose y, e or b: ")
    for part in (
        "Run this instead? note",
        '"text": "buy oat milk"',
        '-  "text": "buy milk"',
        '+  "text": "buy oat milk"',
    ):
        assert part in card
    assert notes(project) == []
    terminal.answer("y")
    code, output = terminal.wait()
    assert code == 0
    assert notes(project) == ["buy oat milk"]
    assert json.loads((tmp_path / "given1.json").read_text()) == {"text": "buy milk"}
    assert (tmp_path / "mode").read_text() == "0o700"
    assert json.loads(output)["success"] is True, "standard output is the result's alone, whatever an editor writes"
    decision, result = stored(project)
    assert (decision.decided_by, decision.edited) == ("person", True)
    assert "The user edited the arguments" in result.observation


def test_what_the_tool_does_not_take_is_told_and_asked_for_again(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor(tmp_path, monkeypatch, '{"text": 7}', '{"text": "x",', "[]", '{"text": NaN}', '{"text": "fine"}')
    terminal = Terminal(*NOTE, cwd=project)
    terminal.expect("Choose y, a, e, n or x: ")
    terminal.answer("e")
    for problem in (
        "arguments.text: 7 is not of type 'string'",
        "this is no JSON: ",
        "one JSON object",
        "NaN is no JSON",
    ):
        terminal.expect("The tool does not take this: ")
        assert problem in terminal.expect("Choose e or b: ")
        terminal.answer("")
        terminal.expect("Enter alone chooses nothing")
        terminal.expect("Choose e or b: ")
        terminal.answer("e")
    terminal.expect("Choose y, e or b: ")
    assert notes(project) == []
    assert (tmp_path / "given3.json").read_text() == '{"text": "x",', "the text is not lost"
    terminal.answer("y")
    assert terminal.wait()[0] == 0
    assert notes(project) == ["fine"]


def test_without_an_editor_each_argument_is_asked_for(project: Path) -> None:
    tools = project / ".adal" / "tools.py"
    tools.write_text(
        tools.read_text()
        .replace("def note(text: str)", "def note(text: str, times: int = 1, tag: str = '')")
        .replace('file.write(text + "\\n")', 'file.write(f"{text} {times} {tag}\\n")')
    )
    terminal = Terminal("run", "--trust", "-q", "note(text='a', tag='b')", cwd=project)
    terminal.expect("Choose y, a, e, n or x: ")
    terminal.answer("e")
    terminal.expect('text ["a"]: ')
    terminal.answer("")
    terminal.expect("times [not given]: ")
    terminal.answer("many")
    # At once, and for this one alone: what was answered before stays.
    assert "arguments.times: 'many' is not" in terminal.expect("times [not given]: ")
    terminal.answer("3")
    terminal.expect('tag ["b"]: ')
    terminal.answer("-")
    terminal.expect("Choose y, e or b: ")
    terminal.answer("e")
    terminal.expect('text ["a"]: ')
    terminal.answer("milk")
    terminal.expect("times [3]: ")
    terminal.answer("")
    terminal.expect("tag [not given]: ")
    terminal.answer("")
    terminal.expect("Choose y, e or b: ")
    terminal.answer("y")
    assert terminal.wait()[0] == 0
    assert notes(project) == ["milk 3 "]


def test_edited_arguments_can_be_dropped_and_the_end_of_input_allows_nothing(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor(tmp_path, monkeypatch, '{"text": "evil"}', '{"text": "buy milk"}', '{"text": "evil"}')
    terminal = Terminal(*NOTE, cwd=project)
    for _ in range(2):
        terminal.expect("Choose y, a, e, n or x: ")
        terminal.answer("e")
        if _ == 0:
            terminal.expect("Choose y, e or b: ")
            terminal.answer("b")
    terminal.expect("Nothing is changed.")
    terminal.expect("Choose y, a, e, n or x: ")
    terminal.answer("e")
    terminal.expect("Choose y, e or b: ")
    terminal.end_of_input()
    terminal.expect("Choose y, a, e, n or x: ")
    terminal.end_of_input()
    terminal.wait()
    assert notes(project) == []


@pytest.mark.parametrize(
    ("editor_given", "said"), [("nowhere-to-be-found", "cannot be started"), ("'", "cannot be started")]
)
def test_an_editor_that_is_not_there_is_told_and_the_arguments_are_asked_for(
    project: Path, monkeypatch: pytest.MonkeyPatch, editor_given: str, said: str
) -> None:
    monkeypatch.setenv("EDITOR", editor_given)
    terminal = Terminal(*NOTE, cwd=project)
    terminal.expect("Choose y, a, e, n or x: ")
    terminal.answer("e")
    terminal.expect(said)
    terminal.expect('text ["buy milk"]: ')
    terminal.answer("bread")
    terminal.expect("Choose y, e or b: ")
    terminal.answer("y")
    assert terminal.wait()[0] == 0
    assert notes(project) == ["bread"]


def test_ctrl_c_while_the_editor_is_open_ends_both(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "editor.py"
    program.write_text("import time\nprint('open', flush=True)\ntime.sleep(600)\n")
    monkeypatch.setenv("EDITOR", f"{sys.executable} {program}")
    terminal = Terminal(*NOTE, cwd=project)
    terminal.expect("Choose y, a, e, n or x: ")
    terminal.answer("e")
    terminal.expect("open")
    terminal.interrupt()
    terminal.expect("Denied, because the run is cancelled")
    assert terminal.wait()[0] == 130
    assert notes(project) == []


def test_hidden_characters_can_be_seen_in_the_editor_and_come_back_as_they_were() -> None:
    arguments = {"text": "a\u202eb\x1b[2J \U000e0041 é \ud800", "n": [1, None, True]}
    draft = Draft.of(arguments)
    assert "\u202e" not in draft.text
    assert "\\u202e" in draft.text
    assert "é" in draft.text
    assert Draft.read(draft.text).arguments == arguments
    draft.text.encode()
