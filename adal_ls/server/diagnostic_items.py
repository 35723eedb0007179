"""LSP's `Diagnostic`, of a finding of lint and of a failed load."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from adal_ls.server.capabilities import Client
from adal_ls.server.documents import Document
from adal_ls.server.positions import Encoding, to_units
from adal_ls.server.rpc import Json
from adal_ls.workspace import uris

if TYPE_CHECKING:
    from adal_ls.lint import Finding, Range

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
    if finding.related and client.related_information:
        diagnostic["relatedInformation"] = [
            {
                "location": {"uri": document.uri, "range": lsp_range(document, span, client.encoding)},
                "message": message,
            }
            for span, message in finding.related
        ]
    return diagnostic


def load_failure(document: Document, failure: dict[str, Json], client: Client) -> dict[str, Json]:
    """The LSP `Diagnostic` of a failed load: on the line to blame, or on the first one with a link to that line."""
    blamed: dict[str, Json] | None = failure.get("location")
    here = blamed is not None and uris.identity(blamed["uri"]) == document.identity
    line = min(blamed["range"]["start"]["line"], len(document.lines) - 1) if blamed is not None and here else 0
    text = document.line(line)
    units = [to_units(text, column, client.encoding) for column in (len(text) - len(text.lstrip()), len(text.rstrip()))]
    diagnostic: dict[str, Json] = {
        "range": {"start": {"line": line, "character": units[0]}, "end": {"line": line, "character": max(units)}},
        "severity": _SEVERITIES["error"],
        "code": failure["code"],
        "source": SOURCE,
        "message": failure["message"],
    }
    if blamed is not None and not here:
        place = f"{os.path.basename(uris.identity(blamed['uri']))}:{blamed['range']['start']['line'] + 1}"
        diagnostic["message"] = f"{place}: {failure['message']}"
        if client.related_information:
            diagnostic["relatedInformation"] = [{"location": blamed, "message": failure["message"]}]
    return diagnostic
