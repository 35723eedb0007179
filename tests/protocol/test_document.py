from __future__ import annotations

import json
from pathlib import Path

from adal_ls.protocol import document, messages, methods
from adal_ls.protocol.approvals import ApprovalOption, ApprovalRequest

DOCS = Path(__file__).parents[2] / "docs"
_RENEW = "the messages changed: run `python -m adal_ls.protocol.document`"


def test_the_committed_document_is_that_of_the_models() -> None:
    assert (DOCS / "protocol.md").read_text(encoding="utf-8") == document.markdown(), _RENEW


def test_the_committed_schema_is_that_of_the_models() -> None:
    assert (DOCS / "protocol.schema.json").read_text(encoding="utf-8") == document.schema(), _RENEW


def test_every_message_has_models_and_requests_have_answers() -> None:
    names = [method.name for method in methods.TABLE]
    assert len(set(names)) == len(names)
    assert set(messages.PARAMS) == set(names)
    assert set(messages.RESULTS) == {method.name for method in methods.TABLE if method.kind == "request"}


def test_every_message_name_of_the_module_is_in_the_table() -> None:
    named = {value for value in vars(methods).values() if isinstance(value, str) and value.startswith("adal/")}
    assert named == {method.name for method in methods.TABLE}


def test_every_message_has_one_line_in_the_document_and_an_entry_in_the_schema() -> None:
    text = document.markdown()
    table = json.loads(document.schema())["messages"]
    for method in methods.TABLE:
        assert text.count(f"| `{method.name}`<br>") == 1
        assert method.summary in text
        assert table[method.name]["kind"] == method.kind
        assert ("result" in table[method.name]) == (method.kind == "request")


def test_every_model_named_in_the_document_is_described_there() -> None:
    text = document.markdown()
    for model in {*messages.PARAMS.values(), *messages.RESULTS.values()}:
        assert f"(#{model.__name__.lower()})" in text
        assert f"### {model.__name__}\n" in text


def test_the_schema_names_fields_as_they_are_on_the_wire() -> None:
    definitions = json.loads(document.schema())["$defs"]
    request = ApprovalRequest(
        approval_id="a",
        run_id="r",
        call_id="c",
        tool="t",
        args_digest="d",
        options=[ApprovalOption(option_id="o", kind="allow_once", label="Allow once")],
    )
    known = definitions["ApprovalRequest"]
    assert set(request.wire()) <= set(known["properties"])
    assert "approvalId" in known["required"]
    assert "arguments" not in known["required"]
