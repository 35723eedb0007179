"""Renames a function or the name that an entry gives, or says which rule forbids it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from adal_ls import naming
from adal_ls.lint.bindings import Binding
from adal_ls.lint.edits import replace_string
from adal_ls.lint.findings import Finding, TextEdit
from adal_ls.lint.fixing import apply
from adal_ls.lint.listed import entry_findings
from adal_ls.lint.model import ToolFile
from adal_ls.lint.modules import Modules, everywhere, home
from adal_ls.lint.occurrences import Role, of_name
from adal_ls.lint.places import FunctionName, GivenName, find
from adal_ls.lint.reader import read
from adal_ls.lint.text import Position, Range

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
    return None


def rename(modules: Modules, module: str, place: Position, new: str) -> Mapping[str, tuple[TextEdit, ...]]:
    """The edits that rename what stands at a place of `module`, by module.

    A function is renamed in every module of the folder that imports it by name; the name that an entry gives changes
    there alone.

    Raises:
        RenameError: nothing can be renamed there, or the new name breaks a rule.
    """
    file = modules[module]
    found = find(file, place)
    if isinstance(found, GivenName):
        if new == found.entry.name:
            return {}
        edits = (_given(file, found, new),)
        _judge(file, read(apply(file, edits)))
        return {module: edits}
    if found is None:
        raise RenameError("Only functions and the names of tools can be renamed")
    return _rename_function(modules, module, found.name, new)


def _given(file: ToolFile, found: GivenName, new: str) -> TextEdit:
    if not naming.is_identifier(new):  # also keeps quotes and backslashes out of the string
        raise RenameError(_rule_text(new))
    return replace_string(file.lines, found.at, new)


def _rename_function(modules: Modules, module: str, name: str, new: str) -> Mapping[str, tuple[TextEdit, ...]]:
    if not naming.is_identifier(new):
        raise RenameError(f"'{new}' is not a valid Python identifier")
    if naming.is_keyword(new):
        raise RenameError(f"'{new}' is a Python keyword")
    origin, original = home(modules, module, name)
    definitions = modules[origin].bindings.definitions.get(original, ())
    if not definitions or all(definition.kind is Binding.IMPORT for definition in definitions):
        raise RenameError(f"'{name}' is defined outside of this project's .adal folder: it cannot be renamed here")
    if naming.canonical(new) == original:
        return {}
    edits = {}
    for other, called, found in everywhere(modules, origin, original):
        file = modules[other]
        _refuse_unreadable(file, called)
        edits[other] = tuple(TextEdit(occurrence.range, new) for occurrence in found)
        own = sum(occurrence.role not in (Role.ORIGINAL, Role.ATTRIBUTE) for occurrence in found)
        after = read(apply(file, edits[other]))
        if own:
            _refuse_clash(file, after, new, own)
        _judge(file, after)
    return edits


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


def _judge(file: ToolFile, after: ToolFile) -> None:
    """Refuse edits after which a naming rule is broken that was kept before."""
    before = Counter(finding.code for finding in _naming(file))
    for finding in _naming(after):
        before[finding.code] -= 1
        if before[finding.code] < 0:
            raise RenameError(finding.message)


def _naming(file: ToolFile) -> list[Finding]:
    return [finding for finding in entry_findings(file) if finding.code in NAMING_ERRORS]


def _rule_text(name: str) -> str:
    """What the naming rules say against a name."""
    probe = read(f"def f(): ...\n\n\nCUSTOM_TOOLS = [{{'function': f, 'name': {name!r}}}]\n")
    return next(finding.message for finding in _naming(probe))
