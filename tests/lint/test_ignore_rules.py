from __future__ import annotations

import pytest

from adal_ls.lint import Config, Severity, check, read
from tests.lint.marks import codes, fixed, marked, only

TOOL = "    'Do f.'\n    return x\n\n\nCUSTOM_TOOLS = [f]\n"


def test_a_comment_that_silences_nothing_is_a_hint_on_the_code() -> None:
    source = f"def f(x: str):  # adal: ignore[ADAL303]\n{TOOL}"
    finding = only(source, "ADAL002")
    assert (finding.severity, marked(source, finding)) == (Severity.HINT, "ADAL303")
    assert codes(f"def f(x):  # adal: ignore[ADAL303]\n{TOOL}") == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f(x: str):  # adal: ignore[ADAL303]", "def f(x: str):"),
        ("def f(x: str):  # adal: ignore[ADAL303] on purpose", "def f(x: str):  # on purpose"),
        ("def f(x: str):  # adal: ignore[ADAL303]  # noqa: A1", "def f(x: str):  # noqa: A1"),
        ("def f(x: str):  # noqa: A1  # adal: ignore[ADAL303]", "def f(x: str):  # noqa: A1"),
        ("def f(x):  # adal: ignore[ADAL303, ADAL304]", "def f(x):  # adal: ignore[ADAL303]"),
        ("def f(x):  # adal:ignore[ADAL304,ADAL303]", "def f(x):  # adal:ignore[ADAL303]"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_fix_takes_out_what_is_not_needed_and_no_more(before: str, after: str, end: str) -> None:
    source = f"{before}\n{TOOL}".replace("\n", end)
    finding = only(source, "ADAL002")
    mended = fixed(source, finding.fixes[0])
    assert mended == f"{after}\n{TOOL}".replace("\n", end)
    assert codes(mended) == []


def test_an_unknown_code_is_named_with_the_nearest() -> None:
    message = only(f"def f(x: str):  # adal: ignore[ADAL3O3]\n{TOOL}", "ADAL002").message
    assert "no rule ADAL3O3; did you mean ADAL3" in message


def test_a_code_that_cannot_be_silenced_is_told() -> None:
    source = f"def bash(x: str):  # adal: ignore[ADAL104]\n{TOOL.replace('[f]', '[bash]')}"
    assert "cannot be silenced" in only(source, "ADAL002").message
    assert codes(source) == ["ADAL104", "ADAL002"]


def test_a_code_that_is_switched_off_or_found_at_load_is_not_judged() -> None:
    source = f"def f(x: str):  # adal: ignore[ADAL303, ADAL901]\n{TOOL}"
    assert check(read(source), Config(ignore=("ADAL303",))) == []


def test_text_in_a_string_is_no_comment() -> None:
    text = "HELP = '''\n# adal: ignore[ADAL303]\n'''\nLINE = '# adal: ignore[ADAL303]'\n"
    assert codes(f"{text}def f(x: str):\n{TOOL}") == []
    assert codes(f"def f(x, y='# adal: ignore[ADAL303]'):\n{TOOL}") == ["ADAL303"]


@pytest.mark.parametrize("written", ["adal303", "ADAL3", "adal3", "untyped-parameter", "Untyped-Parameter", "ADAL"])
def test_a_rule_can_be_named_in_any_case_by_its_name_and_by_its_family(written: str) -> None:
    assert codes(f"def f(x):  # adal: ignore[{written}]\n{TOOL}") == []
    assert codes(f"def f(x):  # Adal: Ignore[ADAL2, {written}]\n{TOOL}") == ["ADAL002"]


@pytest.mark.parametrize(
    "comment", ["# adal: ignore", "# adal:ignore[]", "# adal: ignore[ADAL303", "# adal: ignore: x"]
)
def test_a_comment_without_codes_silences_nothing_and_says_so(comment: str) -> None:
    source = f"def f(x):  {comment}\n{TOOL}"
    assert codes(source) == ["ADAL303", "ADAL002"]
    assert "name what is to be silenced, such as # adal: ignore[ADAL303]" in only(source, "ADAL002").message


def test_the_fix_takes_a_comment_without_codes_out() -> None:
    source = f"def f(x: str):  # adal: ignore\n{TOOL}"
    assert fixed(source, only(source, "ADAL002").fixes[0]) == f"def f(x: str):\n{TOOL}"


def test_a_family_does_not_silence_what_the_runtime_refuses() -> None:
    source = f"def bash(x: str):  # adal: ignore[ADAL1]\n{TOOL.replace('[f]', '[bash]')}"
    assert codes(source) == ["ADAL104", "ADAL002"]


def test_other_words_that_begin_alike_are_no_such_comment() -> None:
    assert codes(f"def f(x: str):  # adal: ignored by purpose, adal: ignore-list\n{TOOL}") == []
