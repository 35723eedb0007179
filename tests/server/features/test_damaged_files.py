"""Every feature on files in real shapes that are damaged at random: none fails, and what they say keeps to LSP."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from lsprotocol import types

from adal_ls.lint import Config, read
from adal_ls.lint.authoring.rename import RenameError, prepare, rename
from adal_ls.lint.fixes.fixing import apply, fix_all
from adal_ls.server import capabilities
from adal_ls.server.diagnostics.analysis import analyse
from adal_ls.server.documents.documents import Document, opened
from adal_ls.server.documents.snapshot import Snapshot
from adal_ls.server.features.code_action import code_action
from adal_ls.server.features.code_lens import code_lens, code_lens_resolve
from adal_ls.server.features.completion import completion
from adal_ls.server.features.definition import definition
from adal_ls.server.features.document_highlight import document_highlight
from adal_ls.server.features.document_symbol import document_symbol
from adal_ls.server.features.folding_range import folding_range
from adal_ls.server.features.hover import hover
from adal_ls.server.features.inlay_hint import inlay_hint
from adal_ls.server.features.places import position
from adal_ls.server.features.references import references
from adal_ls.server.features.workspace_symbol import workspace_symbol
from tests.lint.corpus import corpus

NESTED = {"documentSymbol": {"hierarchicalDocumentSymbolSupport": True}}
CLIENT = {"textDocument": {"codeAction": {"codeActionLiteralSupport": {}}, **NESTED}}
PIECES = [
    '"""',
    "'",
    '"',
    "(",
    "[",
    "{",
    "}",
    "]",
    ")",
    "\n",
    "\r\n",
    "\r",
    "def ",
    "🎫",
    "\t",
    "#",
    ",",
    ":",
    "f",
    "é",
]
PIECES += ["CUSTOM_TOOLS = [", "ToolOutput(", "\f", "\u2028", "\0", ""]
FILES = [file.text for file in corpus(60)]


def damaged(chance: random.Random) -> str:
    text = chance.choice(FILES)
    for _ in range(chance.randint(1, 4)):
        start = chance.randrange(len(text) + 1)
        text = text[:start] + chance.choice(PIECES) + text[start + chance.choice([0, 1, 1, 3, 20]) :]
    return text[: chance.randrange(len(text) + 1)] if chance.random() < 0.3 else text


@pytest.mark.parametrize("seed", range(40))
def test_no_feature_fails_on_a_damaged_file(seed: int) -> None:
    chance = random.Random(seed)
    document = opened("file:///p/.adal/tools.py", 1, damaged(chance))
    analysis = analyse(document, Config())
    snapshot = Snapshot(capabilities.read(CLIENT), analysis, projects=(analysis,))
    for _ in range(3):
        line = chance.randrange(len(document.lines))
        place = types.Position(line, chance.randrange(len(document.lines[line]) + 2))
        look_everywhere(snapshot, document, place)
        rename_there(snapshot, document, place)
    mended, _ = fix_all(document.text)
    assert fix_all(mended) == (mended, ())


def look_everywhere(snapshot: Snapshot, document: Document, place: types.Position) -> None:
    item, here = types.TextDocumentIdentifier(document.uri), types.Range(place, place)
    everything = types.CodeActionContext([], only=[""])
    hover(snapshot, types.HoverParams(item, place))
    definition(snapshot, types.DefinitionParams(item, place))
    references(snapshot, types.ReferenceParams(types.ReferenceContext(True), item, place))
    document_highlight(snapshot, types.DocumentHighlightParams(item, place))
    inlay_hint(snapshot, types.InlayHintParams(item, types.Range(types.Position(0, 0), place)))
    code_action(snapshot, types.CodeActionParams(item, here, everything))
    workspace_symbol(snapshot, types.WorkspaceSymbolParams(""))
    for lens in code_lens(snapshot, types.CodeLensParams(item)):
        code_lens_resolve(snapshot, lens)
    for fold in folding_range(snapshot, types.FoldingRangeParams(item)):
        assert 0 <= fold.start_line < fold.end_line < len(document.lines)
    names_lie_inside(document_symbol(snapshot, types.DocumentSymbolParams(item)))
    found = completion(snapshot, types.CompletionParams(item, place))
    for suggestion in found.items if found is not None else ():
        assert isinstance(suggestion.text_edit, types.TextEdit)
        assert suggestion.text_edit.range.start.line == suggestion.text_edit.range.end.line == place.line


def names_lie_inside(symbols: Sequence[types.DocumentSymbol] | Sequence[types.SymbolInformation]) -> None:
    for symbol in symbols:
        assert isinstance(symbol, types.DocumentSymbol)
        assert symbol.range.start <= symbol.selection_range.start
        assert symbol.selection_range.end <= symbol.range.end
        names_lie_inside(symbol.children or ())


def rename_there(snapshot: Snapshot, document: Document, place: types.Position) -> None:
    assert snapshot.analysis is not None
    file = snapshot.analysis.file
    at = position(document, place, snapshot.client.encoding)
    if prepare(file, at) is None:
        return
    try:
        edits = rename({"tools": file}, "tools", at, "another_name")
    except RenameError:
        return
    assert len(read(apply(file, edits["tools"])).syntax) == len(file.syntax)
