"""Text → ToolFile."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from adal_ls.lint.lists.elements import Element
from adal_ls.lint.lists.entries import read_entry
from adal_ls.lint.lists.lists import follow
from adal_ls.lint.model import ToolFile, ToolList
from adal_ls.lint.modules.around import NOWHERE, Around, Modules, Resolve
from adal_ls.lint.modules.bindings import Bindings, join
from adal_ls.lint.reading.chunks import (
    LIST_NAME,
    Chunk,
    lists_never_closed,
    must_be_judged_whole,
    problem_of_whole,
    read_chunks,
    syntax_problems,
    text_for_us,
)
from adal_ls.lint.reading.parsing import SyntaxProblem
from adal_ls.lint.reading.text import Lines


def read(text: str, resolve: Resolve | None = None) -> ToolFile:
    """Read a tools file; never raises. What Python refuses is in `syntax`, and all the rest is read.

    `resolve` gives the texts of the modules beside it; without it none is looked at.
    """
    around = NOWHERE if resolve is None else Around(Modules(resolve))
    return join_chunks(tuple(read_chunks(text)), around)


def join_chunks(chunks: tuple[Chunk, ...], around: Around = NOWHERE) -> ToolFile:
    """A file of chunks that are numbered as its lines are."""
    changers: dict[str, list[_At]] = {}
    for chunk in chunks:
        for name in chunk.changes:
            changers.setdefault(name, []).append(_At(chunk.lines.first, chunk))
    bindings = replace(join((chunk.bound for chunk in chunks), around), changers=changers)
    return ToolFile(chunks, bindings, read_list(bindings), _problems(chunks))


class _At(NamedTuple):
    first: int
    chunk: Chunk


def read_list(bindings: Bindings) -> ToolList:
    """CUSTOM_TOOLS, as the statements of a file make it."""
    tools, elements, _ = read_elements(bindings)
    return replace(tools, entries=tuple(read_entry(element, bindings) for element in elements))


def read_elements(bindings: Bindings) -> tuple[ToolList, tuple[Element, ...], Lines | None]:
    """The list without its entries, what they are to be read from, and `Followed.display`."""
    followed = follow(LIST_NAME, bindings)
    cell = followed.cell
    computed = tuple(dict.fromkeys(cell.computed))
    return ToolList(followed.range, (), computed, cell.wrong), tuple(cell.elements), followed.display


def _problems(chunks: tuple[Chunk, ...]) -> tuple[SyntaxProblem, ...]:
    found = (
        *syntax_problems((chunk.lines.first, chunk) for chunk in chunks if chunk.is_troubled),
        *lists_never_closed(chunks),
    )
    doubtful = [chunk for chunk in chunks if chunk.is_doubtful]
    if found or not doubtful or not must_be_judged_whole(chunks, doubtful):
        return found
    problem = problem_of_whole(text_for_us(chunks))
    return () if problem is None else (problem,)
