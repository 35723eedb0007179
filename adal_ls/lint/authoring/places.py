"""What stands at a place of a tools file: a function's name, or the name that an entry gives."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from adal_ls import naming
from adal_ls.lint.model import Entry, ToolFile
from adal_ls.lint.modules.bindings import Binding, Definition
from adal_ls.lint.modules.occurrences import Occurrence, of_name
from adal_ls.lint.modules.targets import Target
from adal_ls.lint.reading.text import Position, Range
from adal_ls.lint.subjects import meant


@dataclass(frozen=True, slots=True)
class FunctionName:
    """The name of a function of the top level, defined here or imported by name. `at` is the place asked about."""

    name: str
    at: Range
    occurrences: tuple[Occurrence, ...]


@dataclass(frozen=True, slots=True)
class GivenName:
    """The string under "name" in an entry; `at` is the literal, quotes included."""

    entry: Entry
    at: Range


def find(file: ToolFile, place: Position) -> FunctionName | GivenName | None:
    """What stands at a place, its last character's end included."""
    for entry in file.entries:
        if entry.name_is_written and entry.name is not None and _touches(entry.name_range, place):
            return GivenName(entry, entry.name_range)
    word = _word_at(file, place)
    if word is None or not any(_is_function(d) for d in file.bindings.definitions.get(word, ())):
        return None
    occurrences = tuple(of_name(file.module, file.lines, word))
    at = next((found.range for found in occurrences if _touches(found.range, place)), None)
    return FunctionName(word, at, occurrences) if at is not None else None


@dataclass(frozen=True, slots=True)
class ListedElsewhere:
    """The name of a function of a module beside the file, as an entry writes it: `helpers.find`, or the `find` that
    came with `from helpers import *`. `module` is the one that defines it, `name` what it is called there."""

    module: str
    name: str
    at: Range


def listed_at(file: ToolFile, place: Position) -> ListedElsewhere | None:
    """The function of another module that an entry names at a place."""
    entry = entry_at(file, place)
    if entry is None or entry.function is None:
        return None
    written = entry.function.range
    for target in definitions_beside(file, entry):
        if target.home is None or target.name is None or not _is_plain(target):
            continue
        start = written.end._replace(column=written.end.column - len(target.name))
        at = Range(start, written.end)
        if written.start <= start and file.lines.slice(at) == target.name and _touches(at, place):
            return ListedElsewhere(target.home.name, target.name, at)
    return None


def _is_plain(target: Target) -> bool:
    """Whether a function stands at the top level under its own name."""
    return target.owner is None and not isinstance(target.node, ast.Lambda)


def entry_at(file: ToolFile, place: Position) -> Entry | None:
    """The entry whose function is written at a place, under whatever name."""
    return next((e for e in file.entries if e.function is not None and _touches(e.function.range, place)), None)


def definitions(file: ToolFile, entry: Entry) -> tuple[Target, ...]:
    """The functions of this file that an entry may mean, one for each branch, through aliases and objects."""
    found = meant(file.bindings, entry)
    return tuple(target for target in found if target.home is None and not isinstance(target.node, ast.Lambda))


def definitions_beside(file: ToolFile, entry: Entry) -> tuple[Target, ...]:
    """The functions of modules beside the file that an entry may mean."""
    return tuple(target for target in meant(file.bindings, entry) if target.home is not None)


def entries_of(file: ToolFile, name: str) -> list[Entry]:
    """The entries that list the function called `name` in this file, or an alias of it."""
    return [
        entry
        for entry in file.entries
        if entry.function is not None
        and (entry.function.name == name or any(d.name == name for d in definitions(file, entry)))
    ]


def _is_function(definition: Definition) -> bool:
    imported = definition.kind is Binding.IMPORT and definition.original is not None
    return imported or definition.kind is Binding.FUNCTION


def _word_at(file: ToolFile, place: Position) -> str | None:
    line = file.lines.line(place.line)
    start = end = min(place.column, len(line))
    while start and _in_word(line[start - 1]):
        start -= 1
    while end < len(line) and _in_word(line[end]):
        end += 1
    # Python stores identifiers in NFKC (PEP 3131).
    return naming.canonical(line[start:end]) or None


def _in_word(character: str) -> bool:
    return character == "_" or character.isalnum() or f"a{character}".isidentifier()


def _touches(span: Range, place: Position) -> bool:
    return span.start <= place <= span.end
