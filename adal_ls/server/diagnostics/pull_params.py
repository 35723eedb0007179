"""What a client that pulls diagnostics asks for."""

from __future__ import annotations

from adal_ls.server.transport.rpc import INVALID_PARAMS, Json, RpcError
from adal_ls.workspace import uris


def uri(params: Json) -> str:
    """The document that is meant.

    Raises:
        RpcError: none is named.
    """
    document = params.get("textDocument") if isinstance(params, dict) else None
    named = document.get("uri") if isinstance(document, dict) else None
    if not isinstance(named, str):
        raise RpcError(INVALID_PARAMS, "textDocument.uri is missing")
    return named


def previous(params: Json) -> dict[str, tuple[str, Json]]:
    """Spelling of the URI → the URI and the result id the client has for it."""
    given = params.get("previousResultIds") if isinstance(params, dict) else None
    if not isinstance(given, list):
        raise RpcError(INVALID_PARAMS, "previousResultIds is missing")
    known: dict[str, tuple[str, Json]] = {}
    for entry in given:
        if isinstance(entry, dict) and isinstance(entry.get("uri"), str):
            known[uris.spelling(entry["uri"])] = (entry["uri"], entry.get("value"))
    return known
