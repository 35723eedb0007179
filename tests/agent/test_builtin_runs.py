"""Built-in tools in runs: what asks, what a person is shown, what is kept, what a run without a sandbox says."""

from __future__ import annotations

from pathlib import Path

import pytest

from adal_ls.agent import executor
from adal_ls.agent.workspaces.workspace_executor import UNCONFINED_VARIABLE
from adal_ls.protocol.approvals import ApprovalAnswer, ApprovalRequest
from adal_ls.protocol.runs import PermissionMode, RunPromptParams, RunStartParams, TodosEvent
from tests.agent.approvers import Person, answer
from tests.agent.bench import Bench


def call(call_id: str, tool: str, **arguments: object) -> dict[str, object]:
    return {"id": call_id, "name": tool, "arguments": arguments}


def turn(*calls: dict[str, object]) -> dict[str, object]:
    return {"calls": list(calls)}


DONE = {"text": "done"}


async def test_an_edit_is_shown_as_a_diff_and_asked_about_in_mode_default(bench: Bench) -> None:
    (bench.root / "a.py").write_text("one\ntwo\nthree\n")
    approver = Person("allow_once")
    edit = call("e", "edit_file", path="a.py", old_text="two", new_text="2\u202e")
    await bench.run(turn(edit, call("w", "write_file", path="b.txt", content="new\n")), DONE, approver=approver)
    shown = {request.tool: request.preview for request in approver.asked}
    diff, new = shown["edit_file"], shown["write_file"]
    assert diff is not None
    assert diff.diff == "--- a.py\n+++ a.py\n@@ -1,3 +1,3 @@\n one\n-two\n+2\\u{202e}\n three"
    assert new is not None
    assert new.diff == "--- /dev/null\n+++ b.txt\n@@ -0,0 +1 @@\n+new"
    assert (bench.root / "a.py").read_text() == "one\n2\u202e\nthree\n"


async def test_accept_edits_writes_inside_the_workspace_without_asking_and_nothing_else(bench: Bench) -> None:
    approver = Person("reject_once")
    (bench.root / "a.py").write_text("one\n")
    calls = [
        call("edit", "edit_file", path="a.py", old_text="one", new_text="two"),
        call("write", "write_file", path="b.py", content="x"),
        call("protected", "write_file", path=".adal/tools.py", content="x"),
        call("outside", "write_file", path="../c.py", content="x"),
        call("command", "bash", command="touch ran"),
        call("page", "fetch_url", url="https://example.com/"),
    ]
    await bench.run(turn(*calls), DONE, approver=approver, permission_mode="acceptEdits")
    decided = {call_id: event.decided_by for call_id, event in bench.decisions().items()}
    assert (decided["edit"], decided["write"]) == ("mode", "mode")
    assert {request.call_id for request in approver.asked} == {"protected", "outside", "command", "page"}
    assert (bench.root / "a.py").read_text() == "two\n"
    assert sorted(path.name for path in bench.root.iterdir()) == ["a.py", "b.py", "script.yaml"]


async def test_edits_of_one_file_in_one_turn_follow_each_other(bench: Bench) -> None:
    (bench.root / "a.py").write_text("one\ntwo\nthree\n")
    calls = [
        call(word, "edit_file", path="a.py", old_text=word, new_text=word.upper()) for word in ("one", "two", "three")
    ]
    await bench.run(turn(*calls), DONE, permission_mode="acceptEdits")
    assert (bench.root / "a.py").read_text() == "ONE\nTWO\nTHREE\n"


async def test_outside_is_refused_in_yolo_too(bench: Bench) -> None:
    await bench.run(turn(call("w", "write_file", path="../c.py", content="x")), DONE, permission_mode="yolo")
    assert "outside the workspace" in bench.observation("w")
    assert not (bench.root.parent / "c.py").exists()


async def test_a_file_that_changes_while_the_person_decides_is_not_edited(bench: Bench) -> None:
    place = bench.root / "a.py"
    place.write_text("one\n")

    def decide(request: ApprovalRequest) -> ApprovalAnswer:
        place.write_text("one more\n")
        return answer(request, "allow_once")

    approver = Person(decide)
    await bench.run(turn(call("e", "edit_file", path="a.py", old_text="one", new_text="1")), DONE, approver=approver)
    assert "changed since approval" in bench.observation("e")
    assert place.read_text() == "one more\n"


@pytest.mark.parametrize("mode", ["default", "acceptEdits"])
async def test_a_file_that_changes_after_the_last_look_of_the_gate_is_not_edited(
    bench: Bench, mode: PermissionMode, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = bench.root / "a.py"
    place.write_text("one\n")
    execute = executor.run

    async def late(execution: executor.Execution) -> executor.Outcome:
        place.write_text("one more\n")
        return await execute(execution)

    monkeypatch.setattr(executor, "run", late)
    edit = turn(call("e", "edit_file", path="a.py", old_text="one", new_text="1"))
    await bench.run(edit, DONE, approver=Person("allow_once"), permission_mode=mode)
    assert "changed since approval" in bench.observation("e")
    assert place.read_text() == "one more\n"


async def test_what_a_large_result_leaves_out_is_in_the_store(bench: Bench) -> None:
    content = "".join(f"line {number}\n" for number in range(20_000))
    (bench.root / "big.txt").write_text(content)
    await bench.run(turn(call("r", "read_file", path="big.txt")), DONE)
    seen = bench.observation("r")
    assert len(seen) < 51_000
    assert "characters left out here" in seen
    run_id = bench.updates[0].run_id
    assert bench.store.full_text(run_id, "r") == content


async def test_the_todo_list_of_a_run_is_told_and_needs_no_approval(bench: Bench) -> None:
    todos = [{"content": "first", "status": "in_progress"}]
    await bench.run(turn(call("t", "write_todos", todos=todos)), turn(call("r", "read_todos")), DONE)
    (told,) = bench.events(TodosEvent)
    assert [(todo.content, todo.status) for todo in told.todos] == [("first", "in_progress")]
    assert bench.observation("r") == "[~] first\n[0 of 1 completed]"


@pytest.mark.parametrize("by", ["setting", "variable"])
async def test_without_a_sandbox_the_run_and_each_approval_say_so(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    if by == "variable":
        monkeypatch.setenv(UNCONFINED_VARIABLE, "1")
    approver = Person("allow_once")
    bench.open(approver, allow_unsandboxed_bash=by == "setting")
    await bench.run(turn(call("b", "bash", command=f"echo out > {tmp_path}/beside; cat {tmp_path}/beside")), DONE)
    assert "WITHOUT a sandbox" in bench.notices()
    (request,) = approver.asked
    assert "runs WITHOUT a sandbox: with all your rights, files and network" in request.risk
    assert bench.observation("b") == "out\n[exit code 0]"


async def test_with_a_sandbox_nothing_speaks_of_running_without(bench: Bench, tmp_path: Path) -> None:
    approver = Person("allow_once")
    await bench.run(turn(call("b", "bash", command=f"echo out > {tmp_path}/beside")), DONE, approver=approver)
    assert "sandbox" not in bench.notices()
    assert approver.asked[0].risk == ["runs a shell command"]
    assert not (tmp_path / "beside").exists()


async def test_a_search_on_the_web_is_there_only_with_a_key(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TAVILY_API_KEY", raising=False)
    query = turn(call("s", "web_search", query="x"))
    await bench.run(query, DONE, enabled_default_tools=["web_search", "read_file"])
    assert "There is no tool 'web_search'" in bench.observation("s")
    assert "web_search is not there: set TAVILY_API_KEY" in bench.notices()


async def test_the_host_of_a_page_is_looked_at_for_the_person(bench: Bench) -> None:
    approver = Person("reject_once")
    await bench.run(turn(call("f", "fetch_url", url="https://xn--80ak6aa92e.com/")), DONE, approver=approver)
    assert any("punycode" in fact for fact in approver.asked[0].risk)


async def test_the_todo_list_is_there_still_at_a_further_prompt(bench: Bench) -> None:
    todos = [{"content": "first", "status": "pending"}]
    runtime = bench.open()
    model = bench.script(turn(call("t", "write_todos", todos=todos)), DONE, turn(call("r", "read_todos")), DONE)
    run_id = runtime.start(RunStartParams(prompt="go", model=model))
    await runtime.wait(run_id)
    runtime.prompt(RunPromptParams(run_id=run_id, prompt="and now?"))
    await runtime.wait(run_id)
    assert bench.observation("r") == "[ ] first\n[0 of 1 completed]"
