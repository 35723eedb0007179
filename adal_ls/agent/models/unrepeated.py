"""The text of an answer that is made a second time, without what the first try has already shown. Pure."""

from __future__ import annotations


class Unrepeated:
    """`rest` takes the second answer piece by piece and gives what of it is still to be shown."""

    def __init__(self, shown: str) -> None:
        self._shown = shown
        self._at: int | None = 0 if shown else None
        """How much of `shown` came again; None: all there is to leave out has been left out."""

    def rest(self, text: str) -> str:
        if self._at is None:
            return text
        expected = self._shown[self._at :]
        if len(text) < len(expected) and expected.startswith(text):
            self._at += len(text)
            return ""
        repeated, self._at = self._at, None
        if text.startswith(expected):
            return text[len(expected) :]
        # Another answer than the one that broke off: it stands as a whole in a paragraph of its own.
        return f"\n\n{self._shown[:repeated]}{text}"
