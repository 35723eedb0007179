"""Which known name a mistyped one stands for."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator

_SLIP = 2
"""Letters that one slip adds, drops or changes, side by side."""
_FEW = 200
"""So many names are compared letter by letter; more would take milliseconds at every key."""
_LAST = "\U0010ffff"


class KnownNames:
    """Names that a mistyped one may stand for, sorted from both ends: before a slip a name begins as it should, and
    behind it it ends so. Few names share both with a word, so that thousands are not looked at."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = sorted({*names})
        self._backwards = sorted(name[::-1] for name in self._names)

    def __contains__(self, name: str) -> bool:
        return _has(self._names, name)

    def add(self, name: str) -> None:
        if name not in self:
            insort(self._names, name)
            insort(self._backwards, name[::-1])

    def discard(self, name: str) -> None:
        if name in self:
            del self._names[bisect_left(self._names, name)]
            del self._backwards[bisect_left(self._backwards, name[::-1])]

    def nearest(self, word: str, cutoff: float = 0.7) -> str | None:
        """The name that is one slip away from `word`, else the most similar one of a few; None where none is near."""
        close = {*self._close(word)}
        if close or len(self._names) > _FEW:
            return min(close, key=lambda name: (_differing(word, name), name), default=None)
        from difflib import get_close_matches  # only a file with a slip pays for the import

        return next(iter(get_close_matches(word, self._names, n=1, cutoff=cutoff)), None)

    def _close(self, word: str) -> Iterator[str]:
        """All names that are one slip away."""
        for cut in range(len(word) + 1):
            for behind in range(cut, min(cut + _SLIP, len(word)) + 1):
                before, after = word[:cut], word[behind:]
                kept = len(before) + len(after)
                begin, end = _starting(self._names, before)
                first, last = _starting(self._backwards, after[::-1])
                if end - begin <= last - first:
                    found = [name for name in self._names[begin:end] if name.endswith(after)]
                else:
                    turned = before[::-1]
                    found = [name[::-1] for name in self._backwards[first:last] if name.endswith(turned)]
                for name in found:
                    if kept <= len(name) <= kept + _SLIP and min(len(name), len(word)) > 2 * _SLIP:
                        yield name


def _starting(names: list[str], start: str) -> tuple[int, int]:
    """Which of some sorted names begin so."""
    begin = bisect_left(names, start)
    return begin, bisect_left(names, start + _LAST, lo=begin) if start else len(names)


def _has(names: list[str], name: str) -> bool:
    at = bisect_left(names, name)
    return at < len(names) and names[at] == name


def _differing(word: str, name: str) -> int:
    """Letters between what both begin with and what both end with."""
    shortest, start = min(len(word), len(name)), 0
    while start < shortest and word[start] == name[start]:
        start += 1
    end = 0
    while end < shortest - start and word[-1 - end] == name[-1 - end]:
        end += 1
    return max(len(word), len(name)) - start - end
