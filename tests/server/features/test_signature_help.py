from __future__ import annotations

from typing import Any

from lsprotocol import types

from adal_ls.server.features.signature_help import signature_help

OFFSETS = {
    "textDocument": {
        "signatureHelp": {"signatureInformation": {"parameterInformation": {"labelOffsetSupport": True}}},
    }
}
TEXT = 'def f(a: str = "😀", b: int = 1):\n    """Do f.\n\n    Args:\n        b: How many.\n    """\n\n\nx = f(1, $0)\n'


def asked(marked: Any, text: str, client: dict[str, Any] | None = None) -> types.SignatureHelp | None:
    at = marked(text) if client is None else marked(text, client)
    params = types.SignatureHelpParams(types.TextDocumentIdentifier(at.uri), at.position)
    return signature_help(at.snapshot, params)


def test_the_active_parameter_is_named_with_what_it_is_for(marked: Any) -> None:
    found = asked(marked, TEXT)
    assert found is not None
    (shown,) = found.signatures
    assert shown.parameters is not None
    assert (shown.label, shown.documentation) == ("f(a: str = '😀', b: int = 1)", "Do f.")
    assert found.active_parameter == 1
    assert (shown.parameters[1].label, shown.parameters[1].documentation) == ("b: int = 1", "How many.")


def test_a_client_that_knows_offsets_gets_them_in_utf_16(marked: Any) -> None:
    found = asked(marked, TEXT, OFFSETS)
    assert found is not None
    (shown,) = found.signatures
    assert shown.parameters is not None
    units = shown.label.encode("utf-16-le")
    span = shown.parameters[1].label
    assert isinstance(span, tuple)
    assert units[2 * span[0] : 2 * span[1]].decode("utf-16-le") == "b: int = 1"


def test_without_an_active_parameter_there_is_none_to_mark(marked: Any) -> None:
    found = asked(marked, TEXT.replace("$0", "2, $0"))
    assert found is not None
    assert found.signatures[0].parameters is None


def test_elsewhere_there_is_no_answer(marked: Any) -> None:
    assert asked(marked, "x = 1$0\n") is None
