"""Remembered answers end to end: real worker, real store, real person's folder."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from adal_ls.agent.runs.runtime import Runtime, UnknownRunError
from adal_ls.agent.store.store import Store
from adal_ls.protocol.approvals import ApprovalRequest
from adal_ls.protocol.runs import DecisionEvent, ModeEvent, PermissionMode, RunStartParams
from tests.agent.approvers import Desk, Person, answer
from tests.agent.bench import BUMP, Bench, call

TWO = BUMP.replace(
    "CUSTOM_TOOLS = [bump]",
    'def other(tag: str) -> str:\n    """Another."""\n    return tag\n\n\nCUSTOM_TOOLS = [bump, other]',
)


def ran(bench: Bench) -> list[str]:
    file = bench.root / "runs.txt"
    return file.read_text().split() if file.exists() else []


def bump(tag: str, call_id: str = "c1") -> dict[str, Any]:
    return {"calls": [call("bump", call_id, {"tag": tag})]}


async def again(bench: Bench, person: Person, *turns: dict[str, Any]) -> None:
    """One more run of a process of its own, as after a restart."""
    if bench.runtime is not None:
        await bench.runtime.close()
    bench.open(person)
    await bench.run(*turns, {"text": "done"})


@pytest.mark.parametrize(
    ("option", "same", "others", "next_process"),
    [
        ("allow_once", 1, 1, 1),
        ("always_arguments_session", 0, 1, 1),
        ("always_arguments_workspace", 0, 1, 0),
        ("always_tool_session", 0, 0, 1),
        ("always_tool_workspace", 0, 0, 0),
    ],
)
async def test_an_answer_holds_for_what_it_says_and_as_long_as_it_says(
    bench: Bench, option: str, same: int, others: int, next_process: int
) -> None:
    bench.tools(BUMP)
    person = Person(option)
    bench.open(person)
    await bench.run(bump("a"), {"text": "done"})
    assert len(person.asked) == 1
    await bench.run(bump("a"), {"text": "done"})
    assert len(person.asked) == 1 + same
    await bench.run(bump("b"), {"text": "done"})
    assert len(person.asked) == 1 + same + others
    person = Person("reject_once")
    await again(bench, person, bump("a"))
    assert len(person.asked) == next_process
    assert ran(bench) == ["a", "a", "b"] + ["a"] * (1 - next_process)


async def test_the_first_lasting_option_covers_the_same_arguments_in_this_workspace(bench: Bench) -> None:
    bench.tools(BUMP)
    person = Person("reject_once")
    bench.open(person)
    await bench.run(bump("a"), {"text": "done"})
    (request,) = person.asked
    first = next(option for option in request.options if option.kind == "allow_always")
    assert (first.covers, first.life) == ("arguments", "workspace")
    assert [option.kind for option in request.options].count("allow_once") == 1
    assert [option.kind for option in request.options].count("reject_once") == 1
    for option in request.options:
        if option.kind in ("allow_always", "reject_always"):
            assert option.rule
            assert f"this {option.life}" in option.label
    assert len({option.label for option in request.options}) == len(request.options)


async def test_an_edit_of_another_tool_asks_nothing_again_and_one_of_the_tool_does(bench: Bench) -> None:
    bench.tools(TWO)
    await again(bench, Person("always_tool_workspace"), bump("a"))
    person = Person("allow_once")
    bench.tools(TWO.replace("    return tag\n", "    return tag * 2\n"))
    await again(bench, person, bump("b"))
    assert person.asked == []
    bench.tools(TWO.replace('return "ok " + tag', 'return "okay " + tag'))
    await again(bench, person, bump("c"))
    assert len(person.asked) == 1


@pytest.mark.parametrize("option", ["always_tool_session", "always_arguments_session"])
async def test_a_module_that_only_a_call_imports_makes_it_ask_again_in_the_very_run(bench: Bench, option: str) -> None:
    """Such a module is not in the process yet: the call would run what it holds by then (CVE-2025-54136)."""
    bench.tools(BUMP.replace("    p = Path", "    import later\n    p = Path"))
    later = bench.root / ".adal" / "later.py"
    later.write_text("x = 1\n")

    def decide(request: ApprovalRequest) -> object:
        if request.call_id == "c3":
            later.write_text("x = 3\n")  # in the moment between the answer and the call
            return answer(request, "allow_once")
        return answer(request, option)

    person = Person(decide)
    bench.open(person)
    made = {name: {"calls": [call("bump", name, {"tag": "a"})]} for name in ("c1", "c2", "c3")}
    await bench.run(made["c1"], made["c2"], {"text": "done"})
    later.write_text("x = 2\n")
    await bench.run(made["c3"], {"text": "done"})
    assert [request.call_id for request in person.asked] == ["c1", "c3"]
    assert "changed since approval" in bench.observation("c3")
    assert ran(bench) == ["a", "a"]


async def test_a_grant_settles_waiting_questions_that_its_rule_covers_and_no_others(bench: Bench) -> None:
    bench.tools(TWO)
    desk = Desk()
    runtime = bench.open(desk)
    calls = [call("bump", "c1", {"tag": "a"}), call("bump", "c2", {"tag": "b"}), call("other", "c3", {"tag": "c"})]
    run_id = runtime.start(RunStartParams(prompt="go", model=bench.script({"calls": calls}, {"text": "done"})))
    asked = {request.call_id: request for request in await desk.until(3)}
    desk.reply(asked["c1"], "always_tool_session")
    await bench.until(lambda update: getattr(update.event, "call_id", "") == "c2" and update.event.type == "toolResult")
    assert [request.call_id for request in runtime.pending()] == ["c3"]
    assert ("withdrawn", asked["c2"].approval_id) in [(told.reason, told.approval_id) for told in desk.told]
    desk.reply(asked["c3"], "reject_once")
    await asyncio.wait_for(runtime.wait(run_id), 20)
    decided = {call_id: (event.decision, event.decided_by) for call_id, event in bench.decisions().items()}
    assert decided == {"c1": ("allow", "person"), "c2": ("allow", "grant"), "c3": ("deny", "person")}
    assert "every call" in str(bench.decisions()["c2"].rule)


async def test_always_deny_is_not_asked_again_in_the_session_in_any_mode(bench: Bench) -> None:
    bench.tools(BUMP)
    person = Person("reject_always")
    runtime = bench.open(person)
    await bench.run(bump("a"), {"text": "done"})
    await bench.run(bump("a"), {"text": "done"}, permission_mode="yolo")
    assert len(person.asked) == 1
    assert ran(bench) == []
    assert "denied by the user for this session" in bench.results()[-1].observation
    await bench.run(bump("b"), {"text": "done"}, permission_mode="yolo")
    assert ran(bench) == ["b"]
    assert runtime.grants() == []


async def test_grants_are_listed_and_revoked_and_a_revoked_one_asks_again(bench: Bench) -> None:
    bench.tools(BUMP)
    person = Person("always_arguments_workspace")
    runtime = bench.open(person)
    await bench.run(bump("a"), {"text": "done"})
    (grant,) = runtime.grants()
    told = grant.told()
    assert (told.tool, told.covers, told.scope, told.arguments) == ("bump", "arguments", "workspace", '{"tag":"a"}')
    assert told.project_root == str(bench.root.resolve())
    assert runtime.revoke(grant.grant_id)
    await bench.run(bump("a"), {"text": "done"})
    assert len(person.asked) == 2


async def test_grants_that_somebody_was_at_are_said_in_the_run_once(bench: Bench) -> None:
    bench.tools(BUMP)
    await again(bench, Person("always_tool_workspace"), bump("a"))
    (file,) = (bench.root.parent / "data" / "workspaces").glob("*/grants/*.json")
    file.write_text(file.read_text().replace("bump", "pump"))
    person = Person("allow_once")
    await again(bench, person, bump("a"), bump("b", "c2"))
    assert len(person.asked) == 2
    assert bench.notices().count("do not count") == 1


async def test_an_answer_that_cannot_be_stored_allows_this_once_and_says_so(bench: Bench) -> None:
    bench.tools(BUMP)
    person = Person("always_tool_workspace")
    bench.open(person)
    (bench.root.parent / "data" / "grants.key").mkdir()
    await bench.run(bump("a"), {"text": "done"})
    assert ran(bench) == ["a"]
    assert "allowed this once" in bench.notices()
    await bench.run(bump("a"), {"text": "done"})
    assert len(person.asked) == 2


class Correcting(Person):
    corrects = True


async def test_edited_arguments_that_the_tool_does_not_take_are_asked_again_under_the_same_id(bench: Bench) -> None:
    bench.tools(BUMP)
    edits: list[dict[str, Any]] = [{"tag": 3}, {}, {"tag": "mine"}]

    def edit(request: ApprovalRequest) -> object:
        return answer(request, "allow_once", updated_input=edits[len(person.asked) - 1])

    person = Correcting(edit)
    bench.open(person)
    await bench.run(bump("a"), {"text": "done"})
    assert [request.problem for request in person.asked] == [
        None,
        "arguments.tag: 3 is not of type 'string'",
        "arguments: 'tag' is a required property",
    ]
    assert len({request.approval_id for request in person.asked}) == 1
    assert ran(bench) == ["mine"]
    decision = bench.decisions()["c1"]
    assert (decision.decision, decision.edited, decision.reason) == ("allow", True, "edited by the user")
    assert decision.args_digest != person.asked[0].args_digest
    assert 'The user edited the arguments before the call ran: {"tag":"mine"}' in bench.observation("c1")
    assert [told.reason for told in person.told] == ["answered"]
    (logged,) = bench.store.decisions()
    assert (logged.arguments, logged.edited) == ({"tag": "mine"}, True)


def nested(levels: int) -> Any:
    return [nested(levels - 1)] if levels else []


@pytest.mark.parametrize(
    ("value", "why"), [("half \ud800", "surrogate"), (nested(150), "nested"), (float("inf"), "not JSON")]
)
async def test_edited_arguments_that_no_model_could_send_are_refused_and_the_run_goes_on(
    bench: Bench, value: Any, why: str
) -> None:
    bench.tools(BUMP.replace("tag: str", "tag: object"))
    bench.open(Person(lambda request: answer(request, "allow_once", updated_input={"tag": value})))
    finished = await bench.run(bump("a"), {"text": "done"})
    assert ran(bench) == []
    assert why in bench.observation("c1")
    assert finished.stop_reason == "end_turn"


async def test_edited_arguments_that_the_tool_does_not_take_deny_where_nobody_can_answer_again(bench: Bench) -> None:
    bench.tools(BUMP)
    person = Person(lambda request: answer(request, "allow_once", updated_input={"tag": 3}))
    bench.open(person)
    await bench.run(bump("a"), {"text": "done"})
    assert len(person.asked) == 1
    assert ran(bench) == []
    assert "arguments.tag: 3 is not of type 'string'" in bench.observation("c1")


async def test_a_client_that_never_gets_it_right_is_not_asked_for_ever(bench: Bench) -> None:
    bench.tools(BUMP)
    person = Correcting(lambda request: answer(request, "allow_once", updated_input={"tag": 3}))
    bench.open(person)
    await bench.run(bump("a"), {"text": "done"})
    assert len(person.asked) == 20
    assert ran(bench) == []


@pytest.mark.parametrize("mode", ["yolo", "acceptEdits"])
async def test_the_mode_is_switched_during_a_run_and_what_waits_goes_on_waiting(
    bench: Bench, mode: PermissionMode
) -> None:
    bench.tools(BUMP)
    desk = Desk()
    runtime = bench.open(desk)
    run_id = runtime.start(
        RunStartParams(prompt="go", model=bench.script(bump("a"), bump("b", "c2"), {"text": "done"}))
    )
    (first,) = await desk.until(1)
    runtime.set_mode(run_id, mode)
    await asyncio.sleep(0.05)
    assert ran(bench) == []
    assert [request.approval_id for request in runtime.pending()] == [first.approval_id]
    desk.reply(first, "allow_once")
    if mode == "acceptEdits":  # a custom tool still asks
        await desk.until(2)
        runtime.set_mode(run_id, "yolo")
        desk.reply(list(desk.waiting.values())[1][0], "reject_once")
    await asyncio.wait_for(runtime.wait(run_id), 20)
    assert ran(bench) == (["a", "b"] if mode == "yolo" else ["a"])
    assert bench.events(ModeEvent)[0].mode == mode
    assert f"Permission mode {mode}" in bench.notices()
    assert bench.events(DecisionEvent)[0].mode == mode
    with pytest.raises(UnknownRunError, match="has ended"):
        runtime.set_mode(run_id, "default")


async def test_the_mode_of_a_run_that_does_not_begin_in_default_is_recorded(bench: Bench) -> None:
    bench.tools(BUMP)
    bench.open(None)
    await bench.run(bump("a"), {"text": "done"}, permission_mode="yolo")
    assert [event.mode for event in bench.events(ModeEvent)] == ["yolo"]
    assert bench.decisions()["c1"].mode == "yolo"


async def test_a_second_window_reads_the_run_and_can_neither_answer_nor_steer_it(bench: Bench) -> None:
    bench.tools(BUMP)
    desk = Desk()
    runtime = bench.open(desk)
    run_id = runtime.start(RunStartParams(prompt="go", model=bench.script(bump("a"), {"text": "done"})))
    (request,) = await desk.until(1)
    second = Bench(bench.root, Store.open(bench.root))
    window = second.open(Person("allow_once"))
    try:
        assert second.store.get(run_id).run.state == "waiting_approval"
        assert window.pending() == []
        with pytest.raises(KeyError):
            window.approval_arguments(request.approval_id)
        with pytest.raises(UnknownRunError):
            await window.cancel(run_id)
        with pytest.raises(UnknownRunError):
            window.set_mode(run_id, "yolo")
        assert ran(bench) == []
    finally:
        await window.close()
        second.store.close()
    await runtime.cancel(run_id)


async def test_a_waiting_question_keeps_its_id_however_often_it_is_listed(bench: Bench) -> None:
    bench.tools(BUMP)
    desk = Desk()
    runtime = bench.open(desk)
    run_id = runtime.start(RunStartParams(prompt="go", model=bench.script(bump("a"), {"text": "done"})))
    (request,) = await desk.until(1)
    assert runtime.pending() == [request] == runtime.pending()
    desk.reply(request, "allow_once")
    await asyncio.wait_for(runtime.wait(run_id), 20)
    assert runtime.pending() == []


async def test_the_decision_log_says_who_why_by_which_rule_in_which_mode(bench: Bench, tmp_path: Path) -> None:
    bench.tools(TWO)
    person = Person(
        lambda request: answer(
            request, "always_tool_workspace" if request.tool == "bump" else "reject_once", feedback="not now"
        )
    )
    bench.open(person)
    await bench.run(bump("a"), bump("b", "c2"), {"calls": [call("other", "c3", {"tag": "x"})]}, {"text": "done"})
    await bench.run(bump("c"), {"text": "done"}, permission_mode="yolo")
    log = bench.store.decisions()
    assert [(entry.tool, entry.decision, entry.decided_by, entry.mode) for entry in log] == [
        ("bump", "allow", "mode", "yolo"),
        ("other", "deny", "person", "default"),
        ("bump", "allow", "grant", "default"),
        ("bump", "allow", "person", "default"),
    ]
    assert [entry.arguments for entry in log] == [{"tag": "c"}, {"tag": "x"}, {"tag": "b"}, {"tag": "a"}]
    assert "every call" in str(log[3].rule)
    assert "every call" in str(log[2].rule)
    assert log[3].option_kind == "allow_always"
    assert log[1].reason == "denied by the user: not now"
    assert log[0].waited_ms is None
    assert isinstance(log[1].waited_ms, float)
    assert all(len(entry.args_digest) == 64 and entry.time.endswith("Z") for entry in log)
    first_run = log[-1].run_id
    assert len(bench.store.decisions(first_run)) == 3
    assert len(bench.store.decisions(limit=2)) == 2
    assert bench.store.decisions(project_root=str(tmp_path)) == []
    assert len(bench.store.decisions(project_root=str(bench.root.resolve()))) == 4


async def test_tool_files_that_a_run_changed_are_not_imported_by_the_next_process(bench: Bench) -> None:
    canary = bench.root / "canary"
    bench.tools(
        "from pathlib import Path\n\n\ndef write(text: str) -> str:\n    '''Write code.'''\n"
        "    with Path('.adal/tools.py').open('a') as file:\n        file.write(text)\n    return 'written'\n\n\n"
        'CUSTOM_TOOLS = [{"function": write, "require_approval": False}]\n'
    )
    bench.open(None)
    await bench.run({"calls": [call("write", "c1", {"text": "open('canary', 'w').close()\n"})]}, {"text": "done"})
    person = Person("allow_once")
    await again(bench, person, {"calls": [call("write", "c1", {"text": ""})]})
    assert not canary.exists()
    assert "the agent may have written it" in bench.notices()
    assert "There is no tool 'write'" in bench.results()[-1].observation
    # Another window is told the same; a person's wish imports it.
    assert bench.runtime is not None
    refused = await bench.runtime.load(bench.root, unsaved=True)
    assert (refused.state, canary.exists()) == ("error", False)
    assert (await bench.runtime.load(bench.root)).state == "loaded"
    assert canary.exists()
    await again(bench, person, {"text": "done"})
    assert bench.runtime is not None
    assert (await bench.runtime.load(bench.root, unsaved=True)).state == "loaded"


async def test_a_record_that_cannot_be_read_imports_nothing(bench: Bench) -> None:
    bench.tools(BUMP)
    desk = Desk()
    runtime = bench.open(desk)
    run_id = runtime.start(RunStartParams(prompt="go", model=bench.script(bump("a"), {"text": "done"})))
    await desk.until(1)
    (record,) = (bench.root.parent / "data" / "workspaces").glob("*/tool-files/*.json")
    record.write_text("{")
    assert (await runtime.load(bench.root, unsaved=True)).state == "error"
    await runtime.cancel(run_id)
    assert (await runtime.load(bench.root)).state == "loaded"
    assert (await runtime.load(bench.root, unsaved=True)).state == "loaded"


async def test_a_run_that_changes_nothing_leaves_no_record(bench: Bench) -> None:
    bench.tools(BUMP)
    runtime: Runtime = bench.open(Person("allow_once"))
    await bench.run(bump("a"), {"text": "done"})
    folder = bench.root.parent / "data" / "workspaces"
    assert list(folder.glob("*/tool-files/*")) == []
    bench.tools(TWO)  # between runs a change on disk is a person's, or a checkout's
    assert (await runtime.load(bench.root, unsaved=True)).state == "loaded"
