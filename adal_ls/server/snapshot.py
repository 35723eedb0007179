"""What a feature gets to see: one version of one document, and what the client can do."""

from __future__ import annotations

from dataclasses import dataclass

from adal_ls.server.capabilities import Client
from adal_ls.server.diagnostics import Analysis


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`analysis` is None for documents that are no tools file."""

    client: Client
    analysis: Analysis | None
