"""What a feature gets to see: one version of one document, and what the client can do."""

from __future__ import annotations

from dataclasses import dataclass, field

from adal_ls.server.capabilities import Client
from adal_ls.server.diagnostics.analysis import Analysis
from adal_ls.server.documents.documents import Document
from adal_ls.server.transport.cancellation import Cancellation


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`analysis` is None for documents that are no tools file.

    `open` are the texts of all open documents; `projects` the analyses of all tools files, where a request is about the
    workspace. Both are empty for requests that look at one document. `cancellation` tells when nobody wants the answer
    any more; lint asks it by itself.
    """

    client: Client
    analysis: Analysis | None
    open: tuple[Document, ...] = ()
    projects: tuple[Analysis, ...] = ()
    cancellation: Cancellation = field(default_factory=Cancellation)
