"""The one way to an execution: every call of every run passes `execute`.

Nobody else may import the executor (an import contract checks it). The gate decides (policy, grants, the person),
records the decision, and then runs exactly what was decided about: the digest over tool, arguments, folder and state
is computed again at the last moment, and a difference is a refusal.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from adal_ls.agent import executor
from adal_ls.agent.approvals import base_file
from adal_ls.agent.approvals.answers import Answer
from adal_ls.agent.approvals.approval import Approvals, Question, by_grant
from adal_ls.agent.approvals.basis import basis, reads_files
from adal_ls.agent.approvals.digest import args_digest, canonical
from adal_ls.agent.approvals.impossible import impossible
from adal_ls.agent.approvals.policy import judge
from adal_ls.agent.approvals.preview import preview
from adal_ls.agent.approvals.rules import Call
from adal_ls.agent.builtin.context import BuiltinContext
from adal_ls.agent.models.assembly import ModelCall
from adal_ls.agent.projects.custom import CustomTools
from adal_ls.agent.runs.batch import TextBatch
from adal_ls.agent.runs.registry import RegisteredTool, ToolRegistry
from adal_ls.protocol.approvals import Preview
from adal_ls.protocol.runs import (
    DecisionEvent,
    Event,
    NoticeEvent,
    PermissionMode,
    StateEvent,
    ToolCallEvent,
    ToolProgressEvent,
    ToolStatus,
)

MAX_REJECTIONS = 2
"""Rejections by the person after which the identical call is refused unasked."""

_SMALL = 50_000  # bytes of arguments, which are shown in a millisecond

_REJECTED_BEFORE = (
    f"The user rejected this very call {MAX_REJECTIONS} times, so it was refused without asking again. "
    "Nothing was executed. Do something else, or ask the user."
)

_CHANGED = "changed since approval: the arguments, the folder, the file or the tool's code are others than decided on"


@dataclass(frozen=True, slots=True)
class CallResult:
    """The one result of a call. `observation` is for the model, `output` for programs; `rejected`: a person said no."""

    status: ToolStatus
    observation: str
    display: str | None = None
    printed: str | None = None
    duration_ms: float = 0.0
    trace: str | None = None
    rejected: bool = False
    output: Any = None


@dataclass(slots=True)
class GateContext:
    """The run that makes a call.

    `mode` may change while it goes on: calls that are decided about later follow the new one, and a question that waits
    goes on waiting. `any_name`: its model knows tools by their own names, not by aliases. `pythons`: environments bash
    may use. `settled` returns once all that was emitted is written down, and raises where it cannot be.
    """

    run_id: str
    registry: ToolRegistry
    mode: PermissionMode
    root: Path
    approvals: Approvals
    custom: CustomTools | None
    emit: Callable[[Event], None]
    any_name: bool = False
    pythons: Sequence[Path] = ()
    builtins: BuiltinContext | None = None
    settled: Callable[[], Awaitable[None]] | None = None
    waiting: int = field(default=0, init=False)
    rejections: Counter[str] = field(default_factory=Counter, init=False)
    editing: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)
    looking: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)
    cancelled: str = field(default="cancelled by the user", init=False)
    """What calls that a cancel cuts short are told."""
    interrupted: bool = field(default=False, init=False)
    """Whether the cancel leaves calls that were not begun as they are, to be asked about anew."""
    started: dict[str, float] = field(default_factory=dict, init=False)
    """Calls that ran or run, with the moment (`time.monotonic`) at which nothing more was to be decided."""


async def execute(call: ModelCall, run: GateContext) -> CallResult:
    """Decides about one call, and runs it where that is the decision."""
    tool = run.registry.find(call.name)
    if tool is None:
        return _refuse(call, _no_such_tool(call.name, run), run)
    if call.problem is not None:
        return _refuse(call, f"Nothing was executed: {call.problem}.", run)
    if (fault := impossible(tool, call.arguments)) is not None:
        return _refuse(call, fault, run)
    key = canonical([tool.name, call.arguments])
    if run.rejections[key] >= MAX_REJECTIONS:
        return _refuse(call, _REJECTED_BEFORE, run, "cancelled")
    result = await _decide_and_run(tool, call, run)
    if result.rejected:
        run.rejections[key] += 1
    return result


async def _decide_and_run(tool: RegisteredTool, given: ModelCall, run: GateContext) -> CallResult:
    # A copy through JSON: nothing that holds the original can change what is decided about.
    call = await _call_of(tool, json.loads(canonical(given.arguments)), run)
    record = _Record(given.call_id, tool, run)
    try:
        answer = await _decide(tool, call, given.call_id, run)
    except asyncio.CancelledError:
        if not run.interrupted:
            record(call.digest, Answer(allowed=False, decided_by="cancelled", reason=run.cancelled))
        raise
    if not answer.allowed:
        record(call.digest, answer)
        return _denied(tool, answer)
    # Edits one after another: each starts from the file that the one before has left.
    async with run.editing if tool.group == "Edit" else nullcontext():
        arguments = dict(call.arguments)
        # Looked at before the digest: what changes in between shows there, what changes after shows in the tool.
        base = await _base(tool, arguments, run)
        if (now := await _call_of(tool, arguments, run)).digest != call.digest and answer.decided_by == "mode":
            # Nobody was shown the file, and another edit of this turn may have changed it: the mode decides again.
            call, answer = now, _by_mode(tool, now, run)
        if now.digest != call.digest or not answer.allowed:
            changed = Answer(allowed=False, decided_by="digest", reason=_CHANGED)
            record(call.digest, changed)
            return _denied(tool, changed)
        given_back = canonical(arguments if answer.updated_input is None else answer.updated_input)
        # Compared as JSON: to Python 1, 1.0 and true are equal, to a tool they are three things.
        digest, edited = call.digest, given_back != canonical(arguments)
        if edited:
            arguments = json.loads(given_back)
            base = await _base(tool, arguments, run)
            digest = (await _call_of(tool, arguments, run)).digest
        record(digest, answer, edited=edited)
        return await _run(tool, arguments, given.call_id, edited, answer, run, base)


def _refuse(call: ModelCall, why: str, run: GateContext, status: ToolStatus = "error") -> CallResult:
    """Refuses a call that nobody needs to be asked about."""
    tool = run.registry.find(call.name)
    run.emit(
        DecisionEvent(
            call_id=call.call_id,
            tool=tool.name if tool else call.name,
            args_digest=args_digest(call.name, call.arguments, os.fspath(run.root), tool.source_digest if tool else ""),
            decision="deny",
            decided_by="policy",
            reason=why,
            mode=run.mode,
            project_root=os.fspath(run.root),
        )
    )
    return CallResult(status, why)


def _no_such_tool(name: str, run: GateContext) -> str:
    names = ", ".join(spec["function"]["name"] for spec in run.registry.specs(any_name=run.any_name))
    known = f"The tools there are: {names}." if names else "There are no tools in this run."
    return f"There is no tool '{name}'. Nothing was executed. {known}"


def _by_mode(tool: RegisteredTool, call: Call, run: GateContext) -> Answer:
    """What the mode says without a person; refused where it would ask."""
    verdict = judge(tool, call.arguments, run.mode, call.folder, call.workspace)
    return Answer(verdict.action == "run", verdict.decided_by, reason=verdict.reason)


async def _decide(tool: RegisteredTool, call: Call, call_id: str, run: GateContext) -> Answer:
    if run.approvals.is_rejected(call):
        return Answer(allowed=False, decided_by="rejected before", reason="denied by the user for this session")
    verdict = judge(tool, call.arguments, run.mode, call.folder, call.workspace)
    if verdict.action == "run":
        return Answer(allowed=True, decided_by=verdict.decided_by, reason=verdict.reason)

    def tell(text: str) -> None:
        run.emit(NoticeEvent(text=text))

    grant = run.approvals.granted(call, tell) if verdict.grantable else None
    if grant is not None:
        return by_grant(grant)
    question = Question(
        run_id=run.run_id,
        call_id=call_id,
        call=call,
        input_schema=tool.parameters,
        preview=await _preview(tool, call),
        source=tool.location,
        risk=verdict.risk,
        grantable=verdict.grantable,
        tell=tell,
    )
    run.waiting += 1
    if run.waiting == 1:
        run.emit(StateEvent(state="waiting_approval"))
    asked = time.monotonic()
    try:
        answer = await run.approvals.ask(question)
    finally:
        run.waiting -= 1
    if run.waiting == 0:
        run.emit(StateEvent(state="running"))
    return replace(answer, waited_ms=round((time.monotonic() - asked) * 1000, 1))


async def _preview(tool: RegisteredTool, call: Call) -> Preview:
    shown = (tool, dict(call.arguments), call.folder)
    # A thread costs more than the preview of a usual call, and waits for a processor where others are busy.
    at_once = not reads_files(tool) and len(canonical(call.arguments)) <= _SMALL
    return preview(*shown) if at_once else await asyncio.to_thread(preview, *shown)


async def _run(
    tool: RegisteredTool,
    arguments: dict[str, Any],
    call_id: str,
    edited: bool,
    answer: Answer,
    run: GateContext,
    base: str | None,
) -> CallResult:
    progress = TextBatch(lambda text: run.emit(ToolProgressEvent(call_id=call_id, text=text)))
    run.started[call_id] = time.monotonic()
    run.emit(ToolCallEvent(call_id=call_id, tool=tool.name, arguments=arguments, status="in_progress"))
    if run.settled is not None:
        await run.settled()  # nothing runs of which the transcript does not know
    try:
        outcome = await executor.run(
            executor.Execution(tool, arguments, run.root, run.custom, progress.add, run.pythons, run.builtins, base)
        )
    finally:
        progress.flush()
    observation = outcome.observation
    if edited:
        observation += f"\n\n[The user edited the arguments before the call ran: {canonical(arguments)}]"
    if answer.feedback:
        observation += f"\n\n[The user says: {answer.feedback}]"
    status: Literal["completed", "failed"] = "completed" if outcome.status == "success" else "failed"
    run.emit(ToolCallEvent(call_id=call_id, tool=tool.name, arguments=arguments, status=status))
    return CallResult(
        outcome.status,
        observation,
        outcome.display,
        outcome.printed,
        outcome.duration_ms,
        outcome.trace,
        output=outcome.output,
    )


def _denied(tool: RegisteredTool, answer: Answer) -> CallResult:
    lines = [f"The call of {tool.name} was {answer.reason or 'denied'}. Nothing was executed."]
    if not answer.rejected_by_person:
        lines = [f"The call of {tool.name} was denied: {answer.reason}. Nothing was executed."]
    if answer.feedback:
        lines.append(f"The user says: {answer.feedback}")
    return CallResult("cancelled", "\n".join(lines), "Denied", rejected=answer.rejected_by_person)


@dataclass(frozen=True, slots=True)
class _Record:
    """Writes the decision about one call to the transcript, from which the decision log is read."""

    call_id: str
    tool: RegisteredTool
    run: GateContext

    def __call__(self, digest: str, answer: Answer, *, edited: bool = False) -> None:
        self.run.emit(
            DecisionEvent(
                call_id=self.call_id,
                tool=self.tool.name,
                args_digest=digest,
                decision="allow" if answer.allowed else "deny",
                decided_by=answer.decided_by,
                option_kind=answer.option_kind,
                reason=_why(answer, edited=edited),
                mode=self.run.mode,
                rule=answer.rule,
                edited=True if edited else None,
                waited_ms=answer.waited_ms,
                project_root=os.fspath(self.run.root),
            )
        )


def _why(answer: Answer, *, edited: bool) -> str | None:
    """The reason of a decision, with what the person said."""
    parts = ("edited by the user" if edited else answer.reason, answer.feedback)
    return ": ".join(part for part in parts if part) or None


async def _call_of(tool: RegisteredTool, arguments: dict[str, Any], run: GateContext) -> Call:
    """The call as things stand now, with the digest of all that is decided about."""
    # One at a time, so that parallel calls are asked about in the order in which the model made them.
    async with run.looking:
        source = state = await _source(tool, run)
        if reads_files(tool):
            state = await asyncio.to_thread(basis, tool, arguments, _folder(tool, run))
    workspace, folder = (Path(os.path.realpath(place)) for place in (run.root, _folder(tool, run)))  # noqa: ASYNC240
    digest = args_digest(tool.name, arguments, os.fspath(folder), state)
    return Call(
        tool=tool.name,
        arguments=arguments,
        digest=digest,
        workspace=workspace,
        folder=folder,
        kind=tool.kind,
        group=tool.group,
        source_digest=source,
        served=tool.served,
    )


async def _source(tool: RegisteredTool, run: GateContext) -> str:
    """The digest of a tool's code, with that of modules which a call would import as they are by now."""
    if tool.kind != "custom" or run.custom is None or not tool.source_digest:
        return tool.source_digest
    late = await asyncio.to_thread(run.custom.changed_late)
    return f"{tool.source_digest} {late}".rstrip()


async def _base(tool: RegisteredTool, arguments: dict[str, Any], run: GateContext) -> str | None:
    """What an edit starts from, for the tool to compare; None for tools that edit no file."""
    if tool.kind != "builtin" or tool.group != "Edit":
        return None
    return await asyncio.to_thread(base_file.seen, _folder(tool, run), arguments.get("path"))


def _folder(tool: RegisteredTool, run: GateContext) -> Path:
    """Where the paths of a call start: in the project, or in the workspace of the provider that brings the tool."""
    return tool.executor.policy.cwd if tool.executor else run.root
