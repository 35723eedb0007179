from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adal_ls.agent.models.unrepeated import Unrepeated


def rest(shown: str, pieces: list[str]) -> str:
    text = Unrepeated(shown)
    return "".join(text.rest(piece) for piece in pieces)


@given(st.text(), st.text(), st.lists(st.integers(0, 40)))
def test_an_answer_that_begins_like_the_first_goes_on_where_that_broke_off(
    shown: str, more: str, cuts: list[int]
) -> None:
    whole = shown + more
    places = sorted({0, len(whole), *(cut for cut in cuts if cut < len(whole))})
    pieces = [whole[a:b] for a, b in pairwise(places)]
    assert rest(shown, pieces) == more


@pytest.mark.parametrize("pieces", [["I will check."], ["I ", "will", " check."], list("I will check.")])
def test_another_answer_stands_as_a_whole_in_a_paragraph_of_its_own(pieces: list[str]) -> None:
    assert rest("I will look", pieces) == "\n\nI will check."


def test_an_answer_that_says_less_shows_nothing_more() -> None:
    assert rest("I will look", ["I wi"]) == ""
    assert rest("I will look", []) == ""
