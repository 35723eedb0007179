"""`textDocument/definition`: from a name to its function, from a function's own name to its entries."""

from __future__ import annotations

import os
from urllib.parse import quote

from lsprotocol import types

from adal_ls.lint import Entry, Range, ToolFile, read
from adal_ls.lint.authoring.places import (
    FunctionName,
    GivenName,
    definitions,
    definitions_beside,
    entries_of,
    entry_at,
    find,
)
from adal_ls.lint.modules.bindings import Binding
from adal_ls.lint.modules.modules import home
from adal_ls.server.diagnostics.siblings import modules
from adal_ls.server.documents.documents import Document, opened
from adal_ls.server.documents.snapshot import Snapshot
from adal_ls.server.features.places import position, types_range
from adal_ls.workspace import uris


def definition(snapshot: Snapshot, params: types.DefinitionParams) -> list[types.Location]:
    """Where what stands at the position is defined, also in a module beside the file."""
    analysis = snapshot.analysis
    if analysis is None:
        return []
    document, file = analysis.document, analysis.file
    place = position(document, params.position, snapshot.client.encoding)
    found = find(file, place)
    if isinstance(found, GivenName):
        defined = [one.name_range for one in definitions(file, found.entry)]
        beside = _beside(snapshot, document, file, found.entry)
        if beside:
            return beside
        if defined or found.entry.function is None or found.entry.function.name is None:
            return _locations(snapshot, document, defined)
        return _elsewhere(snapshot, document, file, found.entry.function.name)
    if found is None:
        aliased = entry_at(file, place)
        if aliased is None:
            return []
        here = _locations(snapshot, document, [one.name_range for one in definitions(file, aliased)])
        return here or _beside(snapshot, document, file, aliased)
    own = [one.name_range for one in file.bindings.candidates(found.name) if one.kind is Binding.FUNCTION]
    if found.at in own:
        return _locations(snapshot, document, _entry_places(file, found)) or _locations(snapshot, document, own)
    return _locations(snapshot, document, own) or _elsewhere(snapshot, document, file, found.name)


def _beside(snapshot: Snapshot, document: Document, file: ToolFile, entry: Entry) -> list[types.Location]:
    """The functions of an entry in modules beside the file, packages included."""
    known = {uris.real(path): text for text in snapshot.open if (path := uris.to_path(text.uri)) is not None}
    found: list[types.Location] = []
    for target in definitions_beside(file, entry):
        if target.home is not None and target.lines is not None:
            text = target.home.text
            shown = known.get(uris.real(text.key)) or opened(_uri_beside(document, text.key), None, text.text)
            found += _locations(snapshot, shown, [target.name_range])
    return found


def _uri_beside(document: Document, path: str) -> str:
    """The URI of a module, spelled as the client spells that of the tools file."""
    folder = os.path.dirname(uris.to_path(document.uri) or "")
    below = os.path.relpath(path, folder).replace(os.sep, "/")
    return f"{document.uri.rpartition('/')[0]}/{quote(below)}"


def _entry_places(file: ToolFile, found: FunctionName) -> list[Range]:
    return [entry.function.range for entry in entries_of(file, found.name) if entry.function is not None]


def _elsewhere(snapshot: Snapshot, document: Document, file: ToolFile, name: str) -> list[types.Location]:
    """The definition of an imported name, where it is in the same folder."""
    texts = modules(document, snapshot.open)
    files = {module: file if text is document else read(text.text) for module, text in texts.items()}
    module, original = home(files, "tools", name)
    if module == "tools":
        return []
    places = [one.name_range for one in files[module].bindings.candidates(original)]
    return _locations(snapshot, texts[module], places)


def _locations(snapshot: Snapshot, document: Document, places: list[Range]) -> list[types.Location]:
    encoding = snapshot.client.encoding
    return [types.Location(document.uri, types_range(document, place, encoding)) for place in places]
