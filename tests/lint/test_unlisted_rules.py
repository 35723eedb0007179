from __future__ import annotations

from textwrap import indent

import pytest

from adal_ls.lint import Severity
from tests.lint.marks import F, G, codes, fixed, marked, only


def test_a_documented_typed_function_that_nothing_uses_is_a_hint() -> None:
    source = f"{F}{G}CUSTOM_TOOLS = [f]\n"
    finding = only(source, "ADAL212")
    assert (finding.severity, marked(source, finding), finding.range.start.line) == (Severity.HINT, "g", 5)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("CUSTOM_TOOLS = [f]\n", "CUSTOM_TOOLS = [f, g]\n"),
        ("CUSTOM_TOOLS = (f,)\n", "CUSTOM_TOOLS = (f, g,)\n"),
        ("CUSTOM_TOOLS = [\r\n    f,\r\n]\r\n", "CUSTOM_TOOLS = [\r\n    f,\r\n    g,\r\n]\r\n"),
        ("CUSTOM_TOOLS = [\n\tf  # the first\n]\n", "CUSTOM_TOOLS = [\n\tf,\n\tg  # the first\n]\n"),
    ],
)
def test_the_fix_lists_it_in_the_style_of_the_list(before: str, after: str) -> None:
    head = F + G if "\r" not in before else (F + G).replace("\n", "\r\n")
    finding = only(head + before, "ADAL212")
    assert fixed(head + before, finding.fixes[0]) == head + after
    assert codes(head + after) == []
    assert not finding.fixes[0].preferred


@pytest.mark.parametrize(
    "rest",
    [
        "CUSTOM_TOOLS = [f]\n\nx = g\n",
        "CUSTOM_TOOLS = [f]\n__all__ = ['g']\n",
        "CUSTOM_TOOLS = [f]\nCUSTOM_TOOLS += make()\n",
        "CUSTOM_TOOLS = [f, *more]\n",
        "# CUSTOM_TOOLS = [f, g]\nCUSTOM_TOOLS = [f]\n",
        "",
    ],
)
def test_a_function_that_is_used_or_may_be_is_left_alone(rest: str) -> None:
    assert "ADAL212" not in codes(f"{F}{G}{rest}")


@pytest.mark.parametrize(
    "function",
    [
        G.replace("def g", "def _g"),
        G.replace("def g", "def main"),
        G.replace("x: str", "x"),
        G.replace('"""Do g."""', "..."),
        f"@app.command\n{G}",
        "class A:\n" + indent(G, "    "),
        "if True:\n" + indent(G, "    "),
        "def g() -> str:\n    'Do g.'\n",
    ],
)
def test_a_function_that_does_not_plainly_look_like_a_tool_is_left_alone(function: str) -> None:
    source = f"{F}{function}\n\nCUSTOM_TOOLS = [f]\n"
    assert codes(source) == []
