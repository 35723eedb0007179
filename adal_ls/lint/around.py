"""The modules beside a tools file, as it imports them."""

from __future__ import annotations

from dataclasses import dataclass, field

from adal_ls.lint.model import ToolFile


@dataclass(frozen=True, eq=False)
class Sibling:
    """A module beside the file. `name` is the dotted one that it is imported by, `key` what its giver knows it by."""

    name: str
    key: str
    file: ToolFile = field(repr=False)
