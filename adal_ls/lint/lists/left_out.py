"""Which of the listed tools a run will not have, as far as the text tells."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from adal_ls import naming
from adal_ls.lint.findings import Finding
from adal_ls.lint.lists.no_function import no_function
from adal_ls.lint.lists.values import ValueKind
from adal_ls.lint.model import Entry, EntryKind, ToolFile
from adal_ls.lint.reading.text import Range

_REFUSED = frozenset({"ADAL101", "ADAL102", "ADAL104", "ADAL203", "ADAL204", "ADAL210", "ADAL213"})
_BY_ENTRIES = frozenset({"ADAL103", "ADAL206"})
"""Where it depends on the entries whether the tool is left out."""
_NOT_LOADED = ("ADAL001", "ADAL207")
"""For these the whole file gives nothing."""

_NO_FUNCTION = (ValueKind.CONSTANT, ValueKind.CONTAINER, ValueKind.F_STRING)


def not_loaded(findings: Iterable[Finding]) -> Finding | None:
    """Why the whole file gives nothing, as far as the text tells; None where it can be loaded."""
    return next((finding for finding in findings if finding.code in _NOT_LOADED), None)


def codes(file: ToolFile, name: str, problems: Iterable[str]) -> list[str]:
    """The codes for which the tool `name` will not be there though the file is loaded; `problems` are its own."""
    entries = [entry for entry in file.entries if entry.name and naming.canonical(entry.name) == naming.canonical(name)]
    own = [code for code in problems if code in _REFUSED or _is_decided_by_entries(file, code, entries)]
    return list(dict.fromkeys(own))


def refused(file: ToolFile, findings: Iterable[Finding]) -> dict[str, str]:
    """The tools that a run will not have though the file is loaded: canonical name -> code of the first reason."""
    places = sorted(
        (place, finding.code)
        for finding in findings
        if finding.code in _REFUSED or finding.code in _BY_ENTRIES
        # The first of two entries with one name is left out too: it is only mentioned as related.
        for place in (finding.range, *(place for place, _ in finding.related if finding.code == "ADAL103"))
    )
    if not places:
        return {}
    by_name: dict[str, list[Entry]] = {}
    for entry in file.entries:
        if entry.name is not None:
            by_name.setdefault(naming.canonical(entry.name), []).append(entry)
    found: dict[str, str] = {}
    for name, entries in by_name.items():
        said = (code for entry in entries for span in (entry.name_range, entry.range) for code in _inside(places, span))
        reasons = (code for code in said if code in _REFUSED or _is_decided_by_entries(file, code, entries))
        if (code := next(reasons, None)) is not None:
            found[name] = code
    return found


def is_computed(entry: Entry) -> bool:
    """Whether it is known only at run time which tool an entry is."""
    return entry.kind is EntryKind.COMPUTED or (
        entry.name is None and entry.kind is not EntryKind.WRONG and (entry.open or entry.function is not None)
    )


def _inside(places: list[tuple[Range, str]], span: Range) -> Iterable[str]:
    for index in range(bisect_left(places, (Range(span.start, span.start), "")), len(places)):
        place, code = places[index]
        if place.start > span.end:
            return
        if span.contains(place):
            yield code


def _is_decided_by_entries(file: ToolFile, code: str, entries: list[Entry]) -> bool:
    if code == "ADAL103":  # the same entry twice counts once
        return len({_same(entry) for entry in entries}) > 1
    if code == "ADAL206":  # a description that is no text leaves the tool working
        functions = [entry.function for entry in entries if entry.function is not None]
        return any(one.kind in _NO_FUNCTION or no_function(one, file.bindings) is not None for one in functions)
    return False


def _same(entry: Entry) -> object:
    """What two entries have in common where the runtime takes them for one: unknown keys do not count."""
    if entry.function is None or entry.function.name is None or entry.open:
        return entry.range
    settings = [item for item in entry.items if item.key in ("name", "description", "require_approval")]
    if any(item.value.kind is not ValueKind.CONSTANT for item in settings):
        return entry.range
    return entry.function.name, entry.name, entry.description, entry.require_approval
