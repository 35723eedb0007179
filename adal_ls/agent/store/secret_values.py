"""Secrets of the environment, found by their values: what is stored or told carries their names in their place.

A tool may print a key, a model may repeat one, a command may hold one. Whatever name such a variable has, it is its
value that must not stay in a transcript, in a log or in output that somebody keeps.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pydantic import TypeAdapter

from adal_ls.protocol.runs import Event, FinishedEvent, TextEvent, ToolProgressEvent, ToolResultEvent

SHORTEST = 8
"""Characters of the shortest value that counts: shorter ones stand in ordinary text by chance."""

_SHORTEST_LINE = 20  # of a value with several lines, such as a private key
_KEY_LIKE = re.compile(
    r"(?:^|_)(?:SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|API_?KEY|ACCESS_?KEY)S?(?:_|$)"
    r"|(?:^|_)(?:KEY|AUTH|PAT|PWD)S?(?:_?\d+)?$",
    re.IGNORECASE,
)
_NO_SECRETS = frozenset({"PWD", "OLDPWD"})
_URL_PASSWORD = re.compile(r"\A[a-z][a-z0-9+.-]*://[^/\s:@]*:([^/\s@]+)@", re.IGNORECASE)
_WORDS = frozenset({"type", "status", "state", "decision", "mode", "callId", "argsDigest", "stopReason", "optionKind"})
"""Fields of events that hold one of a few words of ours."""

_REDACTED = "[redacted "

_EVENT: TypeAdapter[Event] = TypeAdapter(Event)


class SecretValues:
    """The secrets that an environment holds, as it is now."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._names = dict(_secrets(environ))
        # The longest first: one may be the beginning of another.
        ordered = sorted(self._names, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, ordered))) if ordered else None
        self._longest = max(map(len, ordered), default=0)

    def __bool__(self) -> bool:
        return self._pattern is not None

    def redact(self, text: str) -> str:
        """`text` with `[redacted NAME]` for each secret."""
        return text if self._pattern is None else self._pattern.sub(self._name, text)

    def redact_value(self, value: Any) -> Any:
        """The same for every text in a JSON value, keys included."""
        return value if self._pattern is None else self._walk(value)

    def redact_event(self, event: Event) -> Event:
        if self._pattern is None:
            return event
        wire = event.wire()
        clean = self._walk(wire, _WORDS)
        return event if clean == wire else _EVENT.validate_python(clean)

    def split(self, text: str) -> tuple[str, str]:
        """What of a stream's text can be told, redacted, and its end that may be the beginning of a secret."""
        if self._pattern is None:
            return text, ""
        done = 0
        for match in self._pattern.finditer(text):
            whole = match.end() == len(text) and self._begins(match.group())
            done = match.start() if whole else match.end()
        for start in range(max(done, len(text) - self._longest), len(text)):
            if self._begins(text[start:]):
                return self.redact(text[:start]), text[start:]
        return self.redact(text), ""

    def _begins(self, text: str) -> bool:
        return any(len(secret) > len(text) and secret.startswith(text) for secret in self._names)

    def _name(self, match: re.Match[str]) -> str:
        return f"{_REDACTED}{self._names[match.group()]}]"

    def _walk(self, value: Any, words: frozenset[str] = frozenset()) -> Any:
        if isinstance(value, str):
            return self.redact(value)
        if isinstance(value, list):
            return [self._walk(part, words) for part in value]
        if isinstance(value, dict):
            return {
                self.redact(key): part
                if key in words
                else self._walk(part, frozenset() if key == "arguments" else words)
                for key, part in value.items()
            }
        return value


def is_redacted(text: str) -> bool:
    """Whether a secret was taken out of `text`, so that it is no longer what it was."""
    return _REDACTED in text


class RedactedEvents:
    """The events of one run on their way to the store and to whoever watches, without secrets.

    Text comes in pieces, and a secret may come in two of them: an end that may begin one waits for what follows.
    """

    def __init__(self, secrets: SecretValues) -> None:
        self._secrets = secrets
        self._held: dict[str | None, str] = {}

    def pass_on(self, event: Event) -> Iterator[Event]:
        """What may be told now: `event`, after what was held back before it."""
        if not self._secrets:
            yield event
        elif isinstance(event, TextEvent):
            if told := self._piece(None, event.delta):
                yield TextEvent(delta=told)
        elif isinstance(event, ToolProgressEvent):
            if told := self._piece(event.call_id, event.text):
                yield ToolProgressEvent(call_id=event.call_id, text=told)
        else:
            yield from self._rest(event)
            yield self._secrets.redact_event(event)

    def _piece(self, stream: str | None, text: str) -> str:
        told, held = self._secrets.split(self._held.pop(stream, "") + text)
        if held:
            self._held[stream] = held
        return told

    def _rest(self, event: Event) -> Iterator[Event]:
        """What was held back of the streams that `event` ends: the text, and the output of the call it belongs to."""
        for stream in list(self._held):
            if stream is None:
                yield TextEvent(delta=self._secrets.redact(self._held.pop(None)))
            elif isinstance(event, FinishedEvent) or (isinstance(event, ToolResultEvent) and event.call_id == stream):
                yield ToolProgressEvent(call_id=stream, text=self._secrets.redact(self._held.pop(stream)))


def _secrets(environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Each text that stands for a secret, and the variable's name."""
    for name, value in environ.items():
        password = _URL_PASSWORD.match(value)
        if password is not None:
            yield from _spellings(password.group(1), name)
        if _KEY_LIKE.search(name) and name.upper() not in _NO_SECRETS and not _is_plain(value):
            yield from _spellings(value, name)


def _is_plain(value: str) -> bool:
    """A number or the path of a file is nothing to hide, whatever its variable is called (MAX_TOKENS)."""
    return value.isdecimal() or (Path(value).is_absolute() and os.path.exists(value))  # noqa: PTH110 - takes any text


def _spellings(value: str, name: str) -> Iterator[tuple[str, str]]:
    value = value.strip()
    texts = [value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1], quote(value, safe="")]
    for text in dict.fromkeys(texts):
        if len(text) >= SHORTEST:
            yield text, name
    lines = value.splitlines()
    if len(lines) > 1:
        for line in map(str.strip, lines):
            if len(line) >= _SHORTEST_LINE:
                yield line, name
