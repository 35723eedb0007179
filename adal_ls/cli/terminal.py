"""Approvals at a terminal: shows one call completely, and waits for a choice."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Literal, Protocol

from adal_ls.agent.answers import problem_with
from adal_ls.agent.digest import canonical
from adal_ls.cli.argument_editing import Draft, edit
from adal_ls.cli.output import say
from adal_ls.cli.question import LETTERS, show_edited, show_request
from adal_ls.cli.reading import Reader
from adal_ls.protocol.approvals import ApprovalAnswer, ApprovalOption, ApprovalRequest, ApprovalResolved

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
        while True:
            show_request(request, arguments, self._folder)
            option = await self._choose(request.options)
            if option != "edit":
                break
            edited = await self._edited(request, arguments)
            if edited is not None:
                once = next(option for option in request.options if option.kind == "allow_once")
                return _answer(request, once, updated_input=edited)
        if option is None:
            return _answer(request, None)
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

    async def _choose(self, options: list[ApprovalOption]) -> ApprovalOption | Literal["edit"] | None:
        """The chosen option; None where the input has ended."""
        while True:
            line = await self._reader.line(f"Choose 1 to {len(options)}: ")
            if line is None:
                return None
            if line.isdecimal() and 1 <= int(line) <= len(options):
                return options[int(line) - 1]
            if line.lower() == "e":
                return "edit"
            lettered = [option for option in options if LETTERS.get(option.kind) == line.lower()]
            if lettered:  # an empty line is none: Enter alone must never allow anything
                return lettered[0]
            say(f"'{line}' is none of the choices.")

    async def _edited(self, request: ApprovalRequest, arguments: dict[str, Any]) -> dict[str, Any] | None:
        """Arguments that the person made of these, and allowed; None: back to the question."""
        schema = request.input_schema or {"type": "object"}
        draft = Draft.of(arguments)
        while True:
            draft = await edit(draft, schema, self._reader)
            problem = draft.problem or problem_with(draft.arguments, schema)
            if problem is not None:
                say(f"The tool does not take this: {problem}")
                say("  [e] Edit again\n  [b] Back to the question")
                answer = await self._letter("Choose e or b: ", "eb")
            elif canonical(draft.arguments) == canonical(arguments):
                say("Nothing is changed.")
                return None
            else:
                show_edited(request.tool, arguments, draft.arguments, self._folder)
                answer = await self._letter("Choose y, e or b: ", "yeb")
            if answer == "y":
                return draft.arguments
            if answer != "e":
                return None

    async def _letter(self, prompt: str, letters: str) -> str | None:
        """One of `letters`, None where the input has ended. Enter alone is none of them."""
        while True:
            line = await self._reader.line(prompt)
            if line is None:
                return None
            if len(line) == 1 and line.lower() in letters:
                return line.lower()
            say(f"'{line}' is none of the choices.")


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
