"""Walking a workspace: no link is followed, nothing is waited for, and there is an end to it."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from adal_ls.agent.builtin import ignoring
from adal_ls.agent.builtin.context import BuiltinError
from adal_ls.agent.builtin.ignoring import Rules
from adal_ls.agent.files import opening
from adal_ls.agent.workspaces import reach
from adal_ls.agent.workspaces.places import OutsideWorkspaceError
from adal_ls.agent.workspaces.reach import Place
from adal_ls.agent.workspaces.workspace_policy import WorkspacePolicy

Kind = Literal["file", "folder", "link", "other"]

MOST_ENTRIES = 200_000
SECONDS = 20.0
_DEEPEST = 100


@dataclass(frozen=True, slots=True)
class Entry:
    """`parts` are its components from where the walk began."""

    place: Place
    parts: tuple[str, ...]
    kind: Kind


@dataclass(slots=True)
class Walk:
    """One walk. Stops when `abandoned` is set, at its deadline and after `most` entries; `notes` says so afterwards."""

    policy: WorkspacePolicy
    abandoned: threading.Event = field(default_factory=threading.Event)
    most: int = MOST_ENTRIES
    seconds: float = SECONDS
    unreadable: int = field(default=0, init=False)
    stopped: str | None = field(default=None, init=False)
    _seen: int = field(default=0, init=False)
    _deadline: float = field(default=0.0, init=False)

    def files(self, place: Place) -> Iterator[Entry]:
        """All but folders under a folder, by the bytes of their names; not `.git` and not what `.gitignore` names."""
        self._deadline = time.monotonic() + self.seconds
        rules, around = self._around(place.real)
        yield from self._files(place, (), around, rules)

    def over(self) -> bool:
        """Whether it is time to stop."""
        if self.abandoned.is_set() or time.monotonic() > self._deadline:
            self.stopped = f"stopped after {self.seconds:g} seconds"
        elif self._seen > self.most:
            self.stopped = f"stopped after {self.most:,} entries"
        return self.stopped is not None

    def notes(self) -> list[str]:
        """What was not seen, in words for the model."""
        out = [f"[{self.stopped}; give a path to look at less]"] if self.stopped else []
        if self.unreadable:
            out.append(f"[{self.unreadable} folder{'s' * (self.unreadable > 1)} could not be read]")
        return out

    def listed(self, place: Place) -> list[tuple[str, Kind]]:
        """The names in a folder. One that cannot be read, or became a link, has none and is counted."""
        try:
            return sorted(_scan(place), key=lambda item: os.fsencode(item[0]))
        except (OSError, OutsideWorkspaceError):
            self.unreadable += 1
            return []

    def _files(
        self, folder: Place, parts: tuple[str, ...], around: tuple[str, ...], rules: Rules | None
    ) -> Iterator[Entry]:
        """`around` are the components between the working folder and where the walk began: rules count from there."""
        names = self.listed(folder)
        if (ignoring.FILE, "file") in names:
            rules = self._with(rules, folder, len(around) + len(parts))
        for name, kind in names:
            self._seen += 1
            if self.over():
                return
            here = (*parts, name)
            place = Place(folder.real / name, folder.anchor)
            if name == ".git" or reach.is_denied(self.policy, place.real, "read"):
                continue
            if rules is not None and rules.ignores((*around, *here), folder=kind == "folder"):
                continue
            if kind != "folder":
                yield Entry(place, here, kind)
            elif len(here) > _DEEPEST:
                self.stopped = f"folders more than {_DEEPEST} levels deep were left out"
            else:
                yield from self._files(place, here, around, rules)

    def _around(self, real: Path) -> tuple[Rules | None, tuple[str, ...]]:
        """The rules of the folders around the one where the walk begins, from the working folder on."""
        if not real.is_relative_to(self.policy.cwd):
            return None, ()
        rules: Rules | None = None
        parts = real.relative_to(self.policy.cwd).parts
        for depth in range(len(parts)):
            rules = self._rules_of(parts[:depth], rules)
        return rules, parts

    def _rules_of(self, parts: tuple[str, ...], outer: Rules | None) -> Rules | None:
        folder = self.policy.cwd.joinpath(*parts)
        return self._with(outer, Place(folder, folder), len(parts))

    def _with(self, rules: Rules | None, folder: Place, depth: int) -> Rules | None:
        place = Place(folder.real / ignoring.FILE, folder.anchor)
        content = read_small(place, ignoring.MOST_BYTES)
        return ignoring.within(rules, content, depth) if content else rules


def read_small(place: Place, most: int) -> bytes | None:
    """At most `most` bytes of a regular file; None for anything else, and for what cannot be read."""
    try:
        descriptor = opening.open_place(place)
    except (OSError, OutsideWorkspaceError):
        return None
    try:
        with os.fdopen(descriptor, "rb") as file:
            opening.check_regular(os.fstat(descriptor), "")
            return file.read(most)
    except (OSError, opening.CannotOpenError):
        return None


def folder_or_file(path: str, policy: WorkspacePolicy) -> tuple[Place, bool]:
    """Where a search begins, and whether that is a folder.

    Raises:
        BuiltinError: it may not be read, is not there, or is neither folder nor file.
    """
    try:
        place = reach.resolve(policy, path, "read")
    except OutsideWorkspaceError as fault:
        raise BuiltinError(f"{fault}: only the workspace can be searched") from fault
    if place.real.is_dir():
        return place, True
    if place.real.is_file():
        return place, False
    what = "is neither a folder nor a file" if os.path.lexists(place.real) else "is not there"
    raise BuiltinError(f"'{path}' {what}; list_files gives what there is")


def _scan(place: Place) -> list[tuple[str, Kind]]:
    if sys.platform == "win32":
        if not opening.is_still(place.real):
            raise OutsideWorkspaceError("the folder became a link")
        with os.scandir(place.real) as entries:
            return [(entry.name, _kind(entry)) for entry in entries]
    descriptor = opening.open_place(place, folder=True)
    try:
        with os.scandir(descriptor) as entries:
            return [(entry.name, _kind(entry)) for entry in entries]
    finally:
        os.close(descriptor)


def _kind(entry: os.DirEntry[str]) -> Kind:
    if entry.is_symlink():
        return "link"
    if entry.is_dir(follow_symlinks=False):
        return "folder"
    return "file" if entry.is_file(follow_symlinks=False) else "other"
