"""Lists at a terminal: a table where there is room for one, else two lines an entry; no word is ever cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from adal_ls.cli.output import printable

if TYPE_CHECKING:
    from rich.console import Console

NARROW = 60
"""Columns below which no table is readable."""

_PROSE = 20
"""Columns of the last cell that are enough to read it in; longer words than that are broken there."""

_FRAME = 3  # columns around each cell; one more closes the row


def give_table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Prints `rows` as wide as the terminal is. The first cell names an entry, the last one is prose."""
    from rich.console import Console

    console = Console()
    shown = [[printable(cell) for cell in row] for row in rows]
    widths = None if console.width < NARROW else _widths(titles, shown, console.width)
    if widths is None:
        _give_entries(console, shown)
        return
    from rich.table import Table
    from rich.text import Text

    table = Table()
    for title, width in zip(titles, widths, strict=True):
        table.add_column(title, width=width, overflow="fold")
    for row in shown:
        # Text, not str: what a file or a prompt says is never markup.
        table.add_row(*(Text(cell) for cell in row))
    console.print(table)


def _widths(titles: Sequence[str], rows: Sequence[Sequence[str]], room: int) -> list[int] | None:
    """How wide each column is, None where some word would have to be cut: the first ones take what they need."""
    from rich.cells import cell_len

    columns = [[title, *cells] for title, *cells in zip(titles, *rows, strict=True)]
    wanted = [max(map(cell_len, cells)) for cells in columns]
    widths = [max(cell_len(word) for cell in cells for word in cell.split() or [""]) for cells in columns]
    widths[-1] = min(widths[-1], _PROSE)
    left = room - 1 - sum(width + _FRAME for width in widths)
    if left < 0:
        return None
    for number, width in enumerate(widths):
        more = min(wanted[number] - width, left)
        widths[number] += more
        left -= more
    return widths


def _give_entries(console: Console, rows: Sequence[Sequence[str]]) -> None:
    from rich.text import Text

    for name, *cells in rows:
        console.print(Text(name, style="bold", overflow="fold"))
        known = Text(" · ".join(cell for cell in cells if cell))
        for line in known.wrap(console, console.width - 2, overflow="fold"):
            console.print(Text(f"  {line.plain.rstrip()}"))
