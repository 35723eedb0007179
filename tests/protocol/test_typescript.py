from __future__ import annotations

from pathlib import Path

from adal_ls.protocol import messages, methods, typescript

GENERATED = Path(__file__).parents[2] / "vscode-client" / "src" / "protocol.ts"


def test_the_committed_types_are_those_of_the_models() -> None:
    assert GENERATED.read_text(encoding="utf-8") == typescript.render(), (
        "the messages changed: run `python -m adal_ls.protocol.typescript > vscode-client/src/protocol.ts`"
    )


def test_every_message_of_an_editor_is_typed_and_no_other() -> None:
    text = typescript.render()
    for method in methods.TABLE:
        seen_by_editor = "host" not in (method.sender, method.receiver)
        assert (f'"{method.name}":' in text) == seen_by_editor, method.name
        if seen_by_editor:
            assert (
                f"interface {messages.PARAMS[method.name].__name__} " in text
                or messages.PARAMS[method.name].__name__ == "Empty"
            )


def test_a_field_with_a_default_may_be_absent_and_is_never_null() -> None:
    text = typescript.render()
    assert "  projectRoot?: string;" in text
    assert "| null" not in text.replace("export type JsonValue = null | boolean", "")


def test_the_members_of_the_event_union_are_told_apart_by_a_required_type() -> None:
    text = typescript.render()
    assert '  type: "toolResult";' in text
    assert "type?:" not in text


def test_comments_call_fields_as_they_are_on_the_wire() -> None:
    text = typescript.render()
    assert "`updatedInput` replaces the arguments" in text
    assert "updated_input" not in text
