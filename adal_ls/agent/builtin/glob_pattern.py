"""Patterns of file names: `*`, `?`, `[ab]`, `**` for any number of folders, `{a,b}`. Pure; no pattern takes long."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence

_MOST_ALTERNATIVES = 64
_LONGEST = 1000


class BadPatternError(ValueError):
    """The pattern cannot be used; the text says why."""


class GlobPattern:
    """One pattern, for paths given by their components."""

    def __init__(self, pattern: str) -> None:
        """Raises `BadPatternError`."""
        if len(pattern) > _LONGEST:
            raise BadPatternError(f"the pattern is longer than {_LONGEST} characters")
        if pattern.startswith("/") or ".." in pattern.split("/"):
            raise BadPatternError("the pattern is relative to the folder: it cannot start with '/' or have '..' in it")
        self._alternatives = [_segments(text) for text in _expand(pattern)]

    def matches(self, parts: Sequence[str]) -> bool:
        """Whether the whole path matches; `*` and `?` stay in one component, case matters."""
        return any(_matches(segments, parts) for segments in self._alternatives)


_Segment = re.Pattern[str] | None  # None: `**`


def _segments(pattern: str) -> list[_Segment]:
    out: list[_Segment] = []
    for text in (text for text in pattern.split("/") if text not in ("", ".")):
        if text != "**":
            # fnmatch's expressions do not go back over a `*`, so a name cannot make them slow.
            out.append(re.compile(fnmatch.translate(text)))
        elif not out or out[-1] is not None:
            out.append(None)
    return out


def _matches(segments: Sequence[_Segment], parts: Sequence[str]) -> bool:
    """Which numbers of components the segments so far can stand for, one segment after another."""
    reached = {0}
    for segment in segments:
        if segment is None:
            reached = set(range(min(reached), len(parts) + 1)) if reached else set()
        else:
            reached = {at + 1 for at in reached if at < len(parts) and segment.match(parts[at])}
    return len(parts) in reached


def _expand(pattern: str) -> list[str]:
    """The patterns without braces that a pattern with braces stands for."""
    done: list[str] = []
    pending = [pattern]
    while pending:
        text = pending.pop()
        found = re.search(r"\{([^{}]*)\}", text)
        if found is None:
            done.append(text)
        else:
            pending += [text[: found.start()] + part + text[found.end() :] for part in found.group(1).split(",")]
        if len(done) + len(pending) > _MOST_ALTERNATIVES:
            raise BadPatternError(f"the braces stand for more than {_MOST_ALTERNATIVES} patterns")
    return done
