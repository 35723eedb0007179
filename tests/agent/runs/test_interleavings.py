"""Any interleaving of what a model streams, answers of the person, cancels, further prompts and kills.

Whatever comes, every call has exactly one result, nothing runs that was not allowed, and each history that a model gets
is one that every provider takes. Real runtime, gate, store and file tool; the model and the person are drawn.
`ADAL_INTERLEAVINGS=2000` for a long look.
"""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adal_ls.agent.models.stream import (
    AgainDelta,
    CallDelta,
    ChatMessage,
    Delta,
    FinishDelta,
    ModelError,
    TextDelta,
    ToolSpec,
    UsageDelta,
)
from adal_ls.agent.runs import episodes
from adal_ls.agent.runs.runtime import Runtime
from adal_ls.agent.store.store import RunBusyError, Store, StoreError
from adal_ls.protocol.approvals import ApprovalAnswer, ApprovalRequest, ApprovalResolved
from adal_ls.protocol.host import HostSettings
from adal_ls.protocol.runs import (
    DecisionEvent,
    Event,
    FinishedEvent,
    RunPromptParams,
    RunResumeParams,
    RunStartParams,
    RunUpdate,
    ToolCallEvent,
    ToolResultEvent,
)
from tests.agent.histories import assert_valid

EXAMPLES = int(os.environ.get("ADAL_INTERLEAVINGS", "30"))

ARGUMENTS = ["", "{}", "{", '{"path": "f9.txt", "content": "x"', '"text"', '{"path": 5}', "[]", '{"a":1}{"b":2}']
WRITES = [json.dumps({"path": f"f{number}.txt", "content": "x"}) for number in range(4)]
SOUND = st.builds(
    lambda number, call_id, arguments: CallDelta(number, f"c{call_id}", "write_file", arguments),
    st.integers(0, 3),
    st.integers(0, 5),
    st.sampled_from(WRITES),
)
ODD = st.builds(
    CallDelta,
    index=st.sampled_from([None, 0, 0, 1, 2]),
    id=st.sampled_from([None, "", "a", "c1", "call_0"]),
    name=st.sampled_from([None, "write_file", "write_", "list_files", "nothing_such", "\ud800"]),
    arguments=st.sampled_from(ARGUMENTS + WRITES),
)
OTHER: list[Any] = [
    TextDelta("hello "),
    TextDelta("\ud800"),
    UsageDelta(3, 4),
    AgainDelta("again"),
    ModelError("server", "it failed"),
]
DELTAS = st.one_of(SOUND, SOUND, SOUND, ODD, st.sampled_from(OTHER))
FINISH = st.sampled_from(["tool_calls", "tool_calls", "stop", "length", None])
TURNS = st.lists(st.tuples(st.lists(DELTAS, min_size=1, max_size=4), FINISH), min_size=1, max_size=4)
ACTIONS = st.lists(
    st.tuples(
        st.integers(0, 20),  # half milliseconds before it; an answer waits for its question besides
        st.sampled_from([*["allow"] * 6, "reject", "cancel_question", "prompt", "cancel", "kill", "kill", "resume"]),
    ),
    min_size=1,
    max_size=12,
)


@dataclass
class DrawnModel:
    """Streams the drawn turns, with a turn of the event loop between any two deltas, and then says that it is done."""

    turns: list[tuple[list[Any], str | None]]
    name: str = "drawn"
    any_name: bool = False
    context_tokens: int | None = None

    async def stream(self, messages: list[ChatMessage], tools: list[ToolSpec]) -> AsyncGenerator[Delta, None]:
        assert_valid(messages)
        deltas, finish = self.turns.pop(0) if self.turns else ([TextDelta("done")], "stop")
        for delta in deltas:
            await asyncio.sleep(0)
            if isinstance(delta, ModelError):
                raise delta
            yield delta
        if finish is not None:
            yield FinishDelta(finish)


@dataclass
class DrawnPerson:
    """Answers the oldest open question when it is told to."""

    asked: list[tuple[ApprovalRequest, asyncio.Future[ApprovalAnswer]]] = field(default_factory=list)
    allowed: Counter[str] = field(default_factory=Counter)

    async def ask(self, request: ApprovalRequest) -> ApprovalAnswer:
        answer: asyncio.Future[ApprovalAnswer] = asyncio.get_running_loop().create_future()
        self.asked.append((request, answer))
        return await answer

    def resolved(self, resolved: ApprovalResolved) -> None:
        self.asked = [entry for entry in self.asked if entry[0].approval_id != resolved.approval_id]

    def forget(self, decided: set[str]) -> None:
        """The process is gone: an answer of which it wrote nothing down is asked for again."""
        self.asked.clear()
        self.allowed = Counter({call: count for call, count in self.allowed.items() if call in decided})

    async def is_asked(self) -> None:
        """Waits for a question, and not for long: there may be none."""
        for _ in range(40):
            if self.asked:
                return
            await asyncio.sleep(0.001)

    def answer(self, kind: str) -> None:
        if not self.asked:
            return
        request, answer = self.asked.pop(0)
        if answer.done():
            return
        given: dict[str, Any] = {"approval_id": request.approval_id, "args_digest": request.args_digest}
        if kind == "cancel_question":
            answer.set_result(ApprovalAnswer(**given, outcome="cancelled"))
            return
        wanted = "allow_once" if kind == "allow" else "reject_once"
        (option,) = [option for option in request.options if option.kind == wanted]
        if kind == "allow":
            self.allowed[request.call_id] += 1
        answer.set_result(ApprovalAnswer(**given, outcome="selected", option_id=option.option_id))


class KillableStore:
    """A store that a kill cuts off: from then on nothing is written, and nothing learns of it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.killed = False

    def __getattr__(self, name: str) -> Any:
        if self.killed:
            raise StoreError("killed")
        return getattr(self._store, name)


class Process:
    """One runtime, which may be killed; a later one takes its run up again."""

    def __init__(self, root: Path, person: DrawnPerson, on_update: Callable[[RunUpdate], None]) -> None:
        self.root = root
        self._kept = Store.open(root)
        self.store = KillableStore(self._kept)
        self.runtime = Runtime(
            store=self.store,
            settings=HostSettings(),
            approver=person,
            on_update=on_update,
            on_project=lambda _: None,
            roots=[root],
        )

    def decided(self, run_id: str) -> set[str]:
        """The calls of which the store knows how they were decided."""
        store = Store.open(self.root)
        events = [update.event for update in store.get(run_id).events]
        store.close()
        return {event.call_id for event in events if isinstance(event, DecisionEvent)}

    async def kill(self) -> None:
        self.store.killed = True
        self._kept.close()
        await self.runtime.close()

    async def close(self) -> None:
        await self.runtime.close()
        self._kept.close()


async def play(
    root: Path, turns: list[tuple[list[Any], str | None]], actions: list[tuple[int, str]], cancel_at: int
) -> list[Event]:
    """`cancel_at`: the update upon which the run is cancelled, between two turns of the event loop."""
    person, cancels = DrawnPerson(), list[asyncio.Task[None]]()

    def heard(update: RunUpdate) -> None:
        if update.seq == cancel_at:
            cancels.append(asyncio.ensure_future(process.runtime.cancel(update.run_id)))

    model = DrawnModel([(list(deltas), finish) for deltas, finish in turns])
    with mock.patch.object(episodes, "choose_model", return_value=model):
        process = Process(root, person, heard)
        run_id = process.runtime.start(RunStartParams(prompt="go", model="drawn"))
        for wait, action in actions:
            for _ in range(wait):
                await asyncio.sleep(0.0005)
            if action in ("allow", "reject", "cancel_question"):
                await person.is_asked()
                person.answer(action)
            elif action == "kill":
                await process.kill()
                person.forget(process.decided(run_id))
                process = Process(root, person, heard)
                process.runtime.resume(RunResumeParams(run_id=run_id))
            else:
                await act(process.runtime, action, run_id)
        await settle(process.runtime, person, run_id)
        await asyncio.gather(*cancels)
        events = [update.event for update in process.store.get(run_id).events]
        await process.close()
    check(events, person, root)
    return events


async def act(runtime: Runtime, action: str, run_id: str) -> None:
    try:
        if action == "prompt":
            runtime.prompt(RunPromptParams(run_id=run_id, prompt="and this"))
        elif action == "resume":
            runtime.resume(RunResumeParams(run_id=run_id))
        elif runtime.knows(run_id):
            await runtime.cancel(run_id)
    except RunBusyError:
        pass  # being cancelled, or going on: the person is told so


async def settle(runtime: Runtime, person: DrawnPerson, run_id: str) -> None:
    """To the end: what is still asked is rejected; the last prompt may begin one more episode."""
    for _ in range(4):
        waiting = asyncio.ensure_future(runtime.wait(run_id))
        while not waiting.done():
            person.answer("reject")
            await asyncio.wait({waiting}, timeout=0.005)
        await asyncio.sleep(0)


def check(events: list[Event], person: DrawnPerson, root: Path) -> None:
    pending = [event.call_id for event in events if isinstance(event, ToolCallEvent) and event.status == "pending"]
    results = [event.call_id for event in events if isinstance(event, ToolResultEvent)]
    assert len(set(pending)) == len(pending), "an id used twice"
    assert sorted(pending) == sorted(results), "a call without a result, or with two"
    assert isinstance(events[-1], FinishedEvent)
    allowed = set[str]()
    for event in events:
        if isinstance(event, DecisionEvent) and event.decision == "allow":
            allowed.add(event.call_id)
            assert event.tool == "list_files" or person.allowed[event.call_id] == 1
        elif isinstance(event, ToolCallEvent) and event.status != "pending":
            assert event.call_id in allowed, "ran before it was allowed"
    written = {
        str(event.arguments["path"])
        for event in events
        if isinstance(event, ToolCallEvent) and event.call_id in person.allowed and "path" in event.arguments
    }
    assert {path.name for path in root.glob("*.txt")} <= written


@contextmanager
def workspace() -> Iterator[Path]:
    """A folder of its own, and one for data, for each example."""
    with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, {"ADAL_DATA_DIR": f"{folder}/data"}):
        root = Path(folder, "work")
        root.mkdir()
        yield root


@given(turns=TURNS, actions=ACTIONS, cancel_at=st.integers(0, 40))
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_call_has_one_result_and_nothing_runs_that_was_not_allowed(
    turns: list[tuple[list[Any], str | None]], actions: list[tuple[int, str]], cancel_at: int
) -> None:
    with workspace() as root:
        asyncio.run(play(root, turns, actions, cancel_at))


def test_the_check_itself_sees_a_call_without_a_result_and_one_that_ran_unasked(tmp_path: Path) -> None:
    call = ToolCallEvent(call_id="a", tool="write_file", arguments={}, status="pending")
    ran = call.model_copy(update={"status": "in_progress"})
    result = ToolResultEvent(call_id="a", tool="write_file", status="success", observation="", duration_ms=1)
    end = FinishedEvent(stop_reason="end_turn")
    wrong: list[list[Event]] = [[call, end], [call, result, result, end], [call, ran, result, end]]
    for events in wrong:
        seen = False
        try:
            check(events, DrawnPerson(), tmp_path)
        except AssertionError:
            seen = True
        assert seen
