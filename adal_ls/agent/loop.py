"""One episode: ask the model, run its calls, answer them, until an answer, a limit, a cancel or an error."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from adal_ls.agent import gate
from adal_ls.agent.assembly import CallAssembly, ModelCall
from adal_ls.agent.batch import TextBatch
from adal_ls.agent.digest import canonical
from adal_ls.agent.gate import CallResult, GateContext
from adal_ls.agent.history import Conversation, cut, sound
from adal_ls.agent.stream import CallDelta, FinishDelta, Model, ModelError, TextDelta, UsageDelta
from adal_ls.naming import provider_alias
from adal_ls.protocol.runs import (
    ErrorEvent,
    Event,
    FinishedEvent,
    NoticeEvent,
    TextEvent,
    ToolCallEvent,
    ToolResultEvent,
    UsageEvent,
)

MAX_STEPS = 20
"""Model requests of one episode."""

STOPPED = "Stopped: "
"""How the notice begins that says why an episode ends at a limit; nothing but its end comes after it."""

MAX_IDENTICAL_TURNS = 8
"""Turns in a row with the very same calls after which the episode stops: the model goes in circles."""

_INCOMPLETE = {
    "length": "The answer ends here because the model's output limit was reached.",
    "content_filter": "The provider's content filter ended the answer.",
    "dropped": "The connection to the model ended before the answer was complete.",
}


@dataclass(slots=True)
class Episode:
    """The state of one episode. `emit` stores an event and passes it on; `full` is the text of a cut observation."""

    model: Model
    conversation: Conversation
    context: GateContext
    emit: Callable[[Event], None]
    store_result: Callable[[ToolResultEvent, str | None], None]
    max_steps: int = MAX_STEPS
    last_turn: tuple[str, ...] = field(default=(), init=False)
    turns_alike: int = field(default=0, init=False)
    unfinished: str = field(default="", init=False)
    """What the model had said of the answer that it did not end."""

    async def run(self) -> FinishedEvent:
        """Goes on until the episode ends. A cancel of the task ends it as `cancelled`; the history stays valid."""
        try:
            return await self._steps()
        except asyncio.CancelledError:
            return FinishedEvent(stop_reason="cancelled")
        except ModelError as error:
            self.emit(ErrorEvent(code=error.code, message=error.message))
            return FinishedEvent(stop_reason="error", answer=self.unfinished or None)

    async def _steps(self) -> FinishedEvent:
        for _ in range(self.max_steps):
            text, calls, finish = await self._ask()
            names = [self._sent_name(call.name) for call in calls]
            self.conversation.add_answer(text, calls, names)
            if not calls:
                if finish in _INCOMPLETE:
                    self.emit(NoticeEvent(text=_INCOMPLETE[finish]))
                return FinishedEvent(stop_reason="end_turn", answer=text)
            await self._answer(calls)
            if self._goes_in_circles(calls):
                return self._limit(f"the model made the same calls {MAX_IDENTICAL_TURNS} times in a row")
        return self._limit(f"the limit of {self.max_steps} model requests is reached")

    def _limit(self, why: str) -> FinishedEvent:
        self.emit(NoticeEvent(text=f"{STOPPED}{why}."))
        return FinishedEvent(stop_reason="limit")

    async def _ask(self) -> tuple[str, list[ModelCall], str]:
        """One model request: its text, its calls and why it ended."""
        assembly = CallAssembly(self.conversation.call_ids)
        batch = TextBatch(lambda delta: self.emit(TextEvent(delta=delta)))
        finish = "dropped"
        specs = self.context.registry.specs(any_name=self.model.any_name)
        try:
            async with aclosing(self.model.stream(self.conversation.messages, specs)) as stream:
                async for delta in stream:
                    if isinstance(delta, TextDelta):
                        batch.add(delta.text)
                    elif isinstance(delta, CallDelta):
                        assembly.add(delta)
                    elif isinstance(delta, FinishDelta):
                        finish = delta.reason
                    else:
                        self._use(delta)
        except (asyncio.CancelledError, ModelError):
            # What was said stays in the history; calls that are not whole were never made.
            self.unfinished = batch.text
            self.conversation.add_answer(batch.text, [], [])
            raise
        finally:
            batch.flush()
        return batch.text, assembly.finish(finish), finish

    def _use(self, usage: UsageDelta) -> None:
        self.emit(UsageEvent(input_tokens=usage.input_tokens, output_tokens=usage.output_tokens, cost=usage.cost))

    async def _answer(self, calls: Sequence[ModelCall]) -> None:
        """Runs the calls of one turn side by side; results are shown as they come and answered in order."""
        for call in calls:
            self._announce(call)
        tasks = [asyncio.ensure_future(self._one(call)) for call in calls]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for call, task in zip(calls, tasks, strict=True):
                done = not task.cancelled() and task.exception() is None
                self.conversation.add_result(call.call_id, task.result() if done else self.context.cancelled)

    async def _one(self, call: ModelCall) -> str:
        """Runs one call and emits its one result; returns what the model sees."""
        began = time.monotonic()
        try:
            result = await gate.execute(call, self.context)
        except asyncio.CancelledError:
            self._show(call, CallResult("cancelled", self.context.cancelled), began)
            raise
        except Exception as fault:
            self._show(call, CallResult("error", f"The call failed inside adal-ls: {fault}"), began)
            raise
        return self._show(call, result, began)

    def _announce(self, call: ModelCall) -> None:
        self.emit(
            ToolCallEvent(
                call_id=call.call_id, tool=self._own_name(call.name), arguments=call.arguments, status="pending"
            )
        )

    def _show(self, call: ModelCall, result: CallResult, began: float) -> str:
        observation = sound(result.observation)
        seen = cut(observation)
        event = ToolResultEvent(
            call_id=call.call_id,
            tool=self._own_name(call.name),
            status=result.status,
            observation=seen,
            display=_bounded(result.display),
            printed=_bounded(result.printed),
            duration_ms=result.duration_ms or round((time.monotonic() - began) * 1000, 3),
            trace=_bounded(result.trace),
        )
        self.store_result(event, None if seen == observation else observation)
        return seen

    def _goes_in_circles(self, calls: Sequence[ModelCall]) -> bool:
        turn = tuple(canonical([call.name, call.arguments, call.problem]) for call in calls)
        self.turns_alike = self.turns_alike + 1 if turn == self.last_turn else 1
        self.last_turn = turn
        return self.turns_alike >= MAX_IDENTICAL_TURNS

    def _own_name(self, sent: str) -> str:
        known = self.context.registry.find(sent)
        return known.name if known is not None else sent

    def _sent_name(self, sent: str) -> str:
        """The name a history may carry: the alias of a known tool; of an unknown one what a provider takes."""
        known = self.context.registry.find(sent)
        if known is not None:
            return known.name if self.model.any_name else known.alias
        return _harmless(sent)


def _bounded(text: str | None) -> str | None:
    """Text for the person as one event can carry it."""
    return None if text is None else cut(sound(text))


def _harmless(name: str) -> str:
    return provider_alias(name) if name else "unnamed"
