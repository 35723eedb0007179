from __future__ import annotations

import re
from pathlib import Path

from adal_ls.agent.builtin.catalog import BUILTINS
from adal_ls.cli.program import _SUBCOMMANDS
from adal_ls.naming import RESERVED

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "cli.md"


def test_every_command_is_in_the_guide() -> None:
    table = "\n".join(line for line in GUIDE.read_text(encoding="utf-8").splitlines() if line.startswith("| `adal-ls"))
    assert set(re.findall(r"`adal-ls ([a-z]+)", table)) == set(_SUBCOMMANDS)


def test_the_options_of_serving_are_in_the_guide() -> None:
    from adal_ls.__main__ import LEVELS, SERVING

    text = GUIDE.read_text(encoding="utf-8")
    assert all(f"`{option} " in text for option in SERVING)
    assert "|".join(LEVELS) in text


def test_the_reserved_names_in_the_guide_are_those_of_the_code() -> None:
    text = GUIDE.with_name("tools.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (\w*) ?\| (built in|reserved|of AdaL) \|$", text, re.MULTILINE)
    assert rows == [
        (name, entry.group or "", "built in" if name in BUILTINS else "reserved" if entry.ours else "of AdaL")
        for name, entry in RESERVED.items()
    ]
