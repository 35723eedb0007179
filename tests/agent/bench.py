"""A workspace with tools and a runtime on it, for tests that run agents."""

from __future__ import annotations

import asyncio
import json
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from adal_ls.agent.approvals.approval import Approver
from adal_ls.agent.runs.runtime import Runtime
from adal_ls.agent.store.store import Store
from adal_ls.protocol.host import HostSettings
from adal_ls.protocol.runs import (
    DecisionEvent,
    ErrorEvent,
    FinishedEvent,
    NoticeEvent,
    RunStartParams,
    RunUpdate,
    TextEvent,
    ToolCallEvent,
    ToolResultEvent,
)
from adal_ls.protocol.tools import Project

E = TypeVar("E")

ECHO = '''
def echo(text: str) -> str:
    """Give the text back."""
    return text


def now() -> str:
    """Tell the time."""
    return "12:00"


CUSTOM_TOOLS = [{"function": echo, "require_approval": False}, {"function": now, "require_approval": False}]
'''

BUMP = '''
from pathlib import Path


def bump(tag: str) -> str:
    """Count one run."""
    p = Path("runs.txt")
    p.write_text((p.read_text() if p.exists() else "") + tag + "\\n")
    return "ok " + tag


CUSTOM_TOOLS = [bump]
'''


AGENTS_HEAD = """
from pathlib import Path
from adal_ls import (InvalidContextError, ToolSummary, combine_tool_providers, create_runtime, create_tool_provider,
    create_workspace_tool_provider, mcp_tool_provider)

ROOT = Path(__file__).parent.parent

def note(text):
    with (ROOT / "log.txt").open("a", encoding="utf-8") as log:
        log.write(str(text) + "\\n")

def free(function):
    return {"function": function, "require_approval": False}

runtime = create_runtime()
"""
"""What `Bench.agents` puts first."""


class Bench:
    """One workspace, one runtime, everything it said."""

    def __init__(self, root: Path, store: Store) -> None:
        self.root = root
        self.store = store
        self.updates: list[RunUpdate] = []
        self.projects: list[Project] = []
        self.runtime: Runtime | None = None
        self._changed = asyncio.Event()

    def tools(self, text: str) -> None:
        (self.root / ".adal").mkdir(exist_ok=True)
        (self.root / ".adal" / "tools.py").write_text(text, encoding="utf-8")

    def agents(self, text: str) -> None:
        """Writes `.adal/agents.py`, below what most of them import."""
        (self.root / ".adal").mkdir(exist_ok=True)
        (self.root / ".adal" / "agents.py").write_text(AGENTS_HEAD + textwrap.dedent(text), encoding="utf-8")

    def log(self) -> list[str]:
        """What the project's code wrote down with `note(...)`, line by line."""
        path = self.root / "log.txt"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def script(self, *turns: dict[str, Any]) -> str:
        """The model id of a script of these turns (JSON is YAML)."""
        (self.root / "script.yaml").write_text(json.dumps(list(turns)), encoding="utf-8")
        return "script:script.yaml"

    def open(self, approver: Approver | None = None, *, trusted: bool = True, **settings: Any) -> Runtime:
        self.runtime = Runtime(
            store=self.store,
            settings=HostSettings(**settings),
            approver=approver,
            on_update=self._heard,
            on_project=self.projects.append,
            trusted=trusted,
            roots=[self.root],
        )
        return self.runtime

    async def run(self, *turns: dict[str, Any], approver: Approver | None = None, **params: Any) -> FinishedEvent:
        """One scripted run from start to end."""
        runtime = self.runtime or self.open(approver)
        run_id = runtime.start(RunStartParams(**{"prompt": "go", "model": self.script(*turns), **params}))
        return await asyncio.wait_for(runtime.wait(run_id), 60)

    async def load(self) -> Project:
        """Loads the project, as a save in the editor does."""
        return await asyncio.wait_for((self.runtime or self.open()).load(self.root), 60)

    async def until(self, seen: Callable[[RunUpdate], bool]) -> RunUpdate:
        """The first update, past or to come, for which `seen` holds."""
        checked = 0
        while True:
            for update in self.updates[checked:]:
                checked += 1
                if seen(update):
                    return update
            self._changed.clear()
            await asyncio.wait_for(self._changed.wait(), 30)

    def events(self, kind: type[E]) -> list[E]:
        return [update.event for update in self.updates if isinstance(update.event, kind)]

    def results(self) -> list[ToolResultEvent]:
        return self.events(ToolResultEvent)

    def observation(self, call_id: str) -> str:
        (result,) = (result for result in self.results() if result.call_id == call_id)
        return result.observation

    def decisions(self) -> dict[str, DecisionEvent]:
        return {event.call_id: event for event in self.events(DecisionEvent)}

    def calls(self, call_id: str) -> list[ToolCallEvent]:
        return [event for event in self.events(ToolCallEvent) if event.call_id == call_id]

    def notices(self) -> str:
        return "\n".join(event.text for event in self.events(NoticeEvent))

    def errors(self) -> list[ErrorEvent]:
        return self.events(ErrorEvent)

    def text(self) -> str:
        return "".join(event.delta for event in self.events(TextEvent))

    def _heard(self, update: RunUpdate) -> None:
        self.updates.append(update)
        self._changed.set()


def call(name: str, call_id: str, arguments: object = None) -> dict[str, Any]:
    """One call of a scripted turn."""
    return {"name": name, "id": call_id, "arguments": {} if arguments is None else arguments}


def dedent(text: str) -> str:
    return textwrap.dedent(text).lstrip("\n")
