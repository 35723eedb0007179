"""A run in this process: trust, the store, the runtime, the terminal, and how it all ends."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from adal_ls.agent import trust, unsaved
from adal_ls.agent.approval import Approver
from adal_ls.agent.loop import STOPPED
from adal_ls.agent.runtime import Runtime
from adal_ls.agent.store import Store, StoreError
from adal_ls.cli.output import is_terminal, reason, say
from adal_ls.cli.progress import Progress
from adal_ls.cli.run_output import Ending, Output, Style, output_of
from adal_ls.cli.screen import Screen
from adal_ls.cli.terminal import TerminalApprover, show_call
from adal_ls.cli.transcript import line_of
from adal_ls.protocol.host import HostSettings
from adal_ls.protocol.runs import (
    DecisionEvent,
    ErrorEvent,
    FinishedEvent,
    NoticeEvent,
    RunStartParams,
    RunUpdate,
    ToolCallEvent,
)
from adal_ls.protocol.tools import Project

DONE, FAILED, NOT_ASKED = 0, 1, 3


async def run_once(params: RunStartParams, style: Style, trusted: bool) -> int:
    """Runs `params` to its end and returns the exit code; everything that happens goes to `style`'s output.

    Raises:
        click.UsageError: parameters that no run can have.
    """
    screen = Screen()
    output = output_of(style, screen)
    root = Path(params.project_root or ".")
    try:
        given, trusted = trusted, trusted or trust.is_trusted(root)
        if not trusted and any((root / ".adal").glob("*.py")):
            ending = Ending(FAILED, error=_not_trusted(root))
        else:
            if given:
                unsaved.confirm(root)
            ending = await _in_store(params, root, output, screen, trusted=trusted)
    except OSError as fault:
        ending = Ending(FAILED, error=reason(fault))
    except (StoreError, ValueError) as fault:  # of the data folder: a setting that cannot be
        ending = Ending(FAILED, error=str(fault))
    output.end(ending)
    return ending.exit_code


def _not_trusted(root: Path) -> str:
    return (
        f"{root} is not trusted, so the Python files in its .adal folder are not loaded and nothing was run. Look at "
        f"them, then trust the folder once with --trust or for good with: adal-ls trust {root}"
    )


async def _in_store(params: RunStartParams, root: Path, output: Output, screen: Screen, *, trusted: bool) -> Ending:
    store = Store.open(root)
    try:
        return await _Headless(store, root, output, screen, trusted=trusted).run(params)
    finally:
        store.close()


class _Headless:
    """One run, followed from its first to its last event."""

    def __init__(self, store: Store, root: Path, output: Output, screen: Screen, *, trusted: bool) -> None:
        self._root = root
        self._output = output
        self._calls: dict[str, dict[str, Any]] = {}
        self._not_asked: list[str] = []
        self._error: str | None = None
        self._not_loaded: str | None = None
        self._limit = "the run stopped at a limit"
        self._store = store
        self._screen = screen
        self._progress = Progress(screen, tools_loaded=not trusted)
        approver: Approver | None = None
        if is_terminal(sys.stdin) and is_terminal(sys.stderr):
            approver = TerminalApprover(str(root), self._arguments, screen)
        self._runtime = Runtime(
            store=store,
            settings=HostSettings(),
            approver=approver,
            on_update=self._update,
            on_project=self._loaded,
            trusted=trusted,
            roots=[root],
        )

    async def run(self, params: RunStartParams) -> Ending:
        try:
            run_id = self._runtime.start(params)
        except ValueError as fault:
            raise click.UsageError(str(fault)) from fault
        showing = asyncio.ensure_future(self._progress.show())
        try:
            with _interruptible(self._runtime, run_id):
                finished = await self._runtime.wait(run_id)
        finally:
            showing.cancel()
            await asyncio.wait({showing})
            self._screen.end_line()
            await self._runtime.close()
        return self._ending(run_id, finished)

    def _update(self, update: RunUpdate) -> None:
        event = update.event
        if isinstance(event, ToolCallEvent):
            self._calls[event.call_id] = event.arguments
        elif isinstance(event, DecisionEvent) and event.decided_by == "no approver":
            self._not_asked.append(event.tool)
            self._would_have_asked(event)
        elif isinstance(event, ErrorEvent):
            self._error = event.message
        self._progress.event(event)
        self._tell_person(update)
        self._output.event(event)

    def _arguments(self, approval_id: str) -> dict[str, Any]:
        return self._runtime.approval_arguments(approval_id)

    def _loaded(self, project: Project) -> None:
        self._progress.tools_loaded = True
        self._not_loaded = project.error

    def _would_have_asked(self, event: DecisionEvent) -> None:
        details = ["Not run: standard input is no terminal, so nobody could be asked."]
        show_call(event.tool, self._calls.get(event.call_id, {}), str(self._root), "Would have asked:", details)

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
            error = f"cancelled; what happened so far: adal-ls runs show {run_id[:8]}"
        elif finished.stop_reason == "limit":
            error = self._limit
        else:
            error = self._error or "the run failed"
        return Ending(FAILED, finished.answer, model if finished.answer else None, run_id, error)


@contextmanager
def _interruptible(runtime: Runtime, run_id: str) -> Iterator[None]:
    """Ctrl-C (and SIGTERM) cancels the run, so that it is stored to its end. A second Ctrl-C ends the process."""
    loop = asyncio.get_running_loop()
    cancels: set[asyncio.Task[None]] = set()

    def cancel() -> None:
        restore()
        say("Cancelling …")
        cancels.add(asyncio.ensure_future(runtime.cancel(run_id)))

    signals = [signal.SIGINT, signal.SIGTERM]
    before = {number: signal.getsignal(number) for number in signals}

    def restore() -> None:
        for number in signals:
            if sys.platform != "win32":
                loop.remove_signal_handler(number)
            signal.signal(number, before[number])

    for number in signals:
        if sys.platform == "win32":
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(cancel))
        else:
            loop.add_signal_handler(number, cancel)
    try:
        yield
    finally:
        restore()
        # `wait` above has seen the end of the run, so these are done or about to be; runtime.close waits for the rest.
        for task in cancels:
            task.cancel()
