"""A text that is edited is cut into the same chunks as one that is read anew."""

from __future__ import annotations

import os
import random

import pytest

from adal_ls.lint.reading.chunks import read_chunks
from adal_ls.lint.reading.rows import cuts, row_of
from tests.lint.edits import random_edits, split_lines
from tests.lint.test_session import IN_A_ROW, texts

EDITS = int(os.environ.get("ADAL_EDITS", "3000"))
pytestmark = pytest.mark.timeout(max(120, EDITS // 10))


@pytest.mark.parametrize("seed", range(5))
def test_the_chunks_after_any_edits_are_those_of_a_fresh_read(seed: int) -> None:
    rng, sources = random.Random(seed), texts()
    for _ in range(max(EDITS // 5 // IN_A_ROW, 1)):
        text = rng.choice(sources)
        row, done = row_of(text), []
        for first, last, new in random_edits(text, rng, IN_A_ROW):
            done.append((first, last, new))
            lines = split_lines(text)
            text = "".join([*lines[:first], new, *lines[last + 1 :]])
            row.replace(first, last, new)
            assert [held.chunk.text for held in row.held] == [found.text for found in cuts(text)], done
            assert [held.first for held in row.held] == _firsts(row_sizes=[held.chunk.size for held in row.held])


def test_a_slip_ends_where_the_next_definition_begins_and_not_when_that_is_gone() -> None:
    row = row_of("x = (\ndef f():\n    pass\n")
    assert [held.chunk.text for held in row.held] == ["x = (\n", "def f():\n    pass\n"]
    row.replace(1, 1, "f():\n")
    assert [held.chunk.text for held in row.held] == [found.text for found in read_chunks("x = (\nf():\n    pass\n")]


def _firsts(row_sizes: list[int]) -> list[int]:
    return [sum(row_sizes[:number]) for number in range(len(row_sizes))]
