from __future__ import annotations

import pytest

from adal_ls.workspace import visible


@pytest.mark.parametrize(
    ("hidden", "shown"),
    [
        ("\x1b[2K", r"\u{1b}[2K"),
        ("a\u202eb", r"a\u{202e}b"),
        ("a\u2066b\u2069", r"a\u{2066}b\u{2069}"),
        ("a\u200bb", r"a\u{200b}b"),
        ("\ufeff", r"\u{feff}"),
        ("\xad", r"\u{ad}"),
        ("\u3164", r"\u{3164}"),
        ("\u2800", r"\u{2800}"),
        ("a\ufe0f", r"a\u{fe0f}"),
        ("\U000e0041", r"\u{e0041}"),
        ("\xa0", r"\u{a0}"),
        ("\u2028", r"\u{2028}"),
        ("\ud800", r"\u{d800}"),
        ("a\rb", r"a\u{d}b"),
        ("\t", r"\u{9}"),
    ],
)
def test_characters_that_cannot_be_seen_are_spelled_out(hidden: str, shown: str) -> None:
    assert visible.escaped(hidden) == shown


def test_text_that_can_be_seen_stays() -> None:
    assert visible.escaped("naïve 漢字 😀 a b\nc") == "naïve 漢字 😀 a b\nc"


def test_arguments_are_complete_json_with_nothing_hidden() -> None:
    shown = visible.arguments({"command": "ls\u202e\n", "n": [1, None]})
    assert r"\u{202e}" in shown
    assert r"\n" in shown
    assert '"n": [' in shown
    assert "null" in shown
