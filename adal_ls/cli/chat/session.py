"""One conversation: which run it is, what is going on in it, and what a person's line does to it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from adal_ls.agent.approvals.approval import Approver
from adal_ls.agent.models.offline import NAME as OFFLINE
from adal_ls.agent.runs.runtime import Runtime, UnknownRunError
from adal_ls.agent.store.store import Store
from adal_ls.cli.chat.cards import card, ending
from adal_ls.cli.chat.face import Face
from adal_ls.cli.chat.stopwatch import Stopwatch
from adal_ls.cli.run_options import RunOptions
from adal_ls.protocol.runs import (
    FinishedEvent,
    PermissionMode,
    PromptEvent,
    RunGetResult,
    RunPromptParams,
    RunResumeParams,
    RunUpdate,
    StateEvent,
    TextEvent,
    ToolCallEvent,
    ToolResultEvent,
    Usage,
    UsageEvent,
)


class Session:
    """A conversation on `face`. All methods belong on one event loop."""

    def __init__(
        self,
        options: RunOptions,
        project: Path,
        store: Store,
        face: Face,
        approver: Callable[[Callable[[str], dict[str, Any]]], Approver | None],
        *,
        trusted: bool,
    ) -> None:
        """`approver` gets what finds the arguments of a large question, and gives who is asked; None: nobody."""
        self.project = project
        self.store = store
        self.run_id: str | None = None
        self.model = options.model
        self.mode: PermissionMode = options.mode or "default"
        self.cancelling = False
        self._options = options
        self._face = face
        self._idle = asyncio.Event()
        self._idle.set()
        self._working = Stopwatch()
        self._usage: Usage | None = None
        self._running: dict[str, str] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._runtime = Runtime(
            store=store,
            settings=options.settings(),
            approver=approver(lambda approval_id: self._runtime.approval_arguments(approval_id)),
            on_update=self._update,
            on_project=lambda _: None,
            trusted=trusted,
            roots=[project],
        )

    @property
    def busy(self) -> bool:
        """Whether the agent works, or waits for an answer."""
        return not self._idle.is_set()

    @property
    def shown_model(self) -> str:
        return self.model or (OFFLINE if self.run_id is None else self.store.get(self.run_id, 1 << 60).run.model)

    def tool_choice(self) -> tuple[list[str] | None, list[str] | None]:
        """Built-in tools that are enabled alone, or disabled."""
        params = self._options.start_params("", self.project)
        return params.enabled_default_tools, params.disabled_default_tools

    def doing(self) -> str:
        """What goes on, in words; empty where nothing does."""
        if not self.busy:
            return ""
        if self.cancelling:
            return "cancelling …"
        if not self._working.runs:
            return "waiting for your answer"
        what = f"running {', '.join(dict.fromkeys(self._running.values()))}" if self._running else "working"
        return f"{what} … {self._working.seconds:.0f} s"

    def prompt(self, text: str) -> None:
        """Says `text` to the agent: begins or continues the conversation, or steers what is going on.

        Raises:
            ValueError, PermissionError, StoreError: it cannot be said; the text tells why.
        """
        if self.busy and self.run_id is not None:
            said = RunPromptParams(run_id=self.run_id, prompt=text, model=self.model, permission_mode=self.mode)
            self._runtime.prompt(said)
            self._face.say("(the agent hears this at its next step)")
            return
        params = replace(self._options, model=self.model, yolo=False, permission_mode=self.mode).start_params(
            text, self.project
        )
        if self.run_id is None:
            self.run_id = self._runtime.start(params)
        else:
            kept = {"prompt", "tool_context", "model", "permission_mode", "max_steps", "max_seconds", "max_cost"}
            given = params.model_dump(include=kept, exclude_none=True)
            self._runtime.resume(RunResumeParams(run_id=self.run_id, **given))
        self._begin()

    def take_up(self, run_id: str) -> RunGetResult:
        """The conversation is that of the run from now on; what happened in it.

        Raises:
            StoreError: there is no such run.
        """
        got = self.store.get(run_id)
        self.run_id = run_id
        return got

    def new(self) -> None:
        """What is typed next begins a new conversation."""
        self.run_id = None

    def set_mode(self, mode: PermissionMode) -> None:
        """From now on, also in what is going on."""
        self.mode = mode
        if self.busy and self.run_id is not None:
            try:
                self._runtime.set_mode(self.run_id, mode)
            except UnknownRunError:
                return  # it has just ended: the next prompt has the mode

    def cancel(self) -> None:
        """Stops what is going on; the conversation stays."""
        if self.busy and self.run_id is not None:
            self.cancelling = True
            task = asyncio.ensure_future(self._runtime.cancel(self.run_id))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def idle(self) -> None:
        """Until nothing is going on."""
        await self._idle.wait()
        await asyncio.sleep(0)

    async def close(self) -> None:
        """Stops what is going on and ends the tools. The store stays open; it is the caller's."""
        await self._runtime.close()

    def _begin(self) -> None:
        self._idle.clear()
        self.cancelling = False
        self._working = Stopwatch()
        self._usage = None
        self._running.clear()

    def _update(self, update: RunUpdate) -> None:
        event = update.event
        if isinstance(event, PromptEvent | StateEvent) and not self.busy:
            self._begin()  # what was said while the last episode was ending
        if isinstance(event, StateEvent):
            self._working.run(runs=event.state != "waiting_approval")
        if isinstance(event, TextEvent):
            self._face.stream(event.delta)
            return
        if not isinstance(event, UsageEvent):
            self._face.end_line()
        if isinstance(event, ToolCallEvent) and event.status in ("pending", "in_progress"):
            self._running[event.call_id] = event.tool
        elif isinstance(event, ToolResultEvent):
            self._running.pop(event.call_id, None)
        elif isinstance(event, UsageEvent):
            self._usage = _sum(self._usage, event)
        line = card(event)
        if line is not None:
            self._face.say(line)
        if isinstance(event, FinishedEvent):
            self._face.say(ending(self._usage, self._working.seconds))
            self._idle.set()


def _sum(known: Usage | None, more: UsageEvent) -> Usage:
    if known is None:
        return Usage(input_tokens=more.input_tokens, output_tokens=more.output_tokens, cost=more.cost)
    return Usage(
        input_tokens=known.input_tokens + more.input_tokens,
        output_tokens=known.output_tokens + more.output_tokens,
        cost=None if known.cost is None or more.cost is None else known.cost + more.cost,
    )
