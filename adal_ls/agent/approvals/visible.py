"""Text with nothing hidden in it. Pure."""

from __future__ import annotations

import re

# Everything that moves the cursor, reorders text or takes no room: C0 and C1 controls (a newline inside a JSON string
# is already `\n`), soft hyphen, Arabic letter mark, Hangul fillers, zero-width and bidi characters (CVE-2021-42574),
# line and paragraph separators, invisible operators, variation selectors, BOM, interlinear annotations, lone
# surrogates, and the tag block that smuggles text to models.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd\U00013430-\U0001345f"  # of single scripts
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\ue000-\uf8ff\U000f0000-\U0010ffff]"  # private use: whatever a font makes of it
)

_BLANK = re.compile("[\xa0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]")
"""What looks like a space and is none to a shell: `rm\\u{a0}x` is one word."""


def visible(text: str, *, blanks: bool = False) -> str:
    r"""`text` with control, bidi and invisible characters written as `\u{1b}`; newline and tab stay as they are.

    Escaped, not stripped: what is shown must be what is executed. `blanks`: other spaces stay too, in names of files
    that a model is to write down again.
    """
    shown = _HIDDEN.sub(_escape, text)
    return shown if blanks else _BLANK.sub(_escape, shown)


def _escape(found: re.Match[str]) -> str:
    return f"\\u{{{ord(found.group()):x}}}"
