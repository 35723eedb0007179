"""Fields of Sphinx (`:param a: text`) and epytext (`@param a: text`).

Source: Sphinx, "Info field lists" of the Python domain; epydoc, "Epydoc Fields".
"""

from __future__ import annotations

import re

from adal_ls.schema.docstring_text import entry_text, names

_FIELD = re.compile(r"\s*[:@]([A-Za-z]+)(?:[ \t]+([^:]*(?:::?[^:\s][^:]*)*?))?[ \t]*:(?:[ \t]+(.*)|)$")
_PARAMETERS = frozenset(
    {"param", "parameter", "arg", "argument", "key", "keyword", "kwarg", "kwparam"},
)
_ATTRIBUTES = frozenset({"ivar", "cvar", "var"})
_DROPPED = frozenset(
    {"type", "vartype", "kwtype", "rtype", "return", "returns", "yield", "yields", "ytype"}
    | {"raise", "raises", "except", "exception", "meta"}
)


def starts(line: str) -> bool:
    """Whether a field of a known kind starts here; others are text."""
    match = _FIELD.match(line)
    return match is not None and match[1] in _PARAMETERS | _ATTRIBUTES | _DROPPED


def read(lines: list[str], at: int, parameters: dict[str, str]) -> int:
    """Reads the field that starts at `at` into `parameters`; the first line after it.

    Its text goes on in lines that are not blank, and after blank ones where they are indented.
    """
    match = _FIELD.match(lines[at])
    if match is None:
        return at
    own = len(lines[at]) - len(lines[at].lstrip())
    end = at + 1
    while end < len(lines) and not starts(lines[end]):
        line = lines[end]
        if line and not lines[end - 1] and len(line) - len(line.lstrip()) <= own:
            break
        end += 1
    if match[1] in _PARAMETERS | _ATTRIBUTES and match[2]:
        found = names(match[2]) or names(match[2].split()[-1]) or ()  # a type may stand before the name
        text = entry_text([match[3] or "", *lines[at + 1 : end]])
        parameters.update(dict.fromkeys(found, text))
    return end
