"""The difference of two texts as edits of whole lines."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import pairwise

from adal_ls.lint.findings import TextEdit
from adal_ls.lint.reading.text import Lines

_COMPARED = 5_000
"""Lines between the first and the last difference up to which single hunks are looked for; that costs their square."""


def hunks(before: str, after: str) -> tuple[TextEdit, ...]:
    """Edits that make `after` of `before`: lines that are equal are not touched, so that cursors and folds stay."""
    lines = Lines(before)
    old, new = _split(before), _split(after)
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    tail = 0
    while tail < min(len(old), len(new)) - first and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    changed_old, changed_new = old[first : len(old) - tail], new[first : len(new) - tail]
    if len(changed_old) + len(changed_new) > _COMPARED:
        blocks = [(0, len(changed_old), 0, len(changed_new))]
    else:
        matcher = SequenceMatcher(None, changed_old, changed_new, autojunk=False)
        blocks = [block for tag, *block in matcher.get_opcodes() if tag != "equal"]  # type: ignore[misc]
    starts = [*lines.starts, len(before)]
    return tuple(
        TextEdit(lines.range(starts[first + a], starts[first + b]), "".join(changed_new[c:d])) for a, b, c, d in blocks
    )


def _split(text: str) -> list[str]:
    """The lines with their ends; the last one has none."""
    starts = [*Lines(text).starts, len(text)]
    return [text[a:b] for a, b in pairwise(starts)]
