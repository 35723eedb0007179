"""`textDocument/references`: the definition, the entries and all other uses of a function in the file."""

from __future__ import annotations

from lsprotocol import types

from adal_ls.lint.occurrences import Occurrence, Role, of_name
from adal_ls.lint.places import GivenName, find
from adal_ls.server.analysis import Analysis
from adal_ls.server.features.places import position, types_range
from adal_ls.server.snapshot import Snapshot


def references(snapshot: Snapshot, params: types.ReferenceParams) -> list[types.Location]:
    """The places that mean the function at the position, its definition only where it is asked for."""
    analysis = snapshot.analysis
    if analysis is None:
        return []
    wanted = params.context.include_declaration
    return [
        types.Location(analysis.document.uri, types_range(analysis.document, found.range, snapshot.client.encoding))
        for found in occurrences(snapshot, analysis, params.position)
        if wanted or found.role is not Role.DEFINITION
    ]


def occurrences(snapshot: Snapshot, analysis: Analysis, at: types.Position) -> list[Occurrence]:
    """The places of the function that is meant at a position: by its name, or by the name that its entry gives."""
    file = analysis.file
    found = find(file, position(analysis.document, at, snapshot.client.encoding))
    if found is None:
        return []
    if not isinstance(found, GivenName):
        return list(found.occurrences)
    function = found.entry.function
    given = [Occurrence(found.at, Role.TEXT)]
    if function is None or function.name is None:
        return given
    return sorted([*given, *of_name(file.module, file.lines, function.name)], key=lambda one: one.range)
