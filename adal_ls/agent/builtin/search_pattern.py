"""Regular expressions that a search takes: those that ripgrep takes too, and that need no memory without end. Pure."""

from __future__ import annotations

import re

import regex

_LONGEST = 2000
_LARGEST = 50_000
"""Items of an expression with its repetitions written out, as engines do: `((a{99}){99}){99}` fills a memory."""

# What ripgrep does not have (it takes no time that grows with the text), so that one pattern means one thing.
_REFUSED = re.compile(r"(?<!\\)(?:\\\\)*(?:\(\?(?:[=!>|&R(]|<[=!]|P[=>])|\\[1-9]|\\[gk][<{])")

_TOKEN = re.compile(
    r"""(?P<count>\{\s*(?P<least>[0-9]*)\s*(?P<most>,\s*[0-9]*)?\s*\})
    | (?P<atom>\\[pPxuUN]\{[^}]*\} | \\. | \[\^?\]?(?:\\.|[^\]\\])*\])
    | (?P<open>\() | (?P<close>\)) | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)


class BadSearchError(ValueError):
    """The pattern cannot be used; the text says why."""


def check(pattern: str) -> str:
    """`pattern`, if it can be searched for.

    Raises:
        BadSearchError: it cannot.
    """
    if len(pattern) > _LONGEST:
        raise BadSearchError(f"the pattern is longer than {_LONGEST} characters")
    if "\n" in pattern or "\0" in pattern:
        raise BadSearchError("the pattern is for single lines: it cannot hold a line end or NUL")
    if _REFUSED.search(pattern):
        raise BadSearchError("the pattern has a look-around or a reference back, which grep does not take")
    if _size(pattern) > _LARGEST:
        raise BadSearchError(f"the pattern repeats more than {_LARGEST:,} parts: give smaller numbers in its braces")
    try:
        regex.compile(pattern)
    except (regex.error, RecursionError) as fault:
        raise BadSearchError(f"the pattern is no regular expression: {fault}") from fault
    return pattern


def _size(pattern: str) -> int:
    """How many items a pattern has when counted repetitions are written out; it may be no regular expression."""
    groups, last = [0], 0
    for token in _TOKEN.finditer(pattern):
        if token["open"]:
            groups.append(0)
            last = 0
        elif token["count"]:
            times = max(1, *(int(number[:9]) for number in re.findall("[0-9]+", token["count"])), 1)
            groups[-1] += last * (times - 1)
            last *= times
        elif token["close"] and len(groups) > 1:
            last = groups.pop()
            groups[-1] += last
        else:
            last = 1
            groups[-1] += 1
    return sum(groups)
