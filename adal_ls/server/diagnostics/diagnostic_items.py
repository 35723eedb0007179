"""LSP's `Diagnostic`, of a finding of lint and of a failed load."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from adal_ls.server.capabilities import Client
from adal_ls.server.documents.documents import Document
from adal_ls.server.documents.positions import Encoding, to_units
from adal_ls.server.transport.rpc import Json
from adal_ls.workspace import uris

if TYPE_CHECKING:
    from adal_ls.lint import Config, Finding, Range

SOURCE = "adal-ls"

_SEVERITIES = {"error": 1, "warning": 2, "information": 3, "hint": 4}


def lsp_range(document: Document, span: Range, encoding: Encoding) -> dict[str, Json]:
    """`span` in the client's units."""
    return {
        "start": {
            "line": span.start.line,
            "character": to_units(document.line(span.start.line), span.start.column, encoding),
        },
        "end": {"line": span.end.line, "character": to_units(document.line(span.end.line), span.end.column, encoding)},
    }


def to_lsp(document: Document, finding: Finding, client: Client) -> dict[str, Json]:
    """The LSP `Diagnostic` of a finding."""
    diagnostic: dict[str, Json] = {
        "range": lsp_range(document, finding.range, client.encoding),
        "severity": _SEVERITIES[finding.severity.value],
        "code": finding.code,
        "source": SOURCE,
        "message": finding.message,
    }
    if client.code_descriptions:
        from adal_ls.lint import rules  # nothing is loaded before `initialize` is answered

        diagnostic["codeDescription"] = {"href": rules.address(finding.code)}
    if finding.related and client.related_information:
        diagnostic["relatedInformation"] = [
            {
                "location": {"uri": document.uri, "range": lsp_range(document, span, client.encoding)},
                "message": message,
            }
            for span, message in finding.related
        ]
    return diagnostic


def load_failure(
    document: Document, failure: dict[str, Json], client: Client, config: Config
) -> dict[str, Json] | None:
    """The LSP `Diagnostic` of a failed load: on the line to blame, or on the first one with a link to that line.

    None where the configuration, or a comment on that line, silences it.
    """
    from adal_ls import lint  # nothing is loaded before `initialize` is answered

    blamed: dict[str, Json] | None = failure.get("location")
    here = blamed is not None and uris.identity(blamed["uri"]) == document.identity
    line = min(blamed["range"]["start"]["line"], len(document.lines) - 1) if blamed is not None and here else 0
    text = document.line(line)
    start = len(text) - len(text.lstrip())
    place = lint.Range(lint.Position(line, start), lint.Position(line, max(start, len(text.rstrip()))))
    message, related = failure["message"], None
    if blamed is not None and not here:
        message = f"{os.path.basename(uris.identity(blamed['uri']))}:{blamed['range']['start']['line'] + 1}: {message}"
        if client.related_information:
            related = [{"location": blamed, "message": failure["message"]}]
    told = lint.finding_of_load(failure["code"], message, place)
    allowed = lint.let_through([told], lint.Lines(document.text), config)
    if not allowed:
        return None
    diagnostic = to_lsp(document, allowed[0], client)
    if related is not None:
        diagnostic["relatedInformation"] = related
    return {**diagnostic, "code": failure["code"]}
