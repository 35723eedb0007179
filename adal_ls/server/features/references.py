"""`textDocument/references`: the definition, the entries and all other uses of a function in its `.adal` folder."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from adal_ls.lint import read
from adal_ls.lint.authoring.places import GivenName, find, listed_at
from adal_ls.lint.modules.modules import everywhere, home
from adal_ls.lint.modules.occurrences import Occurrence, Role, of_name
from adal_ls.server.diagnostics.analysis import Analysis
from adal_ls.server.diagnostics.siblings import modules
from adal_ls.server.documents.documents import Document
from adal_ls.server.documents.snapshot import Snapshot
from adal_ls.server.features.places import position, types_range


def references(snapshot: Snapshot, params: types.ReferenceParams) -> list[types.Location]:
    """The places that mean the function at the position, in the modules beside the file too; its definition only where
    it is asked for."""
    analysis = snapshot.analysis
    if analysis is None:
        return []
    wanted = params.context.include_declaration
    encoding = snapshot.client.encoding
    return [
        types.Location(document.uri, types_range(document, found.range, encoding))
        for document, places in _everywhere(snapshot, analysis, params.position)
        for found in places
        if wanted or found.role is not Role.DEFINITION
    ]


def _everywhere(
    snapshot: Snapshot, analysis: Analysis, at: types.Position
) -> Iterator[tuple[Document, list[Occurrence]]]:
    place = position(analysis.document, at, snapshot.client.encoding)
    found = find(analysis.file, place)
    if isinstance(found, GivenName):
        yield analysis.document, occurrences(snapshot, analysis, at)
        return
    listed = listed_at(analysis.file, place) if found is None else None
    if found is None and listed is None:
        return
    texts = modules(analysis.document, snapshot.open)
    files = {name: analysis.file if text is analysis.document else read(text.text) for name, text in texts.items()}
    meant = (listed.module, listed.name) if listed is not None else home(files, "tools", found.name if found else "")
    if meant[0] in files:
        for module, _, places in everywhere(files, *meant):
            yield texts[module], places


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
