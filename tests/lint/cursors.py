"""Sources with a cursor: `$0` stands where it is, and is taken out."""

from __future__ import annotations

from adal_ls.lint import Lines, Position


def at_cursor(source: str) -> tuple[str, Position]:
    """The source without its cursor, and the cursor's place."""
    offset = source.index("$0")
    text = source[:offset] + source[offset + 2 :]
    return text, Lines(text).position(offset)
