"""What `adal-ls run` puts on standard output: text, json or stream-json, as AdaL's headless mode defines them.

Source: AdaL's public headless-mode page. Text is the answer alone; json is one object; stream-json is one object a
line, `complete` last. Nothing else goes to standard output.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

from adal_ls.cli.output import give, give_json, give_json_line, say
from adal_ls.cli.screen import Screen
from adal_ls.protocol.runs import EpisodeEvent, Event, TextEvent, ToolCallEvent, ToolResultEvent

Style = Literal["text", "json", "stream-json", "agent"]
"""`agent`: text below the ids of the episode, as `adal-ls agent run` prints it."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How it ended. `answer`, `model` and `session_id` are None where it never came to a run or an answer."""

    exit_code: int
    answer: str | None = None
    model: str | None = None
    session_id: str | None = None
    error: str | None = None


class Output(Protocol):
    """One of the three formats."""

    def event(self, event: Event) -> None:
        """An event of the run, as it comes."""

    def end(self, ending: Ending) -> None:
        """The end; nothing comes after it."""


def output_of(style: Style, screen: Screen) -> Output:
    if style == "text":
        return _Text(screen)
    if style == "agent":
        return _Agent(screen)
    return _Json() if style == "json" else _StreamJson()


class _Text:
    """The answer alone, at the end; at a terminal as it comes, and not a second time."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._streamed: list[str] = []

    def event(self, event: Event) -> None:
        if isinstance(event, TextEvent) and self._screen.streams:
            self._streamed.append(event.delta)
            self._screen.stream(event.delta)
        elif isinstance(event, ToolCallEvent):
            self._streamed.clear()

    def end(self, ending: Ending) -> None:
        self._screen.end_line()
        if ending.answer is not None and ending.answer != "".join(self._streamed):
            give(ending.answer)
        if ending.error is not None:
            say(f"Error: {ending.error}")


class _Agent(_Text):
    """Source: the tool-providers command line (`agent run`)."""

    def event(self, event: Event) -> None:
        if isinstance(event, EpisodeEvent):
            give(f"agentCallId {event.agent_call_id}")
            give(f"memoryScope {event.memory_scope}")
        super().event(event)


class _Json:
    def event(self, event: Event) -> None:
        """One object comes at the end."""

    def end(self, ending: Ending) -> None:
        result: dict[str, Any] = {
            "success": ending.exit_code == 0,
            "answer": ending.answer,
            "model": ending.model,
            "session_id": ending.session_id,
            "exit_code": ending.exit_code,
        }
        if ending.error is not None:
            result["error"] = ending.error
        give_json(result)


class _StreamJson:
    def event(self, event: Event) -> None:
        if isinstance(event, ToolCallEvent) and event.status == "pending":
            give_json_line({"type": "tool_call", "name": event.tool, "args": event.arguments})
        elif isinstance(event, ToolResultEvent):
            give_json_line({"type": "tool_result", "name": event.tool, "status": event.status})

    def end(self, ending: Ending) -> None:
        if ending.answer is not None:
            give_json_line({"type": "answer", "content": ending.answer})
        if ending.error is not None:
            give_json_line({"type": "error", "message": ending.error})
        give_json_line(
            {
                "type": "complete",
                "exit_code": ending.exit_code,
                "session_id": ending.session_id,
                "model": ending.model,
            }
        )
