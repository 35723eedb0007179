from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from adal_ls.lint.fixes.nearest import KnownNames, _differing


def one_slip(word: str, name: str) -> bool:
    """Two letters side by side are added, dropped or changed, in a name of five letters and more."""
    return min(len(word), len(name)) > 4 and _differing(word, name) <= 2


names = st.sets(st.text("ab_1", min_size=1, max_size=9), max_size=30)


@given(names, st.text("ab_1", min_size=1, max_size=9))
def test_no_name_that_is_one_slip_away_is_missed(known: set[str], word: str) -> None:
    near = [name for name in known if one_slip(word, name)]
    if near:
        assert KnownNames(known).nearest(word) == min(near, key=lambda name: (_differing(word, name), name))


@given(names, names, names)
def test_names_that_come_and_go_are_known_as_if_they_had_always_been_there(
    first: set[str], added: set[str], gone: set[str]
) -> None:
    known = KnownNames(first)
    for name in added:
        known.add(name)
    for name in gone:
        known.discard(name)
    assert vars(known) == vars(KnownNames((first | added) - gone))


def test_among_thousands_the_similar_name_is_found() -> None:
    known = KnownNames(f"tool_{n}" for n in range(10_000))
    random.seed(1)
    assert known.nearest("tooll_4711") == "tool_4711"
    assert known.nearest("tol_4711") == "tool_4711"
    assert known.nearest("something_else") is None
