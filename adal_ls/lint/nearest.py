"""Which known name a mistyped one stands for."""

from __future__ import annotations

from collections.abc import Collection

_SLIP = 2
"""Letters that one slip adds, drops or changes, side by side."""
_FEW = 200
"""So many names are compared letter by letter; more would take milliseconds at every key."""


def nearest(word: str, known: Collection[str], cutoff: float = 0.7) -> str | None:
    """The name that is one slip away from `word`, else the most similar one of a few; None where none is near."""
    close = sorted((name for name in known if _one_slip(word, name)), key=lambda name: (_differing(word, name), name))
    if close or len(known) > _FEW:
        return close[0] if close else None
    from difflib import get_close_matches  # only a file with a slip pays for the import

    return next(iter(get_close_matches(word, sorted(known), n=1, cutoff=cutoff)), None)


def _one_slip(word: str, name: str) -> bool:
    shortest = min(len(word), len(name))
    if abs(len(word) - len(name)) > _SLIP or shortest <= 2 * _SLIP:
        return False
    # Most names differ at both ends from the word: that is seen without counting.
    return (word[:_SLIP] == name[:_SLIP] or word[-_SLIP:] == name[-_SLIP:]) and _differing(word, name) <= _SLIP


def _differing(word: str, name: str) -> int:
    """Letters between what both begin with and what both end with."""
    shortest, start = min(len(word), len(name)), 0
    while start < shortest and word[start] == name[start]:
        start += 1
    end = 0
    while end < shortest - start and word[-1 - end] == name[-1 - end]:
        end += 1
    return max(len(word), len(name)) - start - end
