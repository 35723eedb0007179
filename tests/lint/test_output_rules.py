from __future__ import annotations

import pytest

from adal_ls.lint import Severity
from tests.lint.marks import check as check_marked
from tests.lint.marks import codes, fixed, marked, only

IMPORT = "from adalflow.core.types import ToolOutput\n\n\n"


def tool(call: str, head: str = IMPORT) -> str:
    return f'{head}def f(x: str):\n    """Do f."""\n    return {call}\n\n\nCUSTOM_TOOLS = [f]\n'


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("from adalflow.core.types import ToolOutput", "ToolOutput"),
        ("from adalflow.core.types import ToolOutput as TO", "TO"),
        ("import adalflow.core.types as t", "t.ToolOutput"),
        ("import adalflow.core.types", "adalflow.core.types.ToolOutput"),
        ("from adalflow.core import types", "types.ToolOutput"),
        ("from adal_ls import ToolOutput", "ToolOutput"),
        ("from adal_ls.sdk import ToolOutput\nResult = ToolOutput", "Result"),
        (
            "try:\n    from adalflow.core.types import ToolOutput\nexcept ImportError:\n    ToolOutput = dict",
            "ToolOutput",
        ),
    ],
)
def test_the_class_is_known_by_its_imports(head: str, name: str) -> None:
    assert codes(tool(f"{name}(output=x, bogus=1)", f"{head}\n\n\n")) == ["ADAL501"]


@pytest.mark.parametrize(
    "head",
    ["", "from pack import ToolOutput\n", "class ToolOutput:\n    pass\n", "from langchain.schema import ToolOutput\n"],
)
def test_another_class_of_that_name_is_none_of_ours(head: str) -> None:
    assert codes(tool('ToolOutput(1, 2, 3, 4, bogus=1, status="no")', head)) == []


def test_an_import_inside_the_function_counts_too() -> None:
    body = "    from adalflow.core.types import ToolOutput\n    return ToolOutput(status='no')\n"
    assert codes(f"def f(x: str):\n    'Do f.'\n{body}\n\nCUSTOM_TOOLS = [f]\n") == ["ADAL502"]


def test_unknown_fields_are_marked_by_name() -> None:
    first, second = check_marked(
        IMPORT
        + """def f(x: str) -> ToolOutput:
    'Do f.'
    return ToolOutput(output=x, message=x, bogus=1, display=x, status="success", metadata={}, is_streaming=False)
#                               ^^^^^^^ ADAL501
#                                          ^^^^^ ADAL501


CUSTOM_TOOLS = [f]
"""
    )
    assert first.severity is Severity.WARNING
    assert "did you mean 'observation'?" in first.message
    assert "the fields are output, observation, display, is_streaming, metadata, status" in second.message
    assert second.fixes == ()


def test_the_fix_names_the_field_unless_it_is_given_already() -> None:
    source = tool("ToolOutput(observaton = x)")
    assert "ToolOutput(observation = x)" in fixed(source, only(source, "ADAL501").fixes[0])
    assert only(tool("ToolOutput(observaton=x, observation=x)"), "ADAL501").fixes == ()


@pytest.mark.parametrize(
    ("written", "after"),
    [
        ('"failed"', '"error"'),
        ("'Success'", "'success'"),
        ('"ok"', '"success"'),
        ('"canceled"', '"cancelled"'),
        ('"eror"', '"error"'),
    ],
)
def test_a_status_that_means_nothing_is_replaced_by_the_nearest(written: str, after: str) -> None:
    source = tool(f"ToolOutput(output=x, status={written})")
    finding = only(source, "ADAL502")
    assert (finding.severity, marked(source, finding)) == (Severity.WARNING, written)
    assert f"status={after})" in fixed(source, finding.fixes[0])


@pytest.mark.parametrize("status", ['"success"', '"error"', '"cancelled"', "x", "'error' if x else 'success'"])
def test_statuses_that_are_known_or_computed_are_fine(status: str) -> None:
    assert codes(tool(f"ToolOutput(output=x, status={status})")) == []


@pytest.mark.parametrize("status", ["None", "True", "1"])
def test_a_status_that_is_no_string_is_told(status: str) -> None:
    assert "must be one of" in only(tool(f"ToolOutput(output=x, status={status})"), "ADAL502").message


def test_the_fourth_positional_argument_is_not_the_status() -> None:
    source = tool('ToolOutput(x, "a", "b", "error")')
    finding = only(source, "ADAL503")
    assert (finding.severity, marked(source, finding)) == (Severity.WARNING, '"error"')
    assert 'ToolOutput(x, "a", "b", status="error")' in fixed(source, finding.fixes[0])
    assert only(tool("ToolOutput(x, x, x, True)"), "ADAL503").fixes == ()
    assert codes(tool("ToolOutput(x, 'a', 'b')")) == []
    assert codes(tool("ToolOutput(*x)")) == []


@pytest.mark.parametrize("value", ["123", "{'a': x}", "[x]", "True", "(x, x)", "b'x'"])
def test_texts_must_be_text(value: str) -> None:
    source = tool(f"ToolOutput(output=x, display={value})")
    finding = only(source, "ADAL504")
    assert (finding.severity, marked(source, finding)) == (Severity.WARNING, value)
    assert codes(tool(f"ToolOutput(x, {value})")) == ["ADAL504"]


@pytest.mark.parametrize("value", ["'text'", "f'{x}'", "x", "None", "str(x)", "'a' + x", "('a' 'b')"])
def test_what_is_text_or_may_be_is_fine(value: str) -> None:
    assert codes(tool(f"ToolOutput(output=x, observation={value})")) == []


def test_the_slip_is_told_in_functions_that_are_no_tools_as_well() -> None:
    helper = "def _ok(x):\n    return ToolOutput(output=x, status='fine')\n\n\n"
    assert codes(tool("_ok(x)", IMPORT + helper)) == ["ADAL502"]


def test_plain_return_values_are_never_spoken_of() -> None:
    assert codes(tool("{'status': 'fine', 'message': x}")) == []
