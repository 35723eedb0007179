"""Which of the listed tools a run will not have, as far as the text tells."""

from __future__ import annotations

from collections.abc import Iterable

from adal_ls import lint, naming
from adal_ls.lint import Entry, EntryKind
from adal_ls.lint.values import ValueKind

_REFUSED = frozenset({"ADAL101", "ADAL102", "ADAL104", "ADAL204", "ADAL210", "ADAL213"})
_NOT_LOADED = ("ADAL001", "ADAL207")
"""For these the whole file gives nothing."""

_NO_FUNCTION = (ValueKind.CONSTANT, ValueKind.CONTAINER, ValueKind.F_STRING)


def codes(file: lint.ToolFile, findings: Iterable[lint.Finding], name: str, problems: Iterable[str]) -> list[str]:
    """The codes for which the tool `name` will not be there; `problems` are its own."""
    whole = [code for code in _NOT_LOADED if any(finding.code == code for finding in findings)]
    entries = [entry for entry in file.entries if entry.name and naming.canonical(entry.name) == naming.canonical(name)]
    own = [code for code in problems if code in _REFUSED or _is_decided_by_entries(code, entries)]
    return list(dict.fromkeys([*whole, *own]))


def is_computed(entry: Entry) -> bool:
    """Whether it is known only at run time which tool an entry is."""
    return entry.kind is EntryKind.COMPUTED or (
        entry.name is None and entry.kind is not EntryKind.WRONG and (entry.open or entry.function is not None)
    )


def _is_decided_by_entries(code: str, entries: list[Entry]) -> bool:
    if code == "ADAL103":  # the same entry twice counts once
        return len({_same(entry) for entry in entries}) > 1
    if code == "ADAL206":  # a description that is no text leaves the tool working
        return any(entry.function is not None and entry.function.kind in _NO_FUNCTION for entry in entries)
    return False


def _same(entry: Entry) -> object:
    function = entry.function.name if entry.function is not None and not entry.items else None
    return function or entry.range
