"""Sections of NumPy's style: a title, a line of dashes, entries at the margin with indented texts.

Source: numpydoc, "Docstring Standard".
"""

from __future__ import annotations

import re

from adal_ls.schema.docstring_text import entry_text, indent, names

_PARAMETERS = frozenset({"parameters", "other parameters", "keyword arguments", "args", "arguments"})
_DROPPED = frozenset(
    {"returns", "yields", "receives", "raises", "warns", "attributes", "methods", "return", "yield", "raise"}
)
_DASHES = re.compile(r"\s*(?:-{3,}|={3,})")


def title(lines: list[str], at: int) -> str | None:
    """The section that opens at `at`, in lower case."""
    if not lines[at] or at + 1 >= len(lines) or not _DASHES.fullmatch(lines[at + 1]):
        return None
    name = lines[at].strip().rstrip(":").lower()
    return name if name in _PARAMETERS | _DROPPED else None


def read(lines: list[str], at: int, parameters: dict[str, str], *, attributes: bool) -> int:
    """Reads the section that opens at `at`; the first line after it."""
    name = title(lines, at)
    wanted = name in _PARAMETERS or (attributes and name == "attributes")
    margin = indent(lines[at])
    end = at + 2
    current: list[str] | None = None
    found: list[tuple[list[str], list[str]]] = []
    while end < len(lines):
        line = lines[end]
        if line and indent(line) <= margin:
            if end + 1 < len(lines) and _DASHES.fullmatch(lines[end + 1]):
                break
            entry = names(line.partition(":")[0])
            if entry is None and wanted:
                break  # free text
            if entry is None and not lines[end - 1]:
                break
            current = [""]
            found.append((entry or [], current))
        elif current is not None:
            current.append(line)
        end += 1
    if wanted:
        for entry, parts in found:
            parameters.update(dict.fromkeys(entry, entry_text(parts)))
    return end
