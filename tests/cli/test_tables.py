"""Lists at terminals of all widths."""

from __future__ import annotations

import pytest

from adal_ls.cli.tables import give_table

TITLES = ("Tool", "Problems", "Description")
ROWS = [
    (
        "draft_release_notes_for_everybody",
        "ADAL101 ADAL205",
        "Write what has changed since the last release, in words.",
    ),
    ("weather", "", "Tell the weather of a city [bold]now[/bold]."),
]
WORDS = " ".join(cell for row in ROWS for cell in row).split()


@pytest.mark.parametrize("columns", [40, 60, 80, 200])
def test_no_name_and_no_code_is_cut_at_any_width(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    give_table(TITLES, ROWS)
    shown = capsys.readouterr().out
    for word in WORDS:
        assert word in shown.split()
    assert max(map(len, shown.splitlines())) <= columns
    assert ("Problems" in shown) is (columns >= 80)


def test_where_a_table_has_no_room_an_entry_is_its_name_and_what_is_known_below(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    give_table(TITLES, ROWS)
    assert capsys.readouterr().out.splitlines()[-3:] == [
        "weather",
        "  Tell the weather of a city",
        "  [bold]now[/bold].",
    ]


def test_a_name_that_is_wider_than_the_table_could_be_is_not_cut(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "70")
    give_table(TITLES, [("n" * 64, "ADAL101", "Long.")])
    assert "n" * 64 in capsys.readouterr().out


def test_below_sixty_columns_there_is_no_table_even_where_one_would_fit(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for columns, lines in ((59, 2), (60, 5)):
        monkeypatch.setenv("COLUMNS", str(columns))
        give_table(TITLES, [("note", "ADAL101", "Keep a note.")])
        assert len(capsys.readouterr().out.splitlines()) == lines
