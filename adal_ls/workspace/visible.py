"""Makes every character of a text that is about to be approved visible."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

# Other (control, format, surrogate, private use, unassigned), and separators that look like nothing or like a space.
_HIDDEN = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))

# Letters and marks by category, blank or without a shape of their own on screen.
_BLANK = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
    + "".join(map(chr, [*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)]))
)


def escaped(text: str, *, keep: str = "\n") -> str:
    """`text` with control, bidirectional and invisible characters as `\\u{1b}`, but those in `keep`."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if char in keep or not _hidden(char) else f"\\u{{{ord(char):x}}}" for char in text)


def arguments(value: Any) -> str:
    """The JSON of tool arguments, complete, one member a line."""
    return escaped(json.dumps(value, ensure_ascii=False, indent=2))


def _hidden(char: str) -> bool:
    if char in _BLANK or unicodedata.category(char) in _HIDDEN:
        return True
    return unicodedata.category(char) == "Zs" and char != " "
