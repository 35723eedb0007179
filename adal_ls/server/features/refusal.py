"""Answers that say no to the person, which are no faults of the server."""

from __future__ import annotations

from pygls.exceptions import JsonRpcContentModified, JsonRpcException

from adal_ls.server.transport.rpc import REQUEST_FAILED


class Refusal(JsonRpcException):
    """What was asked for cannot be done; the text says why (LSP, `RequestFailed`)."""

    CODE = REQUEST_FAILED


class Outdated(JsonRpcContentModified):
    """The request was made about a text that has changed since (LSP, `ContentModified`)."""
