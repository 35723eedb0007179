"""`textDocument/signatureHelp`: what the call or entry that is being written takes."""

from __future__ import annotations

from lsprotocol import types

from adal_ls.lint.authoring.signatures import Parameter, Signature, signature
from adal_ls.server.documents.positions import to_units
from adal_ls.server.documents.snapshot import Snapshot
from adal_ls.server.features.places import position


def signature_help(snapshot: Snapshot, params: types.SignatureHelpParams) -> types.SignatureHelp | None:
    """The signature of the innermost call or entry around the position; None elsewhere."""
    analysis = snapshot.analysis
    if analysis is None:
        return None
    found = signature(analysis.file, position(analysis.document, params.position, snapshot.client.encoding))
    if found is None:
        return None
    # Without an active parameter clients mark the first one (LSP 3.17): then there are none to mark.
    parameters = None if found.active is None else _parameters(found, offsets=snapshot.client.label_offsets)
    shown = types.SignatureInformation(found.label, found.about or None, parameters)
    return types.SignatureHelp([shown], active_signature=0, active_parameter=found.active)


def _parameters(found: Signature, *, offsets: bool) -> list[types.ParameterInformation]:
    return [
        types.ParameterInformation(_units(found.label, span) if offsets else parameter.shown, _about(parameter))
        for parameter, span in zip(found.parameters, found.spans(), strict=True)
    ]


def _units(label: str, span: tuple[int, int]) -> tuple[int, int]:
    """Offsets in a label count UTF-16, whatever the client's positions count."""
    return to_units(label, span[0], "utf-16"), to_units(label, span[1], "utf-16")


def _about(parameter: Parameter) -> str | None:
    return parameter.about or None
