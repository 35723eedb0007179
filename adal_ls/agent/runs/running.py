"""A run whose episode goes on in this process, as the runtime and its episodes share it."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from adal_ls.agent.gate import GateContext
from adal_ls.agent.store.secret_values import RedactedEvents, SecretValues
from adal_ls.protocol.runs import FinishedEvent, PermissionMode, RunPromptParams, RunStartParams


@dataclass(slots=True)
class Running:
    """A run with the episode that goes on, or was the last one that did.

    `prompt` begins the episode; None takes an interrupted one up where it ended. `heard` are prompts that came since;
    `later` those that begin the next episode: their tools need a context of its own, or this one is `ending`.
    """

    run_id: str
    params: RunStartParams
    prompt: str | None
    root: Path
    mode: PermissionMode
    finished: asyncio.Future[FinishedEvent]
    heard: list[str] = field(default_factory=list)
    later: list[RunPromptParams] = field(default_factory=list)
    agent_call_id: str = field(default_factory=lambda: uuid4().hex)
    resumed: bool = False
    task: asyncio.Task[None] | None = None
    context: GateContext | None = None
    """While an episode makes calls."""
    cancelling: bool = False
    interrupted: bool = False
    ending: bool = False
    last_seq: int = 0
    secrets: SecretValues = field(default_factory=lambda: SecretValues(os.environ))
    redacted: RedactedEvents = field(init=False)

    def __post_init__(self) -> None:
        self.redacted = RedactedEvents(self.secrets)

    @property
    def scope(self) -> str:
        """The conversation that the run belongs to; without another it is the run itself."""
        return (self.params.scope or "").strip() or self.run_id

    def take_unheard(self, finished: FinishedEvent) -> list[str]:
        """The prompts that nobody will hear: those to an episode that failed, and all where a person cancelled."""
        unheard = list[str]()
        if finished.stop_reason != "end_turn":
            unheard, self.heard = self.heard, []
        if self.cancelling:
            unheard += [said.prompt for said in self.later]
            self.later.clear()
        return unheard
