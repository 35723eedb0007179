"""Remembered answers: those of this session, and those of a workspace, which outlive it.

A grant is bound to one workspace, one tool, the digest of that tool's code, and a rule. Those of a workspace are kept
in the person's data folder, one file each, so that two windows that grant at once lose nothing; a file is put in its
place whole and never changed. Each is sealed with a key of the person's: a process that can only write files (a tool
that was tricked, a sync of somebody else's folder) cannot make one. One that does not open voids all of its workspace:
somebody was at them.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
import stat
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, get_args
from uuid import uuid4

from adal_ls.agent.approvals.digest import canonical
from adal_ls.agent.approvals.rules import Call, Kind, Rule
from adal_ls.agent.approvals.visible import visible
from adal_ls.agent.files.paths import data_dir, make_private, real_folder, workspace_dir
from adal_ls.protocol.approvals import Grant as GrantMessage
from adal_ls.protocol.approvals import Life

_KEY_BYTES = 32
_MAX_FILE = 64 * 1024
_SUFFIX = ".json"


class GrantsError(Exception):
    """Grants cannot be read or written; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Grant:
    """One remembered answer. `workspace` is a real path, `created` ISO 8601 in UTC."""

    tool: str
    rule: Rule
    source_digest: str
    workspace: str
    life: Life
    grant_id: str = field(default_factory=lambda: uuid4().hex)
    created: str = field(default_factory=lambda: datetime.now(timezone.utc).isoformat(timespec="milliseconds"))

    def allows(self, call: Call) -> bool:
        return (
            self.tool == call.tool
            and bool(self.source_digest)
            and self.source_digest == call.source_digest
            and self.workspace == os.fspath(call.workspace)
            and self.rule.allows(call)
        )

    def told(self) -> GrantMessage:
        """The grant as messages carry it."""
        return GrantMessage(
            grant_id=self.grant_id,
            tool=self.tool,
            rule=visible(self.rule.text(self.tool)),
            covers=self.rule.covers,
            scope=self.life,
            project_root=self.workspace,
            arguments=visible(self.rule.shown) or None,
            created=self.created,
        )


class Grants:
    """The grants that count in this process; not `stored`: those of its session alone."""

    def __init__(self, *, stored: bool = True) -> None:
        self.lives: tuple[Life, ...] = ("workspace", "session") if stored else ("session",)
        self._session: dict[str, Grant] = {}
        self._opened: dict[Path, Grant] = {}
        self._warned: set[Path] = set()

    def find(self, call: Call, warn: Callable[[str], None]) -> Grant | None:
        """A grant that covers `call`. `warn` hears, once for each workspace, that its stored grants are void."""
        session = next((grant for grant in self._session.values() if grant.allows(call)), None)
        if session is not None or "workspace" not in self.lives:
            return session
        return next((grant for grant in self._of(call.workspace, warn) if grant.allows(call)), None)

    def add(self, grant: Grant) -> None:
        """Remembers a grant.

        Raises:
            GrantsError: it cannot be stored; then nothing is remembered.
        """
        if grant.life == "session":
            self._session[grant.grant_id] = grant
            return
        try:
            folder = _folder(Path(grant.workspace))
            make_private(folder)
            _write(folder / f"{grant.grant_id}{_SUFFIX}", _sealed(grant, _key(create=True)))
        except (OSError, ValueError) as fault:
            raise GrantsError(f"the answer is not remembered: {fault}") from fault

    def listed(self, roots: Iterable[Path]) -> list[Grant]:
        """The grants of the workspaces `roots` and of those below them, oldest first.

        Raises:
            GrantsError: those of one are void; the text names the folder.
        """
        folders = [real_folder(root) for root in roots]
        found = [grant for grant in self._session.values() if _is_of(grant, folders)]
        try:
            stored = sorted((data_dir() / "workspaces").glob("*/grants"))
        except ValueError as fault:
            raise GrantsError(str(fault)) from fault
        for folder in stored:
            found += [grant for grant in self._read(folder) if _is_of(grant, folders)]
        return sorted(found, key=lambda grant: grant.created)

    def revoke(self, grant_id: str) -> bool:
        """Forgets a grant; whether there was one. Other processes hear of it at their next call.

        Raises:
            GrantsError: its file cannot be removed, so it still counts.
        """
        if self._session.pop(grant_id, None) is not None:
            return True
        if not grant_id.isalnum():
            return False
        try:
            files = list((data_dir() / "workspaces").glob(f"*/grants/{grant_id}{_SUFFIX}"))
            for file in files:
                file.unlink()
        except (OSError, ValueError) as fault:
            raise GrantsError(f"the grant still counts, its file cannot be removed: {fault}") from fault
        return bool(files)

    def _of(self, workspace: Path, warn: Callable[[str], None]) -> Iterable[Grant]:
        try:
            return self._read(_folder(workspace))
        except (GrantsError, ValueError) as fault:
            if workspace not in self._warned:
                self._warned.add(workspace)
                warn(str(fault))
            return ()

    def _read(self, folder: Path) -> list[Grant]:
        """The grants in a folder: its names as they are now, each file opened once."""
        try:
            names = [file.name for file in folder.iterdir()]
        except FileNotFoundError:
            return []
        except OSError as fault:
            raise _void(folder, str(fault)) from fault
        files = [folder / name for name in sorted(names) if not name.startswith(".")]
        grants = []
        for file in files:
            grant = self._opened.get(file)
            if grant is None:
                try:
                    grant = _opened(file)
                except (OSError, ValueError, TypeError, KeyError) as fault:
                    if not os.path.lexists(file):
                        continue  # revoked in this moment
                    raise _void(folder, f"{file.name}: {fault}") from fault
                self._opened[file] = grant
            grants.append(grant)
        return grants


def forget(workspace: Path) -> int:
    """Removes all that is remembered for exactly this folder, whether it can be read or not; how many there were.

    Raises:
        GrantsError: it cannot be removed.
    """
    try:
        files = [file for file in _folder(workspace).glob("*") if file.is_file() or file.is_symlink()]
        for file in files:
            file.unlink()
    except (OSError, ValueError) as fault:
        raise GrantsError(f"the remembered approvals of {workspace} cannot be removed: {fault}") from fault
    return len(files)


def _folder(workspace: Path) -> Path:
    return workspace_dir(workspace) / "grants"


def _is_of(grant: Grant, folders: list[Path]) -> bool:
    return any(real_folder(Path(grant.workspace)).is_relative_to(folder) for folder in folders)


def _void(folder: Path, why: str) -> GrantsError:
    return GrantsError(
        f"the remembered approvals in {folder} do not count, because they cannot be trusted ({why}): every call asks "
        "again. Remove that folder to start afresh"
    )


def _key(*, create: bool) -> bytes:
    """The person's key, with which grants are sealed."""
    file = data_dir() / "grants.key"
    if create and not file.exists():
        make_private(file.parent)
        fresh = file.with_name(f"{file.name}.{uuid4().hex}")
        _write(fresh, secrets.token_bytes(_KEY_BYTES))
        try:
            os.link(fresh, file)  # never in the place of a key that another process has just made
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    key = _private_bytes(file)
    if len(key) != _KEY_BYTES:
        raise ValueError(f"{file} is no key")
    return key


def _seal(payload: dict[str, Any], key: bytes) -> str:
    return hmac.new(key, canonical(payload).encode(), "sha256").hexdigest()


def _sealed(grant: Grant, key: bytes) -> bytes:
    payload = asdict(grant)
    return canonical({"grant": payload, "seal": _seal(payload, key)}).encode()


def _opened(file: Path) -> Grant:
    """The grant in a file.

    Raises:
        OSError, ValueError, TypeError, KeyError: there is none that the person's key has sealed, under its own name.
    """
    held = json.loads(_private_bytes(file))
    payload = held["grant"]
    if not hmac.compare_digest(_seal(payload, _key(create=False)), str(held["seal"])):
        raise ValueError("it was changed, or sealed with another key")
    rule = Rule(**payload.pop("rule"))
    grant = Grant(rule=rule, **payload)
    if file.name != f"{grant.grant_id}{_SUFFIX}" or file.parent != _folder(Path(grant.workspace)):
        raise ValueError("it was moved here from another place")
    if grant.life != "workspace" or rule.kind not in get_args(Kind):
        raise ValueError("it is of no kind that this version knows")
    return grant


def _private_bytes(file: Path) -> bytes:
    """The content of a file of which only its owner can have written.

    Raises:
        ValueError: a link, no file, too large, or others may read or write it.
    """
    status = file.lstat()
    if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_FILE:
        raise ValueError("it is no plain file of a sensible size")
    if os.name == "posix" and (status.st_mode & 0o077 or status.st_uid != os.getuid()):
        raise ValueError("others than its owner may read or write it (its mode must be 0600)")
    return file.read_bytes()


def _write(file: Path, content: bytes) -> None:
    fresh = file.with_name(f".{file.name}.{os.getpid()}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), 0o600)
    with os.fdopen(descriptor, "wb") as opened:
        opened.write(content)
        opened.flush()
        os.fsync(descriptor)
    fresh.replace(file)
