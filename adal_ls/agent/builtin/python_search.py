"""Our own search, for machines without ripgrep or without a sandbox for it. The same lines as ripgrep would give."""

from __future__ import annotations

import codecs
import re
import threading
import time
from collections.abc import Sequence

import regex

from adal_ls.agent.builtin import walk
from adal_ls.agent.builtin.searching import MOST_FILE_BYTES, MOST_MATCHES, MOST_PER_FILE, Found, Match, Search
from adal_ls.agent.workspaces import reach
from adal_ls.agent.workspaces.reach import Place

_BY_LINE_ALONE = re.compile(r"\\[AZzG]|[*+?}]\+")
"""Ends of the text, and repetitions that give nothing back: they mean something else in a line than in a text."""


def search(wanted: Search, files: Sequence[Place], seconds: float, abandoned: threading.Event) -> Found:
    """Searches `files` in their order. Blocking, for `seconds` at most; ends soon after `abandoned` is set."""
    pattern = regex.compile(wanted.pattern)
    anywhere = None if _BY_LINE_ALONE.search(wanted.pattern) else regex.compile(wanted.pattern, regex.MULTILINE)
    deadline = time.monotonic() + seconds
    matches: list[Match] = []
    notes: tuple[str, ...] = ()
    try:
        for place in files:
            if abandoned.is_set():
                break
            matches += _matches(pattern, anywhere, reach.shown(wanted.policy, place.real), place, deadline)
            if len(matches) > MOST_MATCHES:
                break
    except TimeoutError:
        notes = (f"[stopped after {seconds:g} seconds; give a path to look at less]",)
    return Found(tuple(matches[: MOST_MATCHES + 1]), notes)


def _matches(
    pattern: regex.Pattern[str], anywhere: regex.Pattern[str] | None, name: str, place: Place, deadline: float
) -> list[Match]:
    """`anywhere` is the pattern for a whole text: what it does not find there is in no line."""
    content = walk.read_small(place, MOST_FILE_BYTES + 1)
    if content is None or len(content) > MOST_FILE_BYTES:
        return []
    text = _decode(content)
    if text is None:
        return []
    text = text.replace("\r\n", "\n")
    # Most files have no match, and one look at the whole takes a twentieth of a look at each line.
    if anywhere is not None and not anywhere.search(text, timeout=_left(deadline)):
        return []
    found: list[Match] = []
    for number, line in enumerate(text.removesuffix("\n").split("\n"), start=1):
        plain = line.removesuffix("\r")
        if pattern.search(plain, timeout=_left(deadline)):
            found.append(Match(name, number, plain))
            if len(found) == MOST_PER_FILE:
                break
    return found


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _decode(content: bytes) -> str | None:
    """None: a binary file."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", "replace")
    if b"\0" in content:
        return None
    return content.decode("utf-8-sig", "replace") if content else None
