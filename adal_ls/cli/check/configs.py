"""What lint is configured to for each file: options, then the `[tool.adal-ls]` that holds where it stands."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import click

from adal_ls import lint
from adal_ls.cli.output import say
from adal_ls.lint.settings.codes import read_code, unknown_code
from adal_ls.lint.settings.pyproject import merge
from adal_ls.workspace import pyproject
from adal_ls.workspace.pyproject import Found


def read_codes(context: click.Context, parameter: click.Parameter, given: str | None) -> list[str] | None:  # noqa: ARG001
    """The codes of an option, as click's callback; None without the option."""
    if given is None:
        return None
    found: list[str] = []
    for word in (word for word in given.split(",") if word.strip()):
        code = read_code(word)
        if code is None:
            raise click.BadParameter(f"{unknown_code(word)} (`adal-ls rule` lists all)")
        found.append(code)
    if not found:
        raise click.BadParameter("it names no code; codes look like ADAL107, or ADAL1 for a family")
    return found


class Configs:
    """The configuration of each file. `told` hears once of each thing that is wrong in a pyproject.toml."""

    def __init__(
        self,
        select: list[str] | None,
        ignore: list[str] | None,
        told: Callable[[str], None] = say,
    ) -> None:
        self._given: dict[str, object] = {"select": select, "ignore": ignore}
        self.broken = False
        """Whether a pyproject.toml is no TOML: what it wants is unknown then."""
        self.folders: set[str] = set()
        """Where a pyproject.toml was looked for."""
        self._known: dict[str, Found | None] = {}
        self._told = told
        self._already: set[str] = set()

    def of(self, path: str) -> lint.Config:
        folder = Path(os.path.realpath(path)).parent  # a link in circles has no `resolve`
        root = str(folder.parent if folder.name == ".adal" else folder)
        found = pyproject.find(root, self._known)
        self.folders.update(os.path.dirname(place) for place in pyproject.candidates(root))  # noqa: PTH120 - many files
        self.broken |= found.settings.broken
        for complaint in found.complaints:
            if complaint not in self._already:
                self._already.add(complaint)
                self._told(complaint)
        return lint.Config.parse(merge(found.settings.values, self._given))
