from __future__ import annotations

import pytest

from adal_ls.server.documents.positions import ENCODINGS, Encoding, choose, from_units, to_units

TICKET = 'CUSTOM_TOOLS = [{"function": f, "description": "🎫 é", "name": "bad-name"}]'


@pytest.mark.parametrize(("encoding", "column"), [("utf-16", 63), ("utf-8", 66), ("utf-32", 62)])
def test_columns_behind_an_emoji_count_the_units_of_the_encoding(encoding: Encoding, column: int) -> None:
    # https://github.com/astral-sh/ruff-lsp/issues/358
    code_point = TICKET.index('"bad-name"')
    assert to_units(TICKET, code_point, encoding) == column
    assert from_units(TICKET, column, encoding) == code_point


def test_columns_past_the_end_mean_the_end() -> None:
    for encoding in ENCODINGS:
        assert from_units("a😀", 99, encoding) == 2
        assert from_units("abc", 99, encoding) == 3


def test_a_column_inside_a_character_means_its_start() -> None:
    assert from_units("a😀b", 2, "utf-16") == 1
    assert from_units("aéb", 2, "utf-8") == 1


def test_lone_surrogates_have_a_width() -> None:
    assert to_units("\ud83dx", 2, "utf-16") == 2
    assert to_units("\ud83dx", 2, "utf-8") == 4


def test_negative_columns_are_the_start() -> None:
    assert from_units("abc", -3, "utf-16") == 0


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (["utf-8", "utf-16"], "utf-8"),
        (["utf-32"], "utf-32"),
        (["utf-7", "utf-8"], "utf-8"),
        (["utf-7"], "utf-16"),
        ([], "utf-16"),
        (None, "utf-16"),
        ("utf-8", "utf-16"),
        ([["utf-8"], None], "utf-16"),
    ],
)
def test_the_clients_first_known_encoding_is_taken(offered: object, chosen: str) -> None:
    assert choose(offered) == chosen
