"""`adal-ls chat`: the command, and which face the session gets."""

from __future__ import annotations

import asyncio
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import click

from adal_ls.agent.projects import trust, unsaved
from adal_ls.agent.store.store import Store, StoreError
from adal_ls.cli.chat import plain
from adal_ls.cli.chat.commands import COMMANDS, EndSession, perform, show_end_of
from adal_ls.cli.chat.face import Face
from adal_ls.cli.chat.session import Session
from adal_ls.cli.headless import not_trusted
from adal_ls.cli.interrupts import interrupts
from adal_ls.cli.output import Failure, is_terminal, reason
from adal_ls.cli.project import project_option
from adal_ls.cli.reading import Reader, TerminalReader
from adal_ls.cli.run_options import RunOptions, run_options
from adal_ls.cli.screen import Screen
from adal_ls.cli.stored import last_id, whole_id
from adal_ls.cli.terminal import TerminalApprover
from adal_ls.sdk.errors import AdalError

_KILLED = 130


@click.command("chat")
@click.argument("prompt", required=False)
@click.option("-r", "--resume", metavar="[RUN]", is_flag=False, flag_value="", help="Go on with a run; else the last.")
@click.option("--continue", "last", is_flag=True, help="Go on with the last run of the project.")
@run_options
@project_option
def command(prompt: str | None, resume: str | None, last: bool, project: Path, **given: Any) -> int:
    """Talk with the agent at the terminal; PROMPT is the first thing said.

    You are asked before a tool runs. /help lists the commands of a session. Ctrl-C cancels what the agent does, Ctrl-D
    ends the session; `adal-ls chat -r` goes on with it.
    """
    options = RunOptions(**given)
    resumed = "" if last and not resume else resume
    if resumed is not None and (fixed := options.only_for_new_runs()):
        raise click.UsageError(
            f"A run keeps what it was started with: {', '.join(fixed)} cannot be given with --resume."
        )
    options.start_params("", project)  # what is wrong with them is told before anything begins
    trusted = options.trusted or trust.is_trusted(project)
    if not trusted and any((project / ".adal").glob("*.py")):
        raise Failure(not_trusted(project))
    if options.trusted:
        unsaved.confirm(project)
    try:
        store = Store.open(project)
        try:
            return asyncio.run(_chat(options, project, store, prompt, resumed, trusted=trusted))
        finally:
            store.close()
    except (StoreError, ValueError) as fault:
        raise Failure(str(fault)) from fault
    except OSError as fault:
        raise Failure(reason(fault)) from fault


async def _chat(
    options: RunOptions, project: Path, store: Store, prompt: str | None, resumed: str | None, *, trusted: bool
) -> int:
    can_ask = is_terminal(sys.stdin) and is_terminal(sys.stderr)
    if can_ask and is_terminal(sys.stdout) and os.environ.get("TERM") != "dumb":
        chat: _Chat = _AtConsole(options, project, store, trusted=trusted)
    else:
        chat = _Plain(options, project, store, trusted=trusted, can_ask=can_ask)
    try:
        return await chat.run(prompt, resumed)
    finally:
        await chat.session.close()


class _Chat(ABC):
    """A session from its greeting to its goodbye."""

    session: Session
    face: Face

    @abstractmethod
    async def run(self, prompt: str | None, resumed: str | None) -> int:
        """Goes on until the person leaves. Returns the exit code."""

    def _greet(self, resumed: str | None) -> None:
        session = self.session
        self.face.say(f"adal-ls chat in {session.project}. /help lists commands.")
        if resumed is not None:
            store, project = session.store, session.project
            run_id = whole_id(store, resumed, project) if resumed else last_id(store, project)
            show_end_of(session.take_up(run_id), self.face)
        if session.shown_model == "offline":
            self.face.say("No model is chosen: offline makes the calls you write, such as list_files(). See /model.")

    def _hear(self, line: str) -> None:
        """One line of the person's: a command, or a prompt.

        Raises:
            EndSession: they want to leave.
        """
        if line.startswith("/"):
            perform(line, self.session, self.face)
            return
        try:
            self.session.prompt(line)
        except (AdalError, StoreError, ValueError, PermissionError) as fault:
            self.face.say(f"Error: {fault}")

    def _goodbye(self) -> str | None:
        run_id = self.session.run_id
        return None if run_id is None else f"To go on: adal-ls chat -r {run_id[:8]}"


class _AtConsole(_Chat):
    def __init__(self, options: RunOptions, project: Path, store: Store, *, trusted: bool) -> None:
        from adal_ls.cli.chat.console import Console

        self.face = console = Console(self._toolbar, self._interrupted, self._completions)
        self._console = console
        self._killed = False
        self.session = Session(
            options,
            project,
            store,
            console,
            lambda arguments: TerminalApprover(str(project), arguments, console, console),
            trusted=trusted,
        )

    async def run(self, prompt: str | None, resumed: str | None) -> int:
        self._greet(resumed)
        if prompt:
            self._hear(prompt)
        try:
            async with aclosing(self._console.lines()) as lines:
                async for line in lines:
                    self._hear(line)
        except EndSession:
            pass
        if self._killed:
            os._exit(_KILLED)  # the terminal is restored; tools end with this process
        if self.session.busy:
            self.session.cancel()
            await self.session.idle()
        if (goodbye := self._goodbye()) is not None:
            self.face.say(goodbye)
        return 0

    def _toolbar(self) -> str:
        session = self.session
        run = "new conversation" if session.run_id is None else session.run_id[:8]
        doing = session.doing() or "Enter sends, Alt-Enter: new line, /help"
        return f"{session.shown_model} · {session.mode} · {run} · {doing}"

    def _interrupted(self) -> None:
        if self.session.cancelling and self.session.busy:
            self._killed = True
            self._console.end()
        elif self.session.busy:
            self.session.cancel()
        else:
            self.face.say("Ctrl-D ends the session.")

    def _completions(self, text: str) -> Iterable[tuple[str, str]]:
        name, space, argument = text[1:].partition(" ")
        if not space:
            return [(f"/{other}", known.help) for other, known in COMMANDS.items() if other.startswith(name)]
        command = COMMANDS.get(name)
        values = command.values(self.session) if command is not None and command.values is not None else ()
        return [(value, "") for value in values if value.startswith(argument)]


class _Plain(_Chat):
    def __init__(self, options: RunOptions, project: Path, store: Store, *, trusted: bool, can_ask: bool) -> None:
        self.face = screen = Screen()
        reader: Reader = TerminalReader()
        self.session = Session(
            options,
            project,
            store,
            screen,
            lambda arguments: TerminalApprover(str(project), arguments, screen, reader) if can_ask else None,
            trusted=trusted,
        )

    async def run(self, prompt: str | None, resumed: str | None) -> int:
        self._greet(resumed)
        try:
            if prompt:
                await self._episode(prompt)
            async for line in plain.lines():
                await self._episode(line)
        except EndSession:
            pass
        if (goodbye := self._goodbye()) is not None:
            self.face.say(goodbye)
        return 0

    async def _episode(self, line: str) -> None:
        """One line, to the end of what it begins; Ctrl-C cancels that, a second one ends the process."""
        self._hear(line)
        with interrupts(lambda _: self.session.cancel(), lambda number: os._exit(128 + number)):
            await self.session.idle()
