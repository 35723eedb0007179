"""One episode: ask the model, run its calls, answer them, until an answer, a limit, a cancel or an error."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from adal_ls.agent import gate
from adal_ls.agent.approvals.digest import canonical
from adal_ls.agent.gate import CallResult, GateContext
from adal_ls.agent.models.assembly import CallAssembly, ModelCall
from adal_ls.agent.models.printed_calls import printed_call
from adal_ls.agent.models.stream import (
    AgainDelta,
    CallDelta,
    ChatMessage,
    FinishDelta,
    Model,
    ModelError,
    TextDelta,
    ToolSpec,
    UsageDelta,
)
from adal_ls.agent.runs.batch import TextBatch
from adal_ls.agent.runs.context_window import ContextWindow
from adal_ls.agent.runs.history import Conversation, cut, sound
from adal_ls.agent.runs.limits import Limits, TimeIsUpError
from adal_ls.agent.runs.registry import ToolRegistry
from adal_ls.naming import provider_alias
from adal_ls.protocol.runs import (
    ErrorEvent,
    Event,
    FinishedEvent,
    NoticeEvent,
    PromptEvent,
    TextEvent,
    ToolCallEvent,
    ToolResultEvent,
    UsageEvent,
)

STOPPED = "Stopped: "
"""How the notice begins that says why an episode ends at a limit; nothing but its end comes after it."""

MAX_IDENTICAL_TURNS = 8
"""Turns in a row with the very same calls after which the episode stops: the model goes in circles."""

_INCOMPLETE = {
    "length": "The answer ends here because the model's output limit was reached.",
    "content_filter": "The provider's content filter ended the answer.",
    "dropped": "The connection to the model ended before the answer was complete.",
}

_NO_CALLS = "{model} said that it calls tools and sent no call, so nothing was run: choose a model made for tools."

_PRINTED = (
    "The answer looks like a call of {name} that was written as text, so nothing was run. {model}, or the server that "
    "runs it, does not deliver tool calls: choose a model made for tools, or switch them on at the server (Ollama: "
    "ollama_chat/… in place of ollama/…)."
)


@dataclass(slots=True)
class Episode:
    """The state of one episode. `emit` stores an event and passes it on; `full` is the text of a cut observation.

    `heard` gives the prompts that came since it was asked last: the person steers a run that is going on. `reopened`
    are calls of an earlier episode that still have no result: they come first.
    """

    model: Model
    conversation: Conversation
    context: GateContext
    emit: Callable[[Event], None]
    store_result: Callable[[ToolResultEvent, str | None], None]
    limits: Limits = field(default_factory=Limits)
    heard: Callable[[], Sequence[str]] = tuple
    reopened: Sequence[ModelCall] = ()
    window: ContextWindow = field(default_factory=ContextWindow)
    said_left_out: bool = field(default=False, init=False)
    last_turn: tuple[str, ...] = field(default=(), init=False)
    turns_alike: int = field(default=0, init=False)
    unfinished: str = field(default="", init=False)
    """What the model had said of the answer that it did not end."""

    async def run(self) -> FinishedEvent:
        """Goes on until the episode ends. A cancel of the task ends it as `cancelled`; the history stays valid."""
        try:
            return await self.limits.timed(
                self._steps(), waiting=lambda: self.context.waiting > 0, over=self._time_is_up
            )
        except asyncio.CancelledError:
            return FinishedEvent(stop_reason="cancelled")
        except TimeIsUpError:
            return self._limit(self._out_of_time())
        except ModelError as error:
            self.emit(ErrorEvent(code=error.code, message=error.message))
            return FinishedEvent(stop_reason="error", answer=self.unfinished or None)

    async def _steps(self) -> FinishedEvent:
        if self.reopened:
            await self._answer(self.reopened)
        for _ in range(self.limits.steps):
            if (why := self.limits.over_cost) is not None:
                return self._limit(why)
            self._listen()
            text, calls, finish = await self._ask()
            names = [self._sent_name(call.name) for call in calls]
            self.conversation.add_answer(text, calls, names)
            if calls:
                for call in calls:
                    self._announce(call)
                await self._answer(calls)
                if self._goes_in_circles(calls):
                    return self._limit(f"the model made the same calls {MAX_IDENTICAL_TURNS} times in a row")
            elif not self._listen():
                self._remark(text, finish)
                return FinishedEvent(stop_reason="end_turn", answer=text)
        return self._limit(f"the limit of {self.limits.steps} model requests is reached")

    def _listen(self) -> bool:
        """Takes in what the person said meanwhile; whether there was anything."""
        prompts = self.heard()
        for prompt in prompts:
            self.emit(PromptEvent(text=prompt))
            self.conversation.add_prompt(prompt)
        return bool(prompts)

    def _remark(self, text: str, finish: str) -> None:
        """What a person should know about the answer that ends the episode."""
        if finish in _INCOMPLETE:
            self.emit(NoticeEvent(text=_INCOMPLETE[finish]))
        elif finish == "tool_calls":
            self.emit(NoticeEvent(text=_NO_CALLS.format(model=self.model.name)))
        elif not text.strip():
            self.emit(NoticeEvent(text=f"{self.model.name} answered with no text and no call."))
        names = [tool["function"]["name"] for tool in self.context.registry.specs(any_name=self.model.any_name)]
        if (name := printed_call(text, names)) is not None:
            self.emit(NoticeEvent(text=_PRINTED.format(name=name, model=self.model.name)))

    def _out_of_time(self) -> str:
        return f"the time limit of {self.limits.seconds:g} s is reached"

    def _time_is_up(self) -> None:
        self.context.cancelled = f"cancelled: {self._out_of_time()}"

    def _limit(self, why: str) -> FinishedEvent:
        self.emit(NoticeEvent(text=f"{STOPPED}{why}."))
        return FinishedEvent(stop_reason="limit")

    async def _ask(self) -> tuple[str, list[ModelCall], str]:
        """One model request: its text, its calls and why it ended."""
        self.unfinished = ""
        while True:
            self.window.tokens = self.model.context_tokens
            messages, left_out = self.window.fit(self.conversation.messages)
            if left_out is not None and not self.said_left_out:
                self.said_left_out = True
                self.emit(NoticeEvent(text=f"The conversation is longer than the model takes: {left_out}."))
            try:
                return await self._request(messages)
            except ModelError as error:
                # Nothing was said yet: the very same request, shorter.
                if error.code != "context_window" or self.unfinished or not self.window.refused():
                    raise

    async def _request(self, messages: list[ChatMessage]) -> tuple[str, list[ModelCall], str]:
        batch = TextBatch(lambda delta: self.emit(TextEvent(delta=delta)))
        specs = self.context.registry.specs(any_name=self.model.any_name)
        assembly, finish = self._assembly(specs), "dropped"
        try:
            async with aclosing(self.model.stream(messages, specs)) as stream:
                async for delta in stream:
                    if isinstance(delta, TextDelta):
                        batch.add(delta.text)
                        batch.check()
                    elif isinstance(delta, CallDelta):
                        assembly.add(delta)
                    elif isinstance(delta, FinishDelta):
                        finish = delta.reason
                    elif isinstance(delta, AgainDelta):
                        assembly, finish = self._assembly(specs), "dropped"
                        batch.flush()
                        self.emit(NoticeEvent(text=delta.why))
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

    def _assembly(self, specs: Sequence[ToolSpec]) -> CallAssembly:
        return CallAssembly(self.conversation.call_ids, [spec["function"]["name"] for spec in specs])

    def _use(self, usage: UsageDelta) -> None:
        self.window.counted(usage.input_tokens)
        if usage.cost is None and self.limits.cost is not None and not self.limits.unpriced:
            self.emit(NoticeEvent(text=f"The price of {self.model.name} is unknown: the cost limit cannot hold."))
        self.limits.paid(usage.cost)
        self.emit(UsageEvent(input_tokens=usage.input_tokens, output_tokens=usage.output_tokens, cost=usage.cost))

    async def _answer(self, calls: Sequence[ModelCall]) -> None:
        """Runs the calls of one turn side by side; results are shown as they come and answered in order."""
        begun: set[str] = set()
        tasks = [asyncio.ensure_future(self._one(call, begun)) for call in calls]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for call, task in zip(calls, tasks, strict=True):
                if call.call_id not in begun and not self.context.interrupted:
                    # Cancelled before its first step, so it could not say so itself.
                    self._show(call, CallResult("cancelled", self.context.cancelled))
                done = not task.cancelled() and task.exception() is None
                self.conversation.add_result(call.call_id, task.result() if done else self.context.cancelled)

    async def _one(self, call: ModelCall, begun: set[str]) -> str:
        """Runs one call and emits its one result; returns what the model sees."""
        begun.add(call.call_id)
        try:
            result = await gate.execute(call, self.context)
        except asyncio.CancelledError:
            if not self.context.interrupted or call.call_id in self.context.started:
                self._show(call, CallResult("cancelled", self.context.cancelled))
            raise
        except Exception as fault:
            self._show(call, CallResult("error", f"The call failed inside adal-ls: {fault}"))
            raise
        return self._show(call, result)

    def _announce(self, call: ModelCall) -> None:
        self.emit(
            ToolCallEvent(
                call_id=call.call_id, tool=self._own_name(call.name), arguments=call.arguments, status="pending"
            )
        )

    def _show(self, call: ModelCall, result: CallResult) -> str:
        # What a person took to answer is no time of the tool.
        began = self.context.started.get(call.call_id)
        took = 0.0 if began is None else round((time.monotonic() - began) * 1000, 3)
        observation = sound(result.observation)
        seen = cut(observation)
        event = ToolResultEvent(
            call_id=call.call_id,
            tool=self._own_name(call.name),
            status=result.status,
            observation=seen,
            display=_bounded(result.display),
            printed=_bounded(result.printed),
            duration_ms=result.duration_ms or took,
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
        return sent_name(sent, self.context.registry, any_name=self.model.any_name)


def sent_name(name: str, registry: ToolRegistry, *, any_name: bool) -> str:
    """The name a history may carry: the alias of a known tool; of an unknown one what a provider takes."""
    known = registry.find(name)
    if known is not None:
        return known.name if any_name else known.alias
    return _harmless(name)


def _bounded(text: str | None) -> str | None:
    """Text for the person as one event can carry it."""
    return None if text is None else cut(sound(text))


def _harmless(name: str) -> str:
    return provider_alias(name) if name else "unnamed"
