from __future__ import annotations

import re
from pathlib import Path

from adal_ls.cli.program import _SUBCOMMANDS

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "cli.md"


def test_every_command_is_in_the_guide() -> None:
    table = "\n".join(line for line in GUIDE.read_text(encoding="utf-8").splitlines() if line.startswith("| `adal-ls"))
    assert set(re.findall(r"`adal-ls ([a-z]+)", table)) == set(_SUBCOMMANDS)


def test_the_options_of_serving_are_in_the_guide() -> None:
    from adal_ls.__main__ import LEVELS, SERVING

    text = GUIDE.read_text(encoding="utf-8")
    assert all(f"`{option} " in text for option in SERVING)
    assert "|".join(LEVELS) in text
