"""The one way to an execution: every call of every run passes `execute`.

Nobody else may import the executor (an import contract checks it). The gate decides (policy, grants, the person),
records the decision, and then runs exactly what was decided about: the digest over tool, arguments, folder and state
is computed again at the last moment, and a difference is a refusal.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from adal_ls.agent import base_file, executor
from adal_ls.agent.approval import Answer, Approvals, Question
from adal_ls.agent.assembly import ModelCall
from adal_ls.agent.batch import TextBatch
from adal_ls.agent.builtin.context import BuiltinContext
from adal_ls.agent.custom import CustomTools
from adal_ls.agent.digest import args_digest, bytes_digest, canonical
from adal_ls.agent.policy import judge
from adal_ls.agent.preview import preview
from adal_ls.agent.registry import RegisteredTool, ToolRegistry
from adal_ls.protocol.runs import (
    DecisionEvent,
    Event,
    PermissionMode,
    StateEvent,
    ToolCallEvent,
    ToolProgressEvent,
    ToolStatus,
)

MAX_REJECTIONS = 2
"""Rejections by the person after which the identical call is refused unasked."""

_REJECTED_BEFORE = (
    f"The user rejected this very call {MAX_REJECTIONS} times, so it was refused without asking again. "
    "Nothing was executed. Do something else, or ask the user."
)

_WORD = re.compile(r"[^\s\"'`;|&<>(){}$=\0]+")
"""What may name a file in a command: between blanks, quotes and the signs of a shell."""

_MAX_BASE_FILE = 16 * 1024 * 1024


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

    `any_name`: its model knows tools by their own names, not by aliases. `pythons`: environments bash may use.
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
    waiting: int = field(default=0, init=False)
    rejections: Counter[str] = field(default_factory=Counter, init=False)
    editing: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)
    looking: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)
    cancelled: str = field(default="cancelled by the user", init=False)
    """What calls that a cancel cuts short are told."""


async def execute(call: ModelCall, run: GateContext) -> CallResult:
    """Decides about one call, and runs it where that is the decision."""
    tool = run.registry.find(call.name)
    if tool is None:
        return _refuse(call, _no_such_tool(call.name, run), run)
    if call.problem is not None:
        return _refuse(call, f"Nothing was executed: {call.problem}.", run)
    key = canonical([tool.name, call.arguments])
    if run.rejections[key] >= MAX_REJECTIONS:
        return _refuse(call, _REJECTED_BEFORE, run, "cancelled")
    result = await _decide_and_run(tool, call, run)
    if result.rejected:
        run.rejections[key] += 1
    return result


async def _decide_and_run(tool: RegisteredTool, call: ModelCall, run: GateContext) -> CallResult:
    # A copy through JSON: nothing that holds the original can change what is decided about.
    arguments: dict[str, Any] = json.loads(canonical(call.arguments))
    shown = await _digest(tool, arguments, run)
    try:
        answer = await _decide(tool, arguments, shown, call.call_id, run)
    except asyncio.CancelledError:
        cancelled = Answer(allowed=False, decided_by="cancelled", reason=run.cancelled)
        _record(tool, call.call_id, shown, cancelled, cancelled.reason, run)
        raise
    if not answer.allowed:
        _record(tool, call.call_id, shown, answer, answer.reason, run)
        return _denied(tool, answer)
    # Edits one after another: each starts from the file that the one before has left.
    async with run.editing if tool.group == "Edit" else nullcontext():
        # Looked at before the digest: what changes in between shows there, what changes after shows in the tool.
        base = await _base(tool, arguments, run)
        if await _digest(tool, arguments, run) != shown:
            return _changed(tool, call.call_id, shown, run)
        edited = answer.updated_input is not None and answer.updated_input != arguments
        digest = shown
        if edited:
            try:
                arguments = json.loads(canonical(answer.updated_input))
            except (TypeError, ValueError) as fault:
                unusable = Answer(False, "wrong answer", reason=f"the edited arguments are not JSON: {fault}")
                _record(tool, call.call_id, shown, unusable, unusable.reason, run)
                return _denied(tool, unusable)
            base = await _base(tool, arguments, run)
            digest = await _digest(tool, arguments, run)
        reason = "edited by the user" if edited else answer.reason or answer.feedback
        _record(tool, call.call_id, digest, answer, reason, run)
        return await _run(tool, arguments, call.call_id, edited, answer, run, base)


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
        )
    )
    return CallResult(status, why)


def _no_such_tool(name: str, run: GateContext) -> str:
    names = ", ".join(spec["function"]["name"] for spec in run.registry.specs(any_name=run.any_name))
    known = f"The tools there are: {names}." if names else "There are no tools in this run."
    return f"There is no tool '{name}'. Nothing was executed. {known}"


async def _decide(
    tool: RegisteredTool, arguments: dict[str, Any], digest: str, call_id: str, run: GateContext
) -> Answer:
    verdict = judge(tool, arguments, run.mode, _folder(tool, run))
    if verdict.action == "run":
        return Answer(allowed=True, decided_by=verdict.decided_by, reason=verdict.reason)
    if verdict.grantable and run.approvals.is_granted(tool.name, digest):
        return Answer(allowed=True, decided_by="grant", reason="allowed for this session with these arguments")
    question = Question(
        run_id=run.run_id,
        call_id=call_id,
        tool=tool.name,
        arguments=arguments,
        args_digest=digest,
        input_schema=dict(tool.parameters),
        preview=await asyncio.to_thread(preview, tool, arguments, _folder(tool, run)),
        source=tool.location,
        risk=verdict.risk,
        grantable=verdict.grantable,
    )
    run.waiting += 1
    if run.waiting == 1:
        run.emit(StateEvent(state="waiting_approval"))
    try:
        answer = await run.approvals.ask(question)
    finally:
        run.waiting -= 1
    if run.waiting == 0:
        run.emit(StateEvent(state="running"))
    return answer


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
    run.emit(ToolCallEvent(call_id=call_id, tool=tool.name, arguments=arguments, status="in_progress"))
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


def _changed(tool: RegisteredTool, call_id: str, digest: str, run: GateContext) -> CallResult:
    reason = "changed since approval: the arguments, the folder, the file or the tool's code are others than decided on"
    answer = Answer(allowed=False, decided_by="digest", reason=reason)
    _record(tool, call_id, digest, answer, reason, run)
    return _denied(tool, answer)


def _record(
    tool: RegisteredTool, call_id: str, digest: str, answer: Answer, reason: str | None, run: GateContext
) -> None:
    run.emit(
        DecisionEvent(
            call_id=call_id,
            tool=tool.name,
            args_digest=digest,
            decision="allow" if answer.allowed else "deny",
            decided_by=answer.decided_by,
            option_kind=answer.option_kind,
            reason=reason,
        )
    )


async def _digest(tool: RegisteredTool, arguments: dict[str, Any], run: GateContext) -> str:
    """The digest of a call as things stand now."""
    # One at a time, so that parallel calls are asked about in the order in which the model made them.
    async with run.looking:
        source = await _source(tool, arguments, run)
    folder = os.path.realpath(_folder(tool, run))  # noqa: ASYNC240 - a few lstat calls on a local folder
    return args_digest(tool.name, arguments, folder, source)


async def _base(tool: RegisteredTool, arguments: dict[str, Any], run: GateContext) -> str | None:
    """What an edit starts from, for the tool to compare; None for tools that edit no file."""
    if tool.kind != "builtin" or tool.group != "Edit":
        return None
    return await asyncio.to_thread(base_file.seen, _folder(tool, run), arguments.get("path"))


def _folder(tool: RegisteredTool, run: GateContext) -> Path:
    """Where the paths of a call start: in the project, or in the workspace of the provider that brings the tool."""
    return tool.executor.policy.cwd if tool.executor else run.root


async def _source(tool: RegisteredTool, arguments: dict[str, Any], run: GateContext) -> str:
    """What a call runs or starts from, beside its arguments."""
    source = tool.source_digest
    if tool.kind == "custom" and run.custom is not None:
        source = run.custom.digest
    elif tool.group == "Edit":
        source += await asyncio.to_thread(_base_file, _folder(tool, run), arguments.get("path"))
    elif tool.group == "Bash":
        source += await asyncio.to_thread(_named_files, _folder(tool, run), arguments.get("command"))
    elif tool.group in ("Read", "Search"):
        source += f" {await asyncio.to_thread(_real_place, _folder(tool, run), arguments.get('path', '.'))}"
    return source


def _named_files(root: Path, command: object) -> str:
    """What the files of the workspace hold that a command names, such as a script (CVE-2026-32921): `sh build.sh` that
    was allowed is another command once build.sh is another script."""
    if not isinstance(command, str):
        return " no command"
    words = dict.fromkeys(_WORD.findall(command))
    inside = os.path.realpath(root) + os.sep
    found = (word for word in words if os.path.realpath(root / word).startswith(inside))
    return "".join(_base_file(root, word) for word in found if os.path.isfile(root / word))  # noqa: PTH113


def _real_place(root: Path, path: object) -> str:
    """Where a path leads to, so that a link that was turned round meanwhile is noticed."""
    try:
        return os.path.realpath(root / path) if isinstance(path, str) else "no path"
    except (OSError, ValueError) as fault:
        return f"unreadable: {type(fault).__name__}"


def _base_file(root: Path, path: object) -> str:
    """What the file that an edit starts from holds now, so that an approved edit meets the file that was shown."""
    if not isinstance(path, str):
        return " no path"
    try:
        real = Path(os.path.realpath(root / path))
        if not real.is_file():
            return f" {real}: no file"
        status = real.stat()
        if status.st_size > _MAX_BASE_FILE:
            return f" {real}: {status.st_size} bytes, {status.st_mtime_ns}"
        return f" {real}: {bytes_digest(real.read_bytes())}"
    except (OSError, ValueError) as fault:
        return f" unreadable: {type(fault).__name__}"
