"""What a loaded file gives beside what its text told."""

from __future__ import annotations

from typing import Any

import pytest

from adal_ls.lint import Severity, check, read, tools_with_problems
from adal_ls.lint.differences import differences
from tests.lint.shapes import HEAD

TEXT = (
    HEAD
    + """CUSTOM_TOOLS = [
    f,
    {"function": g, "require_approval": False},
]
"""
)


def loaded(text: str) -> list[dict[str, Any]]:
    """The tools as the text has them, in the shape of the host's message."""
    file = read(text)
    return [
        {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.parameters,
            "requireApproval": tool.require_approval,
        }
        for tool in tools_with_problems(file, check(file))
    ]


def found(
    text: str, tools: list[dict[str, Any]], left_out: list[dict[str, Any]] | None = None
) -> list[tuple[str, str]]:
    file = read(text)
    told = differences(file, check(file), tools, left_out or [])
    assert all(finding.code == "ADAL905" for finding in told)
    return [(finding.severity.value, finding.message) for finding in told]


def test_a_file_that_gives_what_its_text_shows_has_none() -> None:
    assert found(TEXT, loaded(TEXT)) == []


def test_a_tool_that_the_loaded_file_does_not_have_is_an_error_with_the_reason() -> None:
    tools = [tool for tool in loaded(TEXT) if tool["name"] != "f"]
    reason = [{"tool": "f", "message": "its signature cannot be read"}]
    assert found(TEXT, tools, reason) == [
        ("error", "'f' is no tool once the file is loaded: its signature cannot be read")
    ]
    file = read(TEXT)
    (finding,) = differences(file, [], tools, reason)
    assert finding.range.start.line == TEXT.splitlines().index("def f(x: str) -> str:")


def test_a_tool_that_the_lint_has_left_out_already_is_not_told_twice() -> None:
    text = TEXT.replace("    f,", '    {"function": f, "name": "not-a-name"},')
    tools = [tool for tool in loaded(text) if tool["name"] == "g"]
    assert found(text, tools, [{"tool": "not-a-name", "message": "no", "code": "ADAL101"}]) == []
    assert found(text, tools) == []


def test_a_tool_that_the_text_does_not_show_is_information() -> None:
    extra = {"name": "hidden", "description": "", "parameters": {}, "requireApproval": True}
    assert found(TEXT, [*loaded(TEXT), extra]) == [
        (Severity.INFORMATION.value, "the loaded file also has the tool 'hidden', which cannot be seen in the text")
    ]
    computed = TEXT + "CUSTOM_TOOLS += more()\n"
    assert found(computed, [*loaded(TEXT), extra]) == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"requireApproval": False}, "'f' runs without asking once the file is loaded"),
        ({"description": "Other."}, "another description of 'f'"),
        (
            {"parameters": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}},
            "x.type is integer, not string",
        ),
        ({"parameters": {"type": "object", "properties": {}}}, "properties.x is not there"),
    ],
)
def test_what_a_model_is_told_otherwise_is_a_warning_that_names_the_place(change: dict[str, Any], words: str) -> None:
    tools = loaded(TEXT)
    tools[0] = {**tools[0], **change}
    ((severity, message),) = found(TEXT, tools)
    assert severity == "warning"
    assert words in message


def test_a_type_that_only_the_loaded_file_knows_is_no_difference() -> None:
    text = "from elsewhere import Row\n\n\ndef f(row: Row) -> str:\n    ...\n\n\nCUSTOM_TOOLS = [f]\n"
    tools = loaded(text)
    tools[0]["parameters"] = {
        "type": "object",
        "properties": {"row": {"type": "object", "properties": {"a": {"type": "string"}}}},
        "required": ["row"],
    }
    assert found(text, tools) == []


def test_what_is_listed_under_a_condition_may_be_missing_but_not_be_refused() -> None:
    text = f"{HEAD}CUSTOM_TOOLS = [f]\nif os.environ.get('X'):\n    CUSTOM_TOOLS.append(g)\n"
    tools = [tool for tool in loaded(text) if tool["name"] == "f"]
    assert found(text, tools) == []
    assert found(text, tools, [{"tool": "g", "message": "its signature cannot be read"}]) == [
        ("error", "'g' is no tool once the file is loaded: its signature cannot be read")
    ]
    assert len(found(text, [])) == 1, "the other one is listed for certain"


def test_a_tool_that_branches_define_is_one_of_them() -> None:
    text = (
        "try:\n    import fancy\n\n    def fetch(url: str) -> str:\n        'Fetch with fancy.'\n"
        "except ImportError:\n\n    def fetch(url: str, retries: int = 1) -> str:\n        'Fetch simply.'\n\n\n"
        "CUSTOM_TOOLS = [fetch]\n"
    )
    other = text.replace("    def fetch(url: str) -> str:\n        'Fetch with fancy.'", "    pass")
    assert found(text, loaded(text)) == []
    assert found(text, loaded(other)) == []
    ((_, message),) = found(text, [{**loaded(text)[0], "description": "Fetch otherwise."}])
    assert "another description of 'fetch'" in message


def test_a_default_that_only_the_run_tells_is_no_difference() -> None:
    text = "import os\ndef f(where: str = os.environ.get('X', 'here'), default: int = 1): ...\nCUSTOM_TOOLS = [f]\n"
    tools = loaded(text)
    tools[0]["parameters"]["properties"]["where"]["default"] = "here"
    assert found(text, tools) == []
    del tools[0]["parameters"]["properties"]["default"]["default"]
    assert len(found(text, tools)) == 1
    more = {**loaded(text)[0]["parameters"]["properties"], "default_of": {}}
    tools[0]["parameters"] = {**loaded(text)[0]["parameters"], "properties": more}
    assert len(found(text, tools)) == 1
