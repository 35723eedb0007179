"""Approvals at a terminal: shows one call completely, and waits for a choice."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from adal_ls.agent.approvals.answers import problem_with
from adal_ls.agent.approvals.digest import canonical
from adal_ls.cli.argument_editing import Draft, edit
from adal_ls.cli.output import say
from adal_ls.cli.question import show_choices, show_edited, show_request
from adal_ls.cli.reading import Reader
from adal_ls.protocol.approvals import ApprovalAnswer, ApprovalOption, ApprovalRequest, ApprovalResolved

_KINDS: dict[str, str] = {"allow_once": "y", "allow_always": "a", "reject_once": "n", "reject_always": "x"}
_SAID = {
    "y": "Allow once",
    "a": "Always allow: what and for how long comes next",
    "e": "Edit the arguments first",
    "n": "Deny; you may say why",
    "x": "Always deny exactly this, until this session ends",
}
_BACK = "Back to the question"

_SETTLING = 20
"""Turns of the loop in which the answer before may settle a question, so that it need not be shown at all."""


class Shown(Protocol):
    """Where questions are shown."""

    def say(self, text: str) -> None:
        """Lines for the person."""

    def question(self) -> AbstractContextManager[None]:
        """Holds everything else back."""


class TerminalApprover:
    """Asks on standard error, reads from `reader`. Calls that wait at the same time are asked about one by one."""

    def __init__(
        self, folder: str, arguments_of: Callable[[str], dict[str, Any]], screen: Shown, reader: Reader
    ) -> None:
        """`arguments_of` gives the full arguments of an approval that is too large to carry them."""
        self._folder = folder
        self._arguments_of = arguments_of
        self._screen = screen
        self._reader = reader
        self._turn = asyncio.Lock()
        self._resolved = asyncio.Event()
        self._resolved.set()
        self._shown: set[str] = set()

    async def ask(self, request: ApprovalRequest) -> ApprovalAnswer:
        async with self._turn:
            await self._resolved.wait()
            for _ in range(_SETTLING):  # turns, not time: a slow machine needs no more of them
                await asyncio.sleep(0)
            self._resolved.clear()
            with self._screen.question():
                return await self._ask(request)

    async def _ask(self, request: ApprovalRequest) -> ApprovalAnswer:
        self._shown.add(request.approval_id)
        arguments = request.arguments
        if arguments is None:
            arguments = self._arguments_of(request.approval_id)
        keys = _keys(request.options)
        while True:
            show_request(request, arguments, self._folder)
            key = await self._key({key: _SAID[key] for key in keys})
            if key is None:
                return _answer(request, None)
            if key == "e":
                edited = await self._edited(request, arguments)
                if edited is not None:
                    return _answer(request, keys["y"][0], updated_input=edited)
                continue
            option = keys[key][0] if key != "a" else await self._remembered(keys["a"])
            if option is not None:
                break
        feedback = None
        if option.kind.startswith("reject"):
            feedback = await self._reader.line("Reason for the agent (Enter for none): ")
        return _answer(request, option, feedback=feedback or None)

    def resolved(self, resolved: ApprovalResolved) -> None:
        if resolved.approval_id not in self._shown:
            return
        self._resolved.set()
        if resolved.reason == "cancelled":
            self._screen.say("Denied, because the run is cancelled: this call was not run.")
        elif resolved.reason == "withdrawn":
            self._screen.say("No answer is needed any more: a remembered one covers this call.")

    async def _remembered(self, options: Sequence[ApprovalOption]) -> ApprovalOption | None:
        """What is allowed from now on, and for how long; None: back to the question."""
        by_rule: dict[str, list[ApprovalOption]] = {}
        for option in options:
            by_rule.setdefault(option.covers or "", []).append(option)
        rules = {str(number): _scope(same[0]) for number, same in enumerate(by_rule.values(), 1)}
        say("  Always allow")
        key = await self._key({**rules, "b": _BACK})
        if key in (None, "b"):
            return None
        lives = {(option.life or "workspace")[0]: option for option in list(by_rule.values())[int(key or 0) - 1]}
        say("  From now on")
        key = await self._key({**{life: option.rule or option.label for life, option in lives.items()}, "b": _BACK})
        return lives.get(key or "b")

    async def _edited(self, request: ApprovalRequest, arguments: dict[str, Any]) -> dict[str, Any] | None:
        """Arguments that the person made of these, and allowed; None: back to the question."""
        schema = request.input_schema or {"type": "object"}
        draft = Draft.of(arguments)
        while True:
            draft = await edit(draft, schema, self._reader)
            problem = draft.problem or problem_with(draft.arguments, schema)
            if problem is not None:
                say(f"The tool does not take this: {problem}")
                answer = await self._key({"e": "Edit again", "b": _BACK})
            elif canonical(draft.arguments) == canonical(arguments):
                say("Nothing is changed.")
                return None
            else:
                show_edited(request.tool, arguments, draft.arguments, self._folder)
                answer = await self._key({"y": "Allow once, as edited", "e": "Edit again", "b": _BACK})
            if answer == "y":
                return draft.arguments
            if answer != "e":
                return None

    async def _key(self, choices: Mapping[str, str]) -> str | None:
        """The key that the person chose, None where the input has ended. Enter alone never is one."""
        show_choices(choices)
        *others, last = choices
        wanted = f"Choose {', '.join(others)} or {last}: "
        while True:
            line = await self._reader.line(wanted)
            if line is None or line.lower() in choices:
                return None if line is None else line.lower()
            say(f"'{line}' is none of the choices." if line else "Enter alone chooses nothing: type one of these.")


def _keys(options: Sequence[ApprovalOption]) -> dict[str, list[ApprovalOption]]:
    """What may be typed, and the options that it leads to."""
    of_kind = {kind: [option for option in options if option.kind == kind] for kind in _KINDS}
    keys = {_KINDS[kind]: found for kind, found in of_kind.items() if found}
    return {key: keys.get(key, []) for key in _SAID if key in keys or key == "e"}


def _scope(option: ApprovalOption) -> str:
    """What an option covers, without how long."""
    return (option.rule or option.label).rpartition("; ")[0] or option.label


def _answer(
    request: ApprovalRequest,
    option: ApprovalOption | None,
    *,
    feedback: str | None = None,
    updated_input: dict[str, Any] | None = None,
) -> ApprovalAnswer:
    return ApprovalAnswer(
        approval_id=request.approval_id,
        args_digest=request.args_digest,
        outcome="cancelled" if option is None else "selected",
        option_id=None if option is None else option.option_id,
        updated_input=updated_input,
        feedback=feedback,
    )
