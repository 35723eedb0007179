"""Renames a function or the name that an entry gives, or says which rule forbids it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from itertools import zip_longest

from adal_ls import naming
from adal_ls.lint.authoring.places import FunctionName, GivenName, find, listed_at
from adal_ls.lint.findings import Finding, TextEdit
from adal_ls.lint.fixes.edits import replace_string
from adal_ls.lint.fixes.fixing import apply
from adal_ls.lint.lists.listed import entry_findings
from adal_ls.lint.model import Entry, ToolFile
from adal_ls.lint.modules.bindings import Binding
from adal_ls.lint.modules.modules import Modules, everywhere, home, resolver
from adal_ls.lint.modules.occurrences import Role, of_name
from adal_ls.lint.reader import read
from adal_ls.lint.reading.text import Position, Range
from adal_ls.lint.subjects import meant

NAMING_ERRORS = ("ADAL101", "ADAL102", "ADAL103", "ADAL104")


class RenameError(Exception):
    """Why a name cannot be changed; the text is for the person who wanted to."""


def prepare(file: ToolFile, place: Position) -> tuple[Range, str] | None:
    """The range to edit and what stands there; None where nothing can be renamed."""
    found = find(file, place)
    if isinstance(found, FunctionName):
        return found.at, file.lines.slice(found.at)
    if isinstance(found, GivenName):
        content = replace_string(file.lines, found.at, "").range
        return content, file.lines.slice(content)
    listed = listed_at(file, place)
    return None if listed is None else (listed.at, file.lines.slice(listed.at))


def rename(modules: Modules, module: str, place: Position, new: str) -> Mapping[str, tuple[TextEdit, ...]]:
    """The edits that rename what stands at a place of `module`, by module.

    A function is renamed in every module of the folder that imports it; the name that an entry gives, and the name
    that an import gives (`as`), change there alone.

    Raises:
        RenameError: nothing can be renamed there, or the new name breaks a rule.
    """
    file = modules[module]
    found = find(file, place)
    if isinstance(found, GivenName):
        if new == found.entry.name:
            return {}
        edits = {module: (_given(file, found, new),)}
        _judge(modules, edits, {})
        return edits
    if found is not None:
        return _rename_function(modules, module, found.name, new)
    listed = listed_at(file, place)
    if listed is None or listed.module not in modules:
        raise RenameError("Only functions and the names of tools can be renamed")
    return _rename_function(modules, listed.module, listed.name, new)


def _given(file: ToolFile, found: GivenName, new: str) -> TextEdit:
    if not naming.is_identifier(new):  # also keeps quotes and backslashes out of the string
        raise RenameError(_rule_text(new))
    return replace_string(file.lines, found.at, new)


def _rename_function(modules: Modules, module: str, name: str, new: str) -> Mapping[str, tuple[TextEdit, ...]]:
    if not naming.is_identifier(new):
        raise RenameError(f"'{new}' is not a valid Python identifier")
    if naming.is_keyword(new):
        raise RenameError(f"'{new}' is a Python keyword")
    origin, original = (module, name) if _is_alias(modules[module], name) else home(modules, module, name)
    definitions = modules[origin].bindings.definitions.get(original, ())
    if not definitions or all(d.kind is Binding.IMPORT and d.original == original for d in definitions):
        raise RenameError(f"'{name}' is defined outside of this project's .adal folder: it cannot be renamed here")
    if naming.canonical(new) == original:
        return {}
    edits = {}
    for other, called, found in everywhere(modules, origin, original):
        file = modules[other]
        _refuse_unreadable(file, called)
        edits[other] = tuple(TextEdit(occurrence.range, new) for occurrence in found)
        own = sum(occurrence.role not in (Role.ORIGINAL, Role.ATTRIBUTE) for occurrence in found)
        if own:
            _refuse_clash(file, read(apply(file, edits[other])), new, own)
    _judge(modules, edits, {original: naming.canonical(new)})
    return edits


def _is_alias(file: ToolFile, name: str) -> bool:
    """Whether the file itself gave the name to something that it imports: `from helpers import f as name`."""
    definitions = file.bindings.definitions.get(name, ())
    return bool(definitions) and all(d.kind is Binding.IMPORT and d.original not in (None, name) for d in definitions)


def _refuse_unreadable(file: ToolFile, name: str) -> None:
    word = re.compile(rf"\b{re.escape(name)}\b")
    line = next((piece.range.start.line for piece in file.unreadable if word.search(piece.text)), None)
    if line is not None:
        raise RenameError(f"'{name}' also stands in code that cannot be read (line {line + 1}): mend that first")


def _refuse_clash(file: ToolFile, after: ToolFile, new: str, expected: int) -> None:
    """A name that meant something before, here or in a scope where the old one is used, would mean two things."""
    wanted = naming.canonical(new)
    before = of_name(file.module, file.lines, wanted)
    if before:
        line = before[0].range.start.line + 1
        raise RenameError(f"'{new}' already has a meaning in this file (line {line}): take another name")
    if len(of_name(after.module, after.lines, wanted)) != expected:
        raise RenameError(f"'{new}' is a local name in a function that uses this one: take another name")


def _judge(modules: Modules, edits: Mapping[str, tuple[TextEdit, ...]], renamed: Mapping[str, str]) -> None:
    """Refuse edits after which a naming rule is broken that was kept before, or a tool is not what it was.

    Looked at is the tools file, with the modules beside it as they would be. `renamed`: old name → new name of tools.
    """
    tools = modules.get("tools")
    if tools is None:
        return
    texts = {module: apply(modules[module], its) for module, its in edits.items()}
    before = read(tools.text, resolver(modules, {}))
    after = read(texts.get("tools", tools.text), resolver(modules, texts))
    known = Counter(finding.code for finding in _naming(before))
    for finding in _naming(after):
        known[finding.code] -= 1
        if known[finding.code] < 0:
            raise RenameError(finding.message)
    if renamed:
        for one, other in zip_longest(before.entries, after.entries):
            lost = one is None or other is None or len(meant(before.bindings, one)) != len(meant(after.bindings, other))
            if lost or not _is_same(one, other, renamed):
                name = one.name if one is not None else other.name
                raise RenameError(f"The tool '{name}' would be another one, or none, after that: rename it by hand")


def _is_same(one: Entry, other: Entry, renamed: Mapping[str, str]) -> bool:
    names = {one.name, renamed.get(one.name or "", one.name)}
    return other.name in names and (one.kind, one.require_approval) == (other.kind, other.require_approval)


def _naming(file: ToolFile) -> list[Finding]:
    return [finding for finding in entry_findings(file) if finding.code in NAMING_ERRORS]


def _rule_text(name: str) -> str:
    """What the naming rules say against a name."""
    probe = read(f"def f(): ...\n\n\nCUSTOM_TOOLS = [{{'function': f, 'name': {name!r}}}]\n")
    return next(finding.message for finding in _naming(probe))
