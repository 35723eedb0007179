"""Completions, as a text with a cursor becomes another text."""

from __future__ import annotations

import pytest

from adal_ls.lint import Lines, read
from adal_ls.lint.authoring.completion import Suggestion, complete
from tests.lint.corpus import corpus
from tests.lint.cursors import at_cursor

TWO = 'def f(x: str) -> str:\n    """Do f."""\n    return x\n\n\ndef _g(): ...\ndef h(): ...\n\n'
OUTPUT = "from adalflow.core.types import ToolOutput\n\n\ndef f():\n    return "


def suggestions(source: str) -> list[Suggestion]:
    text, place = at_cursor(source)
    return complete(read(text), place)


def labels(source: str) -> list[str]:
    return [suggestion.label for suggestion in suggestions(source)]


def accepted(source: str, label: str) -> str:
    """The text after a suggestion is taken."""
    text, place = at_cursor(source)
    [found] = [suggestion for suggestion in complete(read(text), place) if suggestion.label == label]
    lines = Lines(text)
    assert found.range.start <= place <= found.range.end
    return text[: lines.offset(found.range.start)] + found.text + text[lines.offset(found.range.end) :]


KEYS = ["function", "name", "description", "require_approval"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("CUSTOM_TOOLS = [{$0}]", KEYS),
        ("CUSTOM_TOOLS = [{$0", KEYS),
        ('CUSTOM_TOOLS = [{"function": f, $0}]', KEYS[1:]),
        ('CUSTOM_TOOLS = [{"function": f, $0', KEYS[1:]),
        ('CUSTOM_TOOLS = [{"function": f, "$0"}]', KEYS[1:]),
        ('CUSTOM_TOOLS = [{"function": f, "na$0', KEYS[1:]),
        ('CUSTOM_TOOLS = [{$0, "function": f, "name": "n"}, h]', ["description", "require_approval"]),
        ('CUSTOM_TOOLS = [{"name": "a"}, {$0}]', KEYS),
        (
            'CUSTOM_TOOLS = (\n    {"function": h},\n    {"function": f,\n     "require_approval": True,\n     $0\n',
            KEYS[1:3],
        ),
        ("CUSTOM_TOOLS += [{$0}]", KEYS),
        ('CUSTOM_TOOLS: list = [{"function": f, $0}]', KEYS[1:]),
        ("CUSTOM_TOOLS = [f, {'function': h, '$0'}]", KEYS[1:]),
        ('CUSTOM_TOOLS = [{"require_approval": $0}]', ["True", "False"]),
        ('CUSTOM_TOOLS = [{"require_approval": Fa$0', ["True", "False"]),
        ('CUSTOM_TOOLS = [{"name": "$0"}]', []),
        ('CUSTOM_TOOLS = [{"name": $0}]', []),
        ('CUSTOM_TOOLS = [{"description": "function: $0"}]', []),
        ("CUSTOM_TOOLS = [f]  # {$0", []),
        ("OTHER = [{$0}]", []),
    ],
)
def test_keys_and_values_of_an_entry(line: str, expected: list[str]) -> None:
    assert labels(f"{TWO}{line}\n") == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("CUSTOM_TOOLS = [$0]", ["f", "h", "_g"]),
        ("CUSTOM_TOOLS = [f, $0]", ["h", "_g"]),
        ("CUSTOM_TOOLS = [f, $0", ["h", "_g"]),
        ("CUSTOM_TOOLS = [$0, h]", ["f", "_g"]),
        ("CUSTOM_TOOLS = [f, h$0]", ["h", "_g"]),
        ('CUSTOM_TOOLS = [{"function": f}, $0]', ["h", "_g"]),
        ('CUSTOM_TOOLS = [{"function": f}, $0', ["h", "_g"]),
        ('CUSTOM_TOOLS = [f, {"function": $0}]', ["h", "_g"]),
        ('CUSTOM_TOOLS = [{"function": $0}, h]', ["f", "_g"]),
        ('CUSTOM_TOOLS = [{"function": f$0, "name": "n"}]', ["f", "h", "_g"]),
        ("CUSTOM_TOOLS.append($0)", ["f", "h", "_g"]),
        ("CUSTOM_TOOLS = [f]\nCUSTOM_TOOLS += [$0]", ["h", "_g"]),
        ("CUSTOM_TOOLS = [\n    f,\n    $0\n\ndef i(): ...", ["h", "i", "_g"]),
    ],
)
def test_functions_that_are_not_listed_public_ones_first(line: str, expected: list[str]) -> None:
    found = [suggestion.label for suggestion in suggestions(f"{TWO}{line}\n") if suggestion.kind.value == "function"]
    assert found == expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("ToolOutput($0)", ["output=", "observation=", "display=", "status=", "metadata=", "is_streaming="]),
        ("ToolOutput(output=1, $0", ["observation=", "display=", "status=", "metadata=", "is_streaming="]),
        (
            "ToolOutput(output={'observation': 1}, ob$0, status='error')",
            ["observation=", "display=", "metadata=", "is_streaming="],
        ),
        ("ToolOutput(output=1, status=$0)", ["success", "error", "cancelled"]),
        ("ToolOutput(output=1, status='$0'", ["success", "error", "cancelled"]),
        ("ToolOutput(output=$0)", []),
        ("ToolOutput(output=[$0])", []),
        ("ToolOutput(output=other($0))", []),
        ("Other($0)", []),
    ],
)
def test_fields_and_statuses_of_a_result(call: str, expected: list[str]) -> None:
    assert labels(f"{OUTPUT}{call}\n\n\nCUSTOM_TOOLS = [f]\n") == expected


def test_a_result_under_another_name_counts() -> None:
    source = OUTPUT.replace("import ToolOutput", "import ToolOutput as Out") + "Out($0)\n"
    assert labels(source)[0] == "output="


@pytest.mark.parametrize(
    ("before", "label", "after"),
    [
        ('[{"function": f, $0}]', "name", '[{"function": f, "name": ""}]'),
        ('[{"function": f, "na$0"}]', "name", '[{"function": f, "name": ""}]'),
        ("[{'function': f, 'na$0", "name", "[{'function': f, 'name': \"\""),
        ('[{"function": f, "na$0": "n"}]', "name", '[{"function": f, "name": "n"}]'),
        ('[{"description": "🎫 é", nam$0}]', "name", '[{"description": "🎫 é", "name": ""}]'),
        ("[f, $0]", "h", "[f, h]"),
        ("[f, h$0e]", "h", "[f, h]"),
        ("[$0]", '{"function": …}', '[{"function": }]'),
        ('[f, {"function": _g}, $0]', '{"function": …}', '[f, {"function": _g}, {"function": h}]'),
    ],
)
def test_a_suggestion_replaces_what_is_written(before: str, label: str, after: str) -> None:
    assert accepted(f"{TWO}CUSTOM_TOOLS = {before}\n", label) == f"{TWO}CUSTOM_TOOLS = {after}\n"


def test_a_status_keeps_the_quotes_that_are_there() -> None:
    assert accepted(f"{OUTPUT}ToolOutput(status='er$0')\n", "error") == f"{OUTPUT}ToolOutput(status='error')\n"
    assert accepted(f"{OUTPUT}ToolOutput(status=$0)\n", "error") == f'{OUTPUT}ToolOutput(status="error")\n'


@pytest.mark.parametrize("typed", ["", "d", "def", "def ", "def ne", "async def ne"])
def test_a_new_tool_at_the_top_level_has_no_findings(typed: str) -> None:
    source = f"{TWO}{typed}$0\n\nCUSTOM_TOOLS = [f]\n"
    [found] = [one for one in suggestions(source) if "new tool" in one.label]
    text, _ = at_cursor(source)
    lines = Lines(text)
    written = text[: lines.offset(found.range.start)] + found.text + text[lines.offset(found.range.end) :]
    file = read(written.replace("CUSTOM_TOOLS = [f]", "CUSTOM_TOOLS = [f, tool_name]"))
    assert file.syntax == ()
    assert file.tools[-1].parameters["required"] == ["text"]
    assert "${" in found.snippet


def test_the_new_tool_has_the_line_ends_of_the_file() -> None:
    [found] = [one for one in suggestions("x = 1\r\n$0\r\nCUSTOM_TOOLS = []\r\n") if "new tool" in one.label]
    assert found.text.count("\r\n") == found.text.count("\n") > 3


def test_the_list_is_suggested_where_it_is_missing() -> None:
    assert accepted(f"{TWO}$0", "CUSTOM_TOOLS") == f"{TWO}CUSTOM_TOOLS = [f, h]"
    assert "CUSTOM_TOOLS" not in labels(f"{TWO}$0\nCUSTOM_TOOLS = []\n")
    assert "CUSTOM_TOOLS" not in labels(f"{TWO}$0\n\nCUSTOM_TOOLS = [f, \n")


@pytest.mark.parametrize("source", ['"""Text.\n$0\n"""\n', "def f():\n    $0\n", "x = $0\n", "# $0\n", "x = '$0\n"])
def test_nothing_is_suggested_elsewhere(source: str) -> None:
    assert labels(source) == []


def test_no_place_of_real_files_and_of_their_beginnings_fails() -> None:
    for file in corpus(12):
        lines = Lines(file.text)
        whole = read(file.text)
        for offset in range(0, len(file.text), 37):
            complete(whole, lines.position(offset))
            if offset % 5 == 0:
                complete(read(file.text[:offset]), lines.position(offset))
