"""A run's events → the conversation they tell of, for whoever takes the run up again."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

from adal_ls.agent.models.assembly import ModelCall
from adal_ls.agent.runs.history import Conversation
from adal_ls.agent.store.secret_values import is_redacted
from adal_ls.protocol.runs import (
    DecisionEvent,
    Event,
    FinishedEvent,
    PromptEvent,
    StateEvent,
    TextEvent,
    ToolCallEvent,
    ToolResultEvent,
)

NOT_EXECUTED = "interrupted: adal-ls ended before this call was run. Nothing was executed."
PERHAPS_EXECUTED = (
    "interrupted: adal-ls ended while this call was running. It may have had effects: look before you call it again."
)


@dataclass(slots=True)
class _Turn:
    """One answer of the model with its calls, as far as events told of it."""

    text: str = ""
    calls: list[ModelCall] = field(default_factory=list)
    started: set[str] = field(default_factory=set)
    results: dict[str, str] = field(default_factory=dict)


def open_questions(events: Iterable[Event]) -> list[ModelCall]:
    """The calls that waited for a person when the run was cut short: nothing was decided about them, and nothing run.

    Before the first of a turn's calls waits, those that cannot be run have been refused. A call out of whose arguments
    a secret was taken is none of them: it cannot be made as it was.
    """
    calls, asked, has_results = dict[str, ModelCall](), False, False
    for event in events:
        if isinstance(event, ToolCallEvent) and event.status == "pending":
            if has_results:
                calls, asked, has_results = {}, False, False
            calls[event.call_id] = ModelCall(event.call_id, event.tool, event.arguments)
        elif isinstance(event, ToolCallEvent | DecisionEvent | ToolResultEvent):
            calls.pop(event.call_id, None)
            has_results |= isinstance(event, ToolResultEvent)
        elif isinstance(event, StateEvent):
            asked |= event.state == "waiting_approval"
        elif isinstance(event, PromptEvent | TextEvent) or (isinstance(event, FinishedEvent) and not event.interrupted):
            calls, asked, has_results = {}, False, False
    return [call for call in calls.values() if asked and not is_redacted(json.dumps(call.arguments))]


def replay(
    conversation: Conversation,
    events: Iterable[Event],
    sent_name: Callable[[str], str],
    to_come: Collection[str] = (),
) -> list[ToolResultEvent]:
    """Adds to `conversation` what `events` tell of.

    Args:
        sent_name: the name under which a model is told of a tool.
        to_come: ids of calls of the last turn that get their results from the caller.

    Returns:
        The results that are missing because the process ended: they are in the conversation, not yet in the store.
    """
    turn, missing = _Turn(), list[ToolResultEvent]()

    def close() -> None:
        nonlocal turn
        conversation.add_answer(turn.text, turn.calls, [sent_name(call.name) for call in turn.calls])
        for call in turn.calls:
            result = turn.results.get(call.call_id)
            if result is None and call.call_id in to_come:
                continue
            if result is None:
                result = PERHAPS_EXECUTED if call.call_id in turn.started else NOT_EXECUTED
                missing.append(_lost(call, result))
            conversation.add_result(call.call_id, result)
        turn = _Turn()

    for event in events:
        if isinstance(event, PromptEvent):
            close()
            conversation.add_prompt(event.text)
        elif isinstance(event, TextEvent):
            if turn.calls:
                close()
            turn.text += event.delta
        elif isinstance(event, ToolCallEvent):
            if event.status == "in_progress":
                turn.started.add(event.call_id)
            elif event.status == "pending":
                if turn.results:
                    close()
                turn.calls.append(ModelCall(event.call_id, event.tool, event.arguments))
        elif isinstance(event, ToolResultEvent):
            turn.results[event.call_id] = event.observation
        elif isinstance(event, FinishedEvent) and not event.interrupted:
            close()
    close()
    return missing


def _lost(call: ModelCall, observation: str) -> ToolResultEvent:
    return ToolResultEvent(
        call_id=call.call_id, tool=call.name, status="cancelled", observation=observation, duration_ms=0
    )
