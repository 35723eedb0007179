from __future__ import annotations

import random

import pytest

from adal_ls.server.documents.lines import TextLines, split_lines


@pytest.mark.parametrize("seed", range(5))
def test_lines_after_any_replacements_are_those_of_the_text(seed: int) -> None:
    rng = random.Random(seed)
    expected = [f"line {number}\n" for number in range(rng.choice([0, 3, 600, 5000]))] + ["end"]
    lines = TextLines.of("".join(expected))
    for _ in range(60):
        first = rng.randrange(len(expected))
        last = min(first + rng.choice([0, 0, 1, 700]), len(expected) - 2 if first < len(expected) - 1 else first)
        new = [f"new {rng.random()}\n" for _ in range(rng.choice([0, 1, 1, 2, 1500]))]
        if last == len(expected) - 1:
            new.append("end")
        before = tuple(lines)
        replaced = lines.replaced(first, last, tuple(new))
        assert tuple(lines) == before
        lines = replaced
        expected[first : last + 1] = new
        assert tuple(lines) == tuple(expected)
        assert len(lines) == len(expected)
        assert [lines[at] for at in (0, -1, len(expected) // 2)] == [expected[at] for at in (0, -1, len(expected) // 2)]
        assert lines.text == "".join(expected)


def test_a_line_past_the_end_is_an_error() -> None:
    with pytest.raises(IndexError):
        TextLines.of("a\nb")[2]


def test_only_line_ends_of_lsp_end_a_line() -> None:
    assert split_lines("a\rb\r\nc\n\x0c\u2028d") == ("a\r", "b\r\n", "c\n", "\x0c\u2028d")
