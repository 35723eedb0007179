"""Sessions at a real (pseudo) terminal, and without one."""

from __future__ import annotations

import os
import re
import stat
import time
from pathlib import Path

import pytest

from adal_ls.agent.store.store import Store
from adal_ls.protocol.runs import ModeEvent, PromptEvent, Run, ToolResultEvent
from tests.cli.conftest import Run as Command
from tests.cli.test_run import notes, script

if os.name == "nt":
    pytest.skip("pseudo terminals are POSIX's", allow_module_level=True)

from tests.cli.pseudo_terminal import Terminal

WAIT = """\
def wait(number: int) -> int:
    'Wait.'
    import os, time
    open('begun', 'w').close()
    while not os.path.exists('go'): time.sleep(0.01)
    return number


CUSTOM_TOOLS = [{'function': wait, 'require_approval': False},"""


class Chat(Terminal):
    """A session, whose screen is read without the codes that draw it."""

    def __init__(self, *arguments: str, cwd: Path) -> None:
        super().__init__("chat", "--trust", *arguments, cwd=cwd, whole=True)

    def expect_shown(self, text: str) -> None:
        """As `expect`, in what is left without control codes and blanks, some of which are only skipped over."""
        wanted = "".join(text.split())
        deadline = time.monotonic() + 30
        while (found := self.shown.find(wanted, self.past)) < 0:
            assert time.monotonic() < deadline, f"{text!r} never came; shown: {self.shown[self.past :]!r}"
            self._receive(1)
        self.past = found + len(wanted)

    past = 0

    @property
    def shown(self) -> str:
        return "".join(re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x08", "", self.seen).split())

    def send(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def enter(self, text: str) -> None:
        self.send(text + "\r")


@pytest.fixture(autouse=True)
def plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROMPT_TOOLKIT_NO_CPR", "1")  # nobody answers where the cursor is
    for name in ("VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)


def runs(project: Path) -> list[Run]:
    store = Store.open(project)
    found = store.runs()
    store.close()
    return found


def prompts(project: Path, run_id: str) -> list[str]:
    store = Store.open(project)
    events = [update.event for update in store.get(run_id).events]
    store.close()
    return [event.text for event in events if isinstance(event, PromptEvent)]


def test_prompts_of_a_session_are_one_conversation_and_ctrl_d_ends_it(project: Path) -> None:
    chat = Chat(cwd=project)
    chat.expect_shown("/help lists commands")
    chat.enter("double(number=21)")
    chat.expect_shown("→ double(number=21)")
    chat.expect_shown("✓ double")
    chat.expect_shown("42")
    chat.expect_shown(" s)")
    chat.enter("double(number=4)")
    chat.expect_shown("✓ double")
    chat.expect_shown(" s)")
    chat.send("\x04")
    chat.expect_shown("To go on: adal-ls chat -r ")
    assert chat.wait()[0] == 0
    (run,) = runs(project)
    assert prompts(project, run.run_id) == ["double(number=21)", "double(number=4)"]


def test_a_call_is_asked_about_in_the_same_terminal_and_what_was_being_typed_is_no_answer(project: Path) -> None:
    chat = Chat(cwd=project)
    chat.expect_shown("/help lists commands")
    chat.enter("note(text='milk')")
    chat.expect_shown("Run this? note")
    chat.expect_shown("[e] Edit the arguments first")
    chat.expect_shown("Choose y, a, e, n or x:")
    chat.enter("")
    chat.expect_shown("Enter alone chooses nothing")
    assert notes(project) == []
    chat.expect_shown("Choose y, a, e, n or x:")
    chat.enter("e")
    chat.expect_shown('text ["milk"]:')
    chat.enter("oat milk")
    chat.expect_shown("Run this instead? note")
    chat.expect_shown("Choose y, e or b:")
    chat.enter("y")
    chat.expect_shown("✓ note")
    chat.expect_shown(" s)")
    assert notes(project) == ["oat milk"]
    chat.enter("note(text='bread')")
    chat.expect_shown("Choose y, a, e, n or x:")
    chat.enter("n")
    chat.expect_shown("Reason for the agent")
    chat.enter("no carbs")
    chat.expect_shown("– note Denied")  # without a time: it never ran
    chat.expect_shown("no carbs")
    chat.expect_shown(" s)")
    chat.enter("/exit")
    assert chat.wait()[0] == 0
    assert notes(project) == ["oat milk"]
    history = (project.parent / "data" / "chat_history").read_text()
    assert "note(text='milk')" in history
    assert "no carbs" not in history, "answers are no prompts"
    assert stat.S_IMODE((project.parent / "data" / "chat_history").stat().st_mode) == 0o600


@pytest.fixture
def waiting(project: Path) -> Path:
    """A project with a tool that ends when the file `go` is there."""
    tools = project / ".adal" / "tools.py"
    tools.write_text(tools.read_text().replace("CUSTOM_TOOLS = [", WAIT))
    return project


def until_begun(chat: Chat, project: Path) -> None:
    deadline = time.monotonic() + 30
    while not (project / "begun").exists():
        assert time.monotonic() < deadline, chat.shown
        chat._receive(0.05)


def test_what_was_being_typed_when_a_question_comes_is_set_aside_and_comes_back(waiting: Path) -> None:
    chat = Chat("wait(number=1)", cwd=waiting)
    until_begun(chat, waiting)
    model = script(waiting, "- calls: [{name: note, arguments: {text: a}}]\n- text: done\n")
    (waiting / "go").touch()
    chat.expect_shown(" s)")
    (waiting / "go").unlink()
    (waiting / "begun").unlink()
    script(
        waiting,
        "- text: x\n- text: y\n- calls: [{name: wait, arguments: {number: 2}}]\n"
        "- calls: [{name: note, arguments: {text: a}}]\n- text: done\n",
    )
    chat.enter(f"/model {model}")
    chat.expect_shown("Model from the next prompt on")
    chat.enter("go")
    until_begun(chat, waiting)
    chat.send("1")
    chat.expect_shown("> 1")
    (waiting / "go").touch()
    chat.expect_shown("Choose y, a, e, n or x:")
    chat.enter("")
    chat.expect_shown("Enter alone chooses nothing")
    assert notes(waiting) == []
    chat.expect_shown("Choose y, a, e, n or x:")
    chat.enter("n")
    chat.expect_shown("Reason")
    chat.enter("")
    chat.expect_shown("done")
    chat.expect_shown("> 1")
    chat.send("\x15/exit\r")
    assert chat.wait()[0] == 0
    assert notes(waiting) == []


def test_ctrl_c_cancels_what_goes_on_and_the_session_stays(waiting: Path) -> None:
    chat = Chat(cwd=waiting)
    chat.expect_shown("/help lists commands")
    chat.enter("wait(number=1)")
    until_begun(chat, waiting)
    chat.send("\x03")
    chat.expect_shown("– wait")
    chat.expect_shown("Cancelled. The conversation goes on")
    chat.expect_shown(" s)")
    chat.send("\x03")
    chat.expect_shown("Ctrl-D ends the session.")
    chat.enter("double(number=21)")
    chat.expect_shown("42")
    chat.expect_shown(" s)")
    chat.send("\x04")
    assert chat.wait()[0] == 0
    (run,) = runs(waiting)
    assert prompts(waiting, run.run_id) == ["wait(number=1)", "double(number=21)"]


def test_ctrl_c_at_a_question_denies_and_cancels(project: Path) -> None:
    chat = Chat("note(text='x')", cwd=project)
    chat.expect_shown("Choose y, a, e, n or x:")
    chat.send("\x03")
    chat.expect_shown("Denied, because the run is cancelled: this call was not run.")
    chat.expect_shown("Cancelled.")
    chat.expect_shown(" s)")
    chat.enter("/exit")
    assert chat.wait()[0] == 0
    assert notes(project) == []


def test_ctrl_d_at_a_question_is_no_approval(project: Path) -> None:
    chat = Chat("note(text='x')", cwd=project)
    chat.expect_shown("Choose y, a, e, n or x:")
    chat.send("\x04")
    chat.expect_shown("– note")
    chat.expect_shown(" s)")
    chat.send("\x04")
    assert chat.wait()[0] == 0
    assert notes(project) == []


def test_what_is_sent_while_the_agent_works_steers_it(waiting: Path) -> None:
    model = script(waiting, "- calls: [{name: wait, arguments: {number: 1}}]\n- text: first\n- text: second\n")
    chat = Chat("-m", model, "go", cwd=waiting)
    until_begun(chat, waiting)
    chat.enter("and be quick")
    chat.expect_shown("(the agent hears this at its next step)")
    (waiting / "go").touch()
    chat.expect_shown(" s)")
    chat.enter("/exit")
    assert chat.wait()[0] == 0
    (run,) = runs(waiting)
    assert prompts(waiting, run.run_id) == ["go", "and be quick"]


def test_several_lines_are_one_prompt_typed_or_pasted(project: Path) -> None:
    chat = Chat(cwd=project)
    chat.expect_shown("/help lists commands")
    chat.send("double(number=1)\x1b\rdouble(number=2)\r")
    chat.expect_shown(" s)")
    chat.send("\x1b[200~double(number=3)\ndouble(number=4)\n\x1b[201~\r")
    chat.expect_shown(" s)")
    chat.enter("/exit")
    assert chat.wait()[0] == 0
    (run,) = runs(project)
    assert prompts(project, run.run_id) == [
        "double(number=1)\ndouble(number=2)",
        "double(number=3)\ndouble(number=4)",
    ]


def test_the_commands_of_a_session(project: Path) -> None:
    chat = Chat("double(number=1)", cwd=project)
    chat.expect_shown(" s)")
    first = runs(project)[0].run_id
    for line, *shown in (
        ["/help", "/export [FILE]", "Alt-Enter begins a new line"],
        ["/tools", "read_file", "runs without asking", "note", "asks"],
        ["/mode yolo", "Permission mode: yolo"],
        ["/model", "Model: offline"],
        ["/nope", "There is no command /nope"],
        ["/show", "result   double success: 2"],
        ["/export out.md", "This conversation is in out.md"],
        ["/new", "begins a new conversation"],
        ["/export", "has not begun"],
        ["note(text='by yolo')", "✓ note", " s)"],
        ["/runs double", first[:8], "double(number=1)"],
        [f"/resume {first[:6]}", f"Run {first[:8]}", "it ends so:", "finished end_turn"],
        ["/resume zz", "no run begins with 'zz'"],
        ["double(number=50)", "100", " s)"],
    ):
        chat.enter(line)
        for text in shown:
            chat.expect_shown(text)
    chat.enter("/exit")
    assert chat.wait()[0] == 0
    assert notes(project) == ["by yolo"]
    assert "## Prompt" in (project / "out.md").read_text()
    assert prompts(project, first) == ["double(number=1)", "double(number=50)"]
    store = Store.open(project)
    second = store.get(runs(project)[0].run_id)
    store.close()
    assert [update.event.mode for update in second.events if isinstance(update.event, ModeEvent)] == ["yolo"]


def test_commands_and_their_arguments_are_completed(project: Path) -> None:
    chat = Chat(cwd=project)
    chat.expect_shown("/help lists commands")
    chat.send("/mo")
    chat.expect_shown("what runs without asking, from now on")
    chat.send("de acc")
    chat.expect_shown("acceptEdits")
    chat.send("\t")
    chat.expect_shown("acceptEdits")
    chat.send("\r")
    chat.expect_shown("Permission mode: acceptEdits")
    chat.send("\x04")
    assert chat.wait()[0] == 0


def test_a_session_goes_on_with_an_earlier_run(project: Path) -> None:
    chat = Chat("double(number=1)", cwd=project)
    chat.expect_shown(" s)")
    chat.send("\x04")
    assert chat.wait()[0] == 0
    chat = Chat("-r", cwd=project)
    chat.expect_shown("it ends so:")
    chat.expect_shown("prompt   double(number=1)")
    chat.enter("double(number=2)")
    chat.expect_shown(" s)")
    chat.send("\x04")
    assert chat.wait()[0] == 0
    (run,) = runs(project)
    assert prompts(project, run.run_id) == ["double(number=1)", "double(number=2)"]


def test_what_no_run_can_have_is_told_and_the_session_stays(project: Path) -> None:
    chat = Chat("--disabled-default-tools", "Bahs", "double(number=1)", cwd=project)
    chat.expect_shown("Error: 'Bahs' is neither a built-in tool nor a group")
    chat.expect_shown(">")  # the prompt, which takes the key
    chat.send("\x04")
    assert chat.wait()[0] == 0
    # Typed ahead while the failed run is ending, or after it: it is answered, and by the model that was chosen.
    chat = Chat("-m", "script:nowhere.yaml", "go", cwd=project)
    chat.expect_shown("nowhere.yaml")
    chat.enter("/model offline")
    chat.expect_shown("Model from the next prompt on: offline")
    chat.enter("double(number=21)")
    chat.expect_shown("42")
    chat.send("\x04")
    assert chat.wait()[0] == 0


def test_the_end_of_a_session_stops_what_goes_on(waiting: Path) -> None:
    chat = Chat("wait(number=1)", cwd=waiting)
    until_begun(chat, waiting)
    chat.send("\x04")
    chat.expect_shown("To go on")
    assert chat.wait()[0] == 0
    store = Store.open(waiting)
    (run,) = store.runs()
    results = [update.event for update in store.get(run.run_id).events if isinstance(update.event, ToolResultEvent)]
    store.close()
    assert (run.state, run.stop_reason) == ("finished", "cancelled")
    assert [result.status for result in results] == ["cancelled"]


def test_nothing_a_model_says_can_steer_the_terminal(project: Path) -> None:
    model = script(project, '- text: "a\\e[2Jb \\u202e c"\n')
    chat = Chat("-m", model, "go", cwd=project)
    chat.expect_shown("a\\u{1b}[2Jb \\u{202e} c")
    chat.send("\x04")
    chat.wait()
    assert "\x1b[2J" not in chat.seen
    assert "\u202e" not in chat.seen


def test_without_a_terminal_lines_are_prompts_and_nothing_is_allowed(adal_ls: Command, project: Path) -> None:
    done = adal_ls("chat", "--trust", text="double(number=21)\nnote(text='x')\n/runs\n")
    assert done.returncode == 0
    assert "42" in done.stdout
    assert "– note" in done.stderr
    assert "double(number=21)" in done.stderr
    assert notes(project) == []
    (run,) = runs(project)
    assert prompts(project, run.run_id) == ["double(number=21)", "note(text='x')"]
    refused = adal_ls("chat", text="double(number=21)\n")
    assert refused.returncode == 1
    assert "not trusted" in refused.stderr


def test_a_terminal_that_knows_no_codes_gets_plain_lines(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal("chat", "--trust", cwd=project, whole=True, term="dumb")
    terminal.expect("> ")
    terminal.answer("note(text='x')")
    terminal.expect("Choose y, a, e, n or x: ")
    terminal.answer("y")
    terminal.expect("✓ note")
    terminal.expect("> ")
    terminal.answer("/exit")
    assert terminal.wait()[0] == 0
    assert "\x1b[?" not in terminal.seen
    assert notes(project) == ["x"]
