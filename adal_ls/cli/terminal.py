"""Approvals at a terminal: shows one call completely, and waits for a choice."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from adal_ls.agent.preview import pretty
from adal_ls.cli.output import printable, say
from adal_ls.cli.screen import Screen
from adal_ls.protocol.approvals import ApprovalAnswer, ApprovalOption, ApprovalRequest, ApprovalResolved
from adal_ls.workspace import uris

_LETTERS: dict[str, str] = {"allow_once": "y", "reject_once": "n"}
"""What may be typed instead of a number, for the two answers that are not remembered."""

_SETTLING = 20
"""Turns of the loop in which the answer before may settle a question, so that it need not be shown at all."""

_GUTTER = "  │ "
"""Before every line that a model or a file wrote, so that none of them can pass for a line of ours."""


class TerminalApprover:
    """Asks on standard error, reads standard input. Calls that wait at the same time are asked about one by one."""

    def __init__(self, folder: str, arguments_of: Callable[[str], dict[str, Any]], screen: Screen) -> None:
        """`arguments_of` gives the full arguments of an approval that is too large to carry them."""
        self._folder = folder
        self._arguments_of = arguments_of
        self._screen = screen
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
        show_call(request.tool, arguments, self._folder, "Run this?", _details(request, self._folder))
        if request.preview is not None and request.preview.diff:
            say("  changes")
            _quote(request.preview.diff)
        _show_options(request.options)
        option = await _choose(request.options)
        if option is None:
            return _answer(request, None, None)
        feedback = None
        if option.kind.startswith("reject"):
            feedback = await read_line("Reason for the agent (Enter for none): ")
        return _answer(request, option, feedback or None)

    def resolved(self, resolved: ApprovalResolved) -> None:
        if resolved.approval_id not in self._shown:
            return
        self._resolved.set()
        if resolved.reason == "cancelled":
            self._screen.say("Denied, because the run is cancelled: this call was not run.")
        elif resolved.reason == "withdrawn":
            self._screen.say("No answer is needed any more: a remembered one covers this call.")


def show_call(tool: str, arguments: dict[str, Any], folder: str, question: str, details: list[str]) -> None:
    """A call in full on standard error: the tool and folder last, because long arguments scroll."""
    click.echo("", err=True)
    click.echo(click.style(f"{question} {printable(tool)}", bold=True), err=True)
    command = arguments.get("command")
    if tool == "bash" and isinstance(command, str):
        _quote(command)
    else:
        _quote(pretty(arguments))
    for line in [f"in folder {folder}", *details]:
        say(f"  {line}")


def _quote(text: str) -> None:
    for line in printable(text).split("\n"):
        click.echo(f"{_GUTTER}{line}", err=True)


def _details(request: ApprovalRequest, folder: str) -> list[str]:
    lines = list(request.risk)
    if request.source is not None:
        path = uris.to_path(request.source.uri) or request.source.uri
        with contextlib.suppress(ValueError):  # elsewhere: the whole path
            path = str(Path(path).relative_to(folder))
        lines.append(f"defined at {path}:{request.source.range.start.line + 1}")
    return lines


def _show_options(options: list[ApprovalOption]) -> None:
    for number, option in enumerate(options, 1):
        rule = f" – {option.rule}" if option.rule else ""
        letter = f" ({_LETTERS[option.kind]})" if option.kind in _LETTERS else ""
        say(f"  [{number}] {option.label}{letter}{rule}")


async def _choose(options: list[ApprovalOption]) -> ApprovalOption | None:
    """The chosen option; None where the input has ended."""
    while True:
        line = await read_line(f"Choose 1 to {len(options)}: ")
        if line is None:
            return None
        if line.isdecimal() and 1 <= int(line) <= len(options):
            return options[int(line) - 1]
        lettered = [option for option in options if _LETTERS.get(option.kind) == line.lower()]
        if lettered:  # an empty line is none: Enter alone must never allow anything
            return lettered[0]
        say(f"'{line}' is none of the choices.")


def _answer(request: ApprovalRequest, option: ApprovalOption | None, feedback: str | None) -> ApprovalAnswer:
    return ApprovalAnswer(
        approval_id=request.approval_id,
        args_digest=request.args_digest,
        outcome="cancelled" if option is None else "selected",
        option_id=None if option is None else option.option_id,
        feedback=feedback,
    )


async def read_line(prompt: str) -> str | None:
    """One line from the terminal without its end, None at the end of input. Can be cancelled."""
    _forget_typed()
    click.echo(printable(prompt), nl=False, err=True)
    line = await (_line_in_thread() if sys.platform == "win32" else _line_when_ready())
    return None if not line else line.strip()


def _forget_typed() -> None:
    """Drops what was typed before the question was shown: it cannot be an answer to it."""
    if sys.platform != "win32":
        import termios

        with contextlib.suppress(termios.error):  # not a terminal, as in tests
            termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


async def _line_when_ready() -> str:
    # A thread that waits in `read` could not be cancelled, and would hold the process at its end.
    loop = asyncio.get_running_loop()
    descriptor = sys.stdin.fileno()
    typed = bytearray()
    while not typed.endswith(b"\n"):
        ready = asyncio.Event()
        loop.add_reader(descriptor, ready.set)
        try:
            await ready.wait()
        finally:
            loop.remove_reader(descriptor)
        chunk = os.read(descriptor, 4096)
        if not chunk:
            break
        typed += chunk
    return typed.decode(sys.stdin.encoding or "utf-8", "replace")


async def _line_in_thread() -> str:
    loop = asyncio.get_running_loop()
    line: asyncio.Future[str] = loop.create_future()

    def give(text: str) -> None:
        if not line.cancelled():
            line.set_result(text)

    def read() -> None:
        text = sys.stdin.readline()
        # The loop may be closed by the time somebody presses Enter.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(give, text)

    threading.Thread(target=read, name="read the terminal", daemon=True).start()
    return await line
