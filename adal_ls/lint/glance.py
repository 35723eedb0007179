"""What is wrong with the names of tools, told before a long text is read: in milliseconds, by its list alone.

Only of a list that is written down as formatters do, once, and only what a reading of the whole text says as well
(`tests/lint/test_glance.py`). The rules are the same: they look at the few entries and functions that are suspicious.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from adal_ls import naming
from adal_ls.lint.findings import Finding
from adal_ls.lint.reading.blocks import Place, opening_end
from adal_ls.lint.reading.chunks import LIST_NAME, Chunk, cut
from adal_ls.lint.reading.text import count_line_ends
from adal_ls.lint.session import LintedText
from adal_ls.lint.settings.config import FIXED, Config

_LIST = re.compile(rf"^{LIST_NAME}\b", re.MULTILINE)
_END = re.compile(r"^\][ \t]*(?:#[^\r\n]*)?(?:\r?\n|\Z)", re.MULTILINE)
_NAMES = FIXED - {"ADAL001", "ADAL003"}
# By these a name comes to stand for something else than the function that is defined under it.
_TURNS = (
    "import *",
    ".__name__",
    "update_wrapper",
    "global ",
    "exec(",
    "globals(",
    "locals(",
    "setattr(",
    "\ufeff",
    "\0",
)


def glance(text: str) -> list[Finding] | None:
    """The errors in names of tools (ADAL101 to ADAL104) that are certain; None where a glance is not enough."""
    found = _LIST.search(text)
    if found is None or text.count(LIST_NAME) != 1 or any(word in text for word in _TURNS):
        return None
    start = found.start()
    inside = opening_end(text, start)
    end = None if inside is None else _END.search(text, inside)
    if inside is None or end is None or "\r" in text or any(text.count(q, 0, start) % 2 for q in ('"""', "'''")):
        return None
    elements = _elements(text[start : end.end()])
    if elements is None:
        return None
    suspicious = [*_suspicious(text, elements, start, end.end())]
    if not suspicious:
        return []
    chunks = [*_chunks(text, suspicious, start, inside, end.start())]
    return [one for one in LintedText(chunks, Config()).findings() if one.code in _NAMES]


def _elements(source: str) -> list[ast.expr] | None:
    """The elements of the list; None where it is no plain one."""
    try:
        (statement,) = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
    if not isinstance(value, ast.List) or any(isinstance(node, ast.Starred) for node in value.elts):
        return None
    return value.elts


def _suspicious(text: str, elements: list[ast.expr], start: int, end: int) -> Iterator[tuple[ast.expr, str | None]]:
    """Elements that have a name which the runtime refuses, or one that another has, and the functions they list by
    name, where that is how they get it."""
    named: dict[str, list[tuple[ast.expr, str | None]]] = {}
    refused: set[str] = set()
    for node in elements:
        if isinstance(node, ast.Name):
            name, function = node.id, node.id
        elif (given := _given(node)) is not None:
            name, function = given, None
        else:
            continue
        key = naming.canonical(name)
        named.setdefault(key, []).append((node, function))
        if naming.is_refused(name):
            refused.add(key)
    for key, found in named.items():
        if key in refused or len(found) > 1:
            plain = [one for one in found if one[1] is None or _is_plain(text, one[1], start, end)]
            if key in refused or len(plain) > 1:
                yield from plain


def _given(node: ast.expr) -> str | None:
    """The name that an entry in dict form gives, where all of its keys are written down, each once."""
    if not isinstance(node, ast.Dict):
        return None
    keys = [key.value if isinstance(key, ast.Constant) else None for key in node.keys]
    if None in keys or len({*keys}) < len(keys) or "name" not in keys or "function" not in keys:
        return None
    value = node.values[keys.index("name")]
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None


def _is_plain(text: str, name: str, start: int, end: int) -> bool:
    """Whether a name certainly stands for one function that has it: defined once, undecorated, and otherwise called or
    listed."""
    defined = 0
    for word in re.finditer(rf"\b{re.escape(name)}\b", text):
        if start <= word.start() < end:
            continue
        line = text.rfind("\n", 0, word.start()) + 1
        before = text[line : word.start()]
        if re.fullmatch(r"(?:async[ \t]+)?def[ \t]+", before):
            above = text.rfind("\n", 0, max(line - 1, 0)) + 1
            defined += 1
            if text[above:line].startswith(("@", ")", "]", "}")) or line > start:
                return False
        elif (
            not before[:1].isspace()
            or not text.startswith("(", word.end())
            or before.rstrip().endswith(("def", "class"))
        ):
            return False
    return defined == 1


def _chunks(
    text: str, suspicious: list[tuple[ast.expr, str | None]], start: int, inside: int, closing: int
) -> Iterator[Chunk]:
    """The parts of the text that the rules need, with its line numbers."""
    first = count_line_ends(text[:start])
    for name in dict.fromkeys(function for _, function in suspicious if function is not None):
        found = re.search(rf"^(?:async[ \t]+)?def[ \t]+{re.escape(name)}\b", text, re.MULTILINE)
        if found is not None:
            yield Chunk(cut(text, found.start()), count_line_ends(text[: found.start()]))
    yield Chunk(cut(text[:inside], start), first)
    lines = sorted({node.lineno for node, _ in suspicious})
    offset, number = start, 1
    taken = 0
    for line in lines:
        while number < line:
            offset, number = text.index("\n", offset) + 1, number + 1
        if line > taken:
            chunk = Chunk(cut(text, offset, Place.WITHIN), first + line - 1)
            taken = line + chunk.size - 1
            yield chunk
    yield Chunk(cut(text, closing, Place.WITHIN), first + count_line_ends(text[start:closing]))
