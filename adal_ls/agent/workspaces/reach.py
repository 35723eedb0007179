"""The real place of a path under a policy, and whether it may be read or written there."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from adal_ls.agent.workspaces import places
from adal_ls.agent.workspaces.workspace_policy import WorkspacePolicy

Purpose = Literal["read", "write"]


@dataclass(frozen=True, slots=True)
class Place:
    """`real` has no links in it and lies in `anchor`, an allowed folder (or is it, where a file is allowed)."""

    real: Path
    anchor: Path

    @property
    def parent(self) -> Place:
        """The folder that holds it, in the same anchor; of an allowed file its own folder."""
        folder = self.real.parent
        return Place(folder, self.anchor if folder.is_relative_to(self.anchor) else folder)


class DeniedError(places.OutsideWorkspaceError):
    """It lies inside, and the policy denies it."""


def resolve(policy: WorkspacePolicy, path: str, purpose: Purpose) -> Place:
    """Where `path` leads to, every link resolved; it need not exist.

    Raises:
        OutsideWorkspaceError: it lies outside of what the policy allows, is denied, or cannot be resolved.
    """
    real = places.real_place(policy.cwd, path)
    allowed = policy.allow_read if purpose == "read" else policy.allow_write
    anchor = next((folder for folder in allowed if real.is_relative_to(folder)), None)
    if anchor is None:
        where = f"the workspace {policy.cwd}" if allowed == (policy.cwd,) else f"what may be {_PARTICIPLE[purpose]}"
        raise places.OutsideWorkspaceError(f"'{path}' is outside {where}")
    if is_denied(policy, real, purpose):
        raise DeniedError(f"'{path}' is denied by the policy (deny_{purpose})")
    if purpose == "write" and is_denied(policy, real, "read"):
        raise DeniedError(f"'{path}' is denied by the policy (deny_read)")
    if purpose == "write":
        _refuse_dangling(policy.cwd, path, real)
    return Place(real, anchor)


def is_denied(policy: WorkspacePolicy, real: Path, purpose: Purpose) -> bool:
    """Whether a deny list names `real` or a folder around it, in any spelling a file system may take."""
    denied = policy.deny_read if purpose == "read" else policy.deny_write
    return bool(denied) and any(_lies_in(real, folder) for folder in denied)


def is_denied_file(policy: WorkspacePolicy, status: os.stat_result, purpose: Purpose) -> bool:
    """Whether an open file is a denied one under another name (a hard link)."""
    if status.st_nlink < 2:
        return False
    for path in policy.deny_read if purpose == "read" else policy.deny_write:
        try:
            known = path.lstat()
        except OSError:
            continue  # not there, so it is not this file
        if stat.S_ISREG(known.st_mode) and os.path.samestat(known, status):
            return True
    return False


def shown(policy: WorkspacePolicy, real: Path) -> str:
    """`real` as a model names it: relative to the working folder where it lies there, with `/` between the parts."""
    return real.relative_to(policy.cwd).as_posix() if real.is_relative_to(policy.cwd) else real.as_posix()


_PARTICIPLE = {"read": "read", "write": "written"}


def _lies_in(real: Path, folder: Path) -> bool:
    inner = [places.canonical_part(part) for part in real.parts]
    outer = [places.canonical_part(part) for part in folder.parts]
    return inner[: len(outer)] == outer


def _refuse_dangling(cwd: Path, path: str, real: Path) -> None:
    """A link whose target does not exist yet: whoever made it chose what would be written (CVE-2026-32055)."""
    written = Path(os.path.normpath(cwd / path))
    if not os.path.lexists(real) and written.is_symlink():
        raise places.OutsideWorkspaceError(f"'{path}' is a link to a file that does not exist")
