"""What a session shows itself on: a terminal with prompt_toolkit, or plain lines."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol


class Face(Protocol):
    """Shows text; what comes while a question is open is shown after its answer. Texts may hold anything."""

    def say(self, text: str) -> None:
        """Lines for the person."""

    def stream(self, text: str) -> None:
        """A piece of the model's text."""

    def end_line(self) -> None:
        """The model's text ends here."""

    def question(self) -> AbstractContextManager[None]:
        """Holds everything else back, so that the question stays the last thing to be seen."""
