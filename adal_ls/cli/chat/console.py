"""A session at a terminal, with prompt_toolkit: one input line at the bottom, everything else above it."""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import click
from prompt_toolkit import PromptSession
from prompt_toolkit.application import Application, in_terminal
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import FileHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.styles import Style

from adal_ls.agent.files.paths import data_dir, make_private
from adal_ls.agent.store.secret_values import SecretValues
from adal_ls.cli.output import printable
from adal_ls.cli.reading import kept_settings

_TAIL = 400
"""Characters of a line of the model's that is not ended yet, as far as it is shown."""

_STYLE = Style.from_dict({"prompt": "bold", "bottom-toolbar": "noreverse fg:ansibrightblack"})


class Console:
    """The terminal: a `Face` to show on and a `Reader` of answers. What is sent at a question answers it."""

    def __init__(
        self,
        toolbar: Callable[[], str],
        interrupted: Callable[[], None],
        commands: Callable[[str], Iterable[tuple[str, str]]],
    ) -> None:
        """`interrupted` is told of Ctrl-C; `commands` gives what a line may become, with what it is."""
        self._held: list[Callable[[], None]] | None = None
        self._partial = ""
        self._question: str | None = None
        self._answer: asyncio.Future[str | None] | None = None
        self._set_aside = ""
        self._above: _Above | None = None
        self._interrupted = interrupted
        self._history = _History(self)
        self._prompt: PromptSession[str] = PromptSession(
            message=self._message,
            multiline=True,
            prompt_continuation="· ",
            history=self._history,
            key_bindings=self._keys(),
            completer=_Commands(commands, self),
            complete_while_typing=True,
            bottom_toolbar=lambda: f" {printable(toolbar())}",
            refresh_interval=0.5,
            style=_STYLE,
        )

    async def lines(self) -> AsyncGenerator[str, None]:
        """What the person sends, until they end the session. Answers to questions are not among it."""
        self._above = above = _Above(self._prompt.app)
        with contextlib.redirect_stdout(above), contextlib.redirect_stderr(above):
            while True:
                default, self._set_aside = ("", self._set_aside) if self._asking else (self._set_aside, "")
                try:
                    text = await self._prompt.prompt_async(default=default)
                except EOFError:
                    if not self._asking:
                        above.draw()
                        return
                    self._give(None)
                    continue
                if self._asking:
                    self._give(text)
                elif text.strip():
                    yield text.strip() if text.startswith("/") else text.rstrip()

    def end(self) -> None:
        """Ends `lines` from outside."""
        if self._prompt.app.is_running:
            self._prompt.app.exit(exception=EOFError)

    def say(self, text: str) -> None:
        self._draw(lambda: click.echo(printable(text)))

    def stream(self, text: str) -> None:
        def draw() -> None:
            self._partial += printable(text)
            whole, ended, rest = self._partial.rpartition("\n")
            if ended:
                click.echo(whole)
                self._partial = rest
            self._prompt.app.invalidate()

        self._draw(draw)

    def end_line(self) -> None:
        def draw() -> None:
            if self._partial:
                click.echo(self._partial)
                self._partial = ""

        self._draw(draw)

    @contextmanager
    def question(self) -> Iterator[None]:
        self.end_line()
        self._held = []
        try:
            yield
        finally:
            held, self._held = self._held, None
            for draw in held:
                draw()

    async def line(self, prompt: str) -> str | None:
        """An answer: the next line that is sent. What was typed before is set aside, and comes back afterwards."""
        if self._above is not None:
            # The question is there before anything can be an answer to it. Whole: by itself only those characters are
            # written that differ from the line before, and who listens to a terminal hears what is written.
            self._above.draw(whole=True)
        buffer = self._prompt.default_buffer
        if buffer.text:
            self._set_aside = buffer.text
            buffer.reset()
        self._question = prompt
        self._answer = asyncio.get_running_loop().create_future()
        self._prompt.app.invalidate()
        try:
            return await self._answer
        finally:
            self._question = self._answer = None
            if self._set_aside and self._prompt.app.is_running:
                buffer.document = Document(self._set_aside)
                self._set_aside = ""
            self._prompt.app.invalidate()

    @asynccontextmanager
    async def lent(self) -> AsyncIterator[None]:
        if self._above is not None:
            self._above.draw()
            self._above.held = True
        try:
            async with in_terminal(), kept_settings():
                yield
        finally:
            if self._above is not None:
                self._above.held = False
                self._above.draw()

    @property
    def _asking(self) -> bool:
        return self._answer is not None and not self._answer.done()

    def _give(self, text: str | None) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(None if text is None else text.strip())

    def _draw(self, draw: Callable[[], None]) -> None:
        if self._held is None:
            draw()
        else:
            self._held.append(draw)

    def _message(self) -> StyleAndTextTuples:
        parts: StyleAndTextTuples = []
        if self._partial and self._held is None:
            cut = "…" if len(self._partial) > _TAIL else ""
            parts.append(("", f"{cut}{self._partial[-_TAIL:]}\n"))
        parts.append(("class:prompt", "> " if self._question is None else printable(self._question)))
        return parts

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        @keys.add("enter")
        def send(event: KeyPressEvent) -> None:
            event.current_buffer.validate_and_handle()

        @keys.add("escape", "enter")
        @keys.add("escape", "c-j")  # typed before the terminal was ready for keys
        def begin_line(event: KeyPressEvent) -> None:
            event.current_buffer.insert_text("\n")

        @keys.add("c-c")
        @keys.add(Keys.SIGINT)
        def interrupt(event: KeyPressEvent) -> None:
            event.current_buffer.reset()
            self._interrupted()

        return keys


class _History(FileHistory):
    """Prompts of all sessions, for the person alone. No answers to questions, and no secrets."""

    def __init__(self, console: Console) -> None:
        self._console = console
        folder = data_dir()
        make_private(folder)
        file = folder / "chat_history"
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
        Path(file).chmod(0o600)
        super().__init__(file)

    def append_string(self, string: str) -> None:
        if not self._console._asking:
            super().append_string(SecretValues(os.environ).redact(string))


class _Commands(Completer):
    """Completes commands and their arguments."""

    def __init__(self, commands: Callable[[str], Iterable[tuple[str, str]]], console: Console) -> None:
        self._commands = commands
        self._console = console

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:  # noqa: ARG002
        text = document.text_before_cursor
        if self._console._asking or not text.startswith("/") or "\n" in document.text:
            return
        begun = text.rpartition(" ")[2]
        for line, about in self._commands(text):
            yield Completion(line, start_position=-len(begun), display_meta=about)


class _Above(io.TextIOBase):
    """Where everything is printed meanwhile: above the input line, which is drawn again below it.

    Not `run_in_terminal`: that takes the terminal out of raw mode for each line, and keys typed then go astray.
    """

    encoding = "utf-8"

    def __init__(self, app: Application[str]) -> None:
        self._app = app
        self._terminal = sys.stdout
        self._loop = asyncio.get_running_loop()
        self._pending: list[str] = []
        self.held = False

    def isatty(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError("text is written here, no bytes")  # click tries what a stream takes
        if text:
            self._pending.append(text)
            if len(self._pending) == 1:
                self._loop.call_soon_threadsafe(self.draw)
        return len(text)

    def draw(self, *, whole: bool = False) -> None:
        """All that was written can be seen now, unless it is `held`. `whole`: the input line is drawn anew at least."""
        if self.held or not (self._pending or whole):
            return
        written, self._pending = "".join(self._pending), []
        running = self._app.is_running
        if running:
            self._app.renderer.erase()
        self._terminal.write(written)
        self._terminal.flush()
        if running:
            self._app.renderer.reset()
            self._app.renderer.request_absolute_cursor_position()
            self._app.invalidate()
