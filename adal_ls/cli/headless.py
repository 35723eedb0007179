"""A run in this process: trust, the store, the runtime, the terminal, and how it all ends."""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from adal_ls.agent.approvals.approval import Approver
from adal_ls.agent.projects import trust, unsaved
from adal_ls.agent.runs.loop import STOPPED
from adal_ls.agent.runs.runtime import Runtime
from adal_ls.agent.store.store import Store, StoreError
from adal_ls.cli.interrupts import interrupts
from adal_ls.cli.output import is_terminal, reason
from adal_ls.cli.progress import Progress
from adal_ls.cli.reading import TerminalReader
from adal_ls.cli.run_output import Ending, Output, Style, output_of
from adal_ls.cli.screen import Screen
from adal_ls.cli.stored import NoRunError, last_id, none_yet, whole_id
from adal_ls.cli.terminal import TerminalApprover
from adal_ls.cli.transcript import line_of
from adal_ls.cli.unattended import Unattended
from adal_ls.protocol.host import HostSettings
from adal_ls.protocol.runs import (
    DecisionEvent,
    ErrorEvent,
    FinishedEvent,
    NoticeEvent,
    RunResumeParams,
    RunStartParams,
    RunUpdate,
    ToolCallEvent,
)
from adal_ls.protocol.tools import Project
from adal_ls.sdk.errors import AdalError

DONE, FAILED, NOT_ASKED = 0, 1, 3


@dataclass(frozen=True, slots=True)
class Task:
    """What to do: a new run with `params`, or a further prompt in the run `resumed`.

    `resumed` is an id or the only one's beginning of it, empty for the last run; `trusted`: for this once.
    """

    params: RunStartParams
    resumed: str | None = None
    trusted: bool = False
    settings: HostSettings = field(default_factory=HostSettings)

    @property
    def root(self) -> Path:
        return Path(self.params.project_root or ".")


async def run_once(task: Task, style: Style) -> int:
    """Does `task` to its end and returns the exit code; everything that happens goes to `style`'s output.

    Raises:
        click.UsageError: parameters that no run can have.
    """
    screen = Screen()
    output = output_of(style, screen)
    root = task.root
    try:
        trusted = task.trusted or trust.is_trusted(root)
        if not trusted and any((root / ".adal").glob("*.py")):
            ending = Ending(FAILED, error=not_trusted(root))
        else:
            if task.trusted:
                unsaved.confirm(root)
            ending = await _in_store(task, output, screen, trusted=trusted)
    except NoRunError as fault:
        ending = Ending(FAILED, error=fault.message)
    except OSError as fault:
        ending = Ending(FAILED, error=reason(fault))
    except (StoreError, ValueError) as fault:  # of the data folder: a setting that cannot be
        ending = Ending(FAILED, error=str(fault))
    output.end(ending)
    return ending.exit_code


def not_trusted(root: Path) -> str:
    """Why nothing of a folder is loaded, and the way out."""
    return (
        f"{root} is not trusted, so the Python files in its .adal folder are not loaded and nothing was run. Look at "
        f"them, then trust the folder once with --trust or for good with: adal-ls trust {root}"
    )


async def _in_store(task: Task, output: Output, screen: Screen, *, trusted: bool) -> Ending:
    if task.resumed is not None and not Store.exists(task.root):
        raise NoRunError(none_yet(task.root))  # looking for one leaves nothing behind
    store = Store.open(task.root)
    try:
        return await _Headless(store, task.root, output, screen, task.settings, trusted=trusted).run(task)
    finally:
        store.close()


class _Headless:
    """One run, followed from its first to its last event."""

    def __init__(
        self, store: Store, root: Path, output: Output, screen: Screen, settings: HostSettings, *, trusted: bool
    ) -> None:
        self._root = root
        self._output = output
        self._calls: dict[str, dict[str, Any]] = {}
        self._not_asked: list[str] = []
        self._error: str | None = None
        self._not_loaded: str | None = None
        self._limit = "the run stopped at a limit"
        self._run_id: str | None = None
        self._interrupted: int | None = None
        self._unread = False
        self._owned: set[asyncio.Task[None]] = set()
        self._store = store
        self._screen = screen
        self._progress = Progress(screen, tools_loaded=not trusted)
        approver: Approver = Unattended(str(root), self._arguments, screen)
        if is_terminal(sys.stdin) and is_terminal(sys.stderr):
            approver = TerminalApprover(str(root), self._arguments, screen, TerminalReader())
        self._runtime = Runtime(
            store=store,
            settings=settings,
            approver=approver,
            on_update=self._update,
            on_project=self._loaded,
            trusted=trusted,
            roots=[root],
        )

    async def run(self, task: Task) -> Ending:
        try:
            self._run_id = run_id = self._begin(task)
        except AdalError as fault:
            await self._runtime.close()
            return Ending(FAILED, error=f"{fault.code}: {fault.message}")
        except ValueError as fault:
            raise click.UsageError(str(fault)) from fault
        showing = asyncio.ensure_future(self._progress.show())
        with interrupts(self._cancel, self._kill):
            try:
                finished = await self._runtime.wait(run_id)
            finally:
                showing.cancel()
                await asyncio.wait({showing, *self._owned})
                self._screen.end_line()
                await self._runtime.close()
        return self._ending(run_id, finished)

    def _begin(self, task: Task) -> str:
        """Starts the run, or takes it up again; its id.

        Raises:
            NoRunError: there is none to take up.
            ValueError: parameters that no run can have.
        """
        params = task.params
        if task.resumed is None:
            return self._runtime.start(params)
        run_id = whole_id(self._store, task.resumed, self._root) if task.resumed else last_id(self._store, self._root)
        kept = ("tool_context", "model", "permission_mode", "max_steps", "max_seconds", "max_cost")
        given = params.model_dump(include=set(kept), exclude_none=True)
        self._runtime.resume(RunResumeParams(run_id=run_id, prompt=params.prompt or None, **given))
        return run_id

    def _cancel(self, number: int) -> None:
        self._interrupted = number
        self._screen.say("Cancelling …  (once more: end at once)")
        self._stop()

    def _stop(self) -> None:
        if self._run_id is not None:
            self._owned.add(asyncio.ensure_future(self._runtime.cancel(self._run_id)))

    def _kill(self, number: int) -> None:
        """Ends this process now. What was stored stays, tools end with it, and the run reads as interrupted."""
        text = f"ended before the run had stopped; what happened so far: adal-ls runs show {str(self._run_id)[:8]}"
        self._output.end(Ending(128 + number, session_id=self._run_id, error=text))
        sys.stdout.flush()
        os._exit(128 + number)

    def _update(self, update: RunUpdate) -> None:
        event = update.event
        if isinstance(event, ToolCallEvent):
            self._calls[event.call_id] = event.arguments
        elif isinstance(event, DecisionEvent) and event.decided_by == "no approver":
            self._not_asked.append(event.tool)
        elif isinstance(event, ErrorEvent):
            # The codes of the SDK are for programs, so they are said; those of ours say no more than the text.
            told = event.code.isupper() and event.code != AdalError.code  # which says nothing
            self._error = f"{event.code}: {event.message}" if told else event.message
            if event.trace:
                self._screen.say(event.trace.rstrip())
        self._progress.event(event)
        self._tell_person(update)
        try:
            self._output.event(event)
        except BrokenPipeError:
            self._nobody_reads()

    def _nobody_reads(self) -> None:
        """Who read our output has gone: nobody would see what the run does, so it stops, stored to its end."""
        if not self._unread:
            self._unread = True
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            self._stop()

    def _arguments(self, approval_id: str) -> dict[str, Any]:
        return self._runtime.approval_arguments(approval_id)

    def _loaded(self, project: Project) -> None:
        self._progress.tools_loaded = True
        if project.failure is None or not project.failure.agents:
            self._not_loaded = project.error

    def _tell_person(self, update: RunUpdate) -> None:
        """What goes on, on standard error; a program that reads standard output is not disturbed."""
        event = update.event
        if isinstance(event, NoticeEvent) and event.text.startswith(STOPPED):
            self._limit = event.text  # the error of the run, which comes last: once is enough
            return
        watched = self._screen.watched and not isinstance(event, FinishedEvent | ErrorEvent)
        line = line_of(event) if watched or isinstance(event, NoticeEvent) else None
        if line is not None and update.seq > 1:
            self._screen.say(line)

    def _ending(self, run_id: str, finished: FinishedEvent) -> Ending:
        model = self._store.get(run_id).run.model
        if finished.stop_reason == "end_turn":
            if self._not_loaded is not None:
                error = (
                    f"the tools of {self._root} could not be loaded, so the run had none of them: {self._not_loaded}"
                )
                return Ending(FAILED, finished.answer, model, run_id, error)
            if not self._not_asked:
                return Ending(DONE, finished.answer, model, run_id)
            names = ", ".join(dict.fromkeys(self._not_asked))
            count = len(self._not_asked)
            error = (
                f"{count} {'call was' if count == 1 else 'calls were'} not run, because nobody could be asked for "
                f"approval: {names}. Run it at a terminal to be asked, or with --yolo to allow every tool"
            )
            return Ending(NOT_ASKED, finished.answer, model, run_id, error)
        if finished.stop_reason == "cancelled":
            short = run_id[:8]
            error = f"cancelled; what happened so far: adal-ls runs show {short}; to go on: adal-ls run -r {short}"
            if self._interrupted is not None:
                return Ending(128 + self._interrupted, finished.answer, None, run_id, error)
        elif finished.stop_reason == "limit":
            error = self._limit
        else:
            error = self._error or "the run failed"
        return Ending(FAILED, finished.answer, model if finished.answer else None, run_id, error)
