"""Long texts that were opened: read a little at a time, so that the editor is answered in between."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

from adal_ls.server.diagnostics.analysis import is_known, read_in_steps, without_collections
from adal_ls.server.documents.documents import Document
from adal_ls.workspace import uris

if TYPE_CHECKING:
    from adal_ls.lint import Config, Resolve

SLICE = 0.01
"""Seconds of lint after which messages of the editor have their turn."""


class Opening:
    """One version of a text that is being read. Edits that are made meanwhile are followed when it is."""

    def __init__(self, document: Document, config: Config, steps: Generator[None, None, None]) -> None:
        self.document = document
        self.config = config
        self.begun = False
        self.glanced = False
        """Whether the client was told what a glance at the text tells."""
        self.waiting: list[Callable[[], None]] = []
        self._steps = steps

    def go_on(self, seconds: float) -> bool:
        """Reads on for some time. Whether all is read."""
        until = time.perf_counter() + seconds
        with without_collections():
            for _ in self._steps:
                if time.perf_counter() > until:
                    return False
        return True


class Openings:
    """The texts that are being read, by the spelling of their URIs. All methods are for the main thread."""

    def __init__(self) -> None:
        self._under_way: dict[str, Opening] = {}
        self._released: list[Callable[[], None]] = []

    def are_left(self) -> bool:
        """Whether there is anything to go on with."""
        return bool(self._under_way or self._released)

    def begin(self, document: Document, config: Config, resolve: Resolve | None) -> bool:
        """Begins to read a text, unless it is known or follows from one that is. Whether it is being read."""
        key = uris.spelling(document.uri)
        known = self._under_way.get(key)
        if known is not None:
            if known.document.trail is document.trail and known.config == config:
                return True
            self.drop(document.uri)
        if is_known(document, config):
            return False
        self._under_way[key] = Opening(document, config, read_in_steps(document, config, resolve))
        return True

    def read_at_once(self, document: Document) -> bool:
        """Reads as much of a text as it gets time for, if nothing of it was read yet. Whether that was all."""
        opening = self._under_way.get(uris.spelling(document.uri))
        return opening is not None and not opening.begun and self._slice(uris.spelling(document.uri), opening)

    def glances(self, document: Document) -> bool:
        """Whether to glance at a text that is being read: once."""
        opening = self._under_way[uris.spelling(document.uri)]
        glanced, opening.glanced = opening.glanced, True
        return not glanced

    def go_on(self) -> tuple[Opening, bool] | None:
        """Reads a little of the text that was opened last. Returns it, and whether all of it is read; None where
        there is none."""
        self._release()
        if not self._under_way:
            return None
        key, opening = next(reversed(self._under_way.items()))
        done = self._slice(key, opening)
        self._release()  # before a request that came later is answered
        return opening, done

    def _release(self) -> None:
        released, self._released = self._released, []
        for action in released:
            action()

    def _slice(self, key: str, opening: Opening) -> bool:
        del self._under_way[key]  # first: a fault in it must not come again and again
        opening.begun = True
        done = False
        try:
            done = opening.go_on(SLICE)
            if not done:
                self._under_way[key] = opening
        finally:
            if key not in self._under_way:
                self._released += opening.waiting
        return done

    def finish(self, document: Document) -> None:
        """Somebody has to know now what is in a text: reads the rest of it."""
        opening = self._under_way.pop(uris.spelling(document.uri), None)
        if opening is not None:
            self._released += opening.waiting
            if opening.document.trail is document.trail:
                opening.go_on(float("inf"))

    def drop(self, uri: str) -> None:
        """A text was closed, or is another one now."""
        opening = self._under_way.pop(uris.spelling(uri), None)
        if opening is not None:
            self._released += opening.waiting

    def has(self, uri: str) -> bool:
        return uris.spelling(uri) in self._under_way

    def when_read(self, uri: str, action: Callable[[], None]) -> None:
        """Runs `action` once the text is read: at once where nothing is left to read. It must not raise."""
        opening = self._under_way.get(uris.spelling(uri))
        if opening is None:
            action()
        else:
            opening.waiting.append(action)
