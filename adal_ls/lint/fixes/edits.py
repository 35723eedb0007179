"""Edits that fixes are made of."""

from __future__ import annotations

import re

from adal_ls.lint.findings import TextEdit
from adal_ls.lint.reading.text import Lines, Range

_LITERAL = re.compile(r"""[rRbBuU]*("{3}|'{3}|"|')(?P<content>(?:(?!\1)[^\\]|\\.)*)\1""", re.DOTALL)


def replace_string(lines: Lines, literal: Range, content: str) -> TextEdit:
    """Give a string literal another content (without quotes and backslashes in it); quotes and prefix stay."""
    source = lines.slice(literal)
    match = _LITERAL.fullmatch(source)
    if match is None:  # several literals side by side
        quote = "'" if "'" in source and '"' not in source else '"'
        return TextEdit(literal, f"{quote}{content}{quote}")
    start = lines.offset(literal.start)
    return TextEdit(lines.range(start + match.start("content"), start + match.end("content")), content)
