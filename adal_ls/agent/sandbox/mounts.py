"""What a sandboxed command sees of the file system, as arguments of bubblewrap."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from adal_ls.agent.files.paths import VARIABLE, data_dir
from adal_ls.agent.workspaces.places import PLACED_FOLDERS, REPOSITORY, is_protected_name

# An allow list: what is not named here does not exist in the sandbox. Of /etc only what programs need to start and to
# name users, hosts and certificates; never /etc/shadow, which root outside could read inside as well.
_SYSTEM = ("/usr", "/opt", "/nix/store", "/gnu/store")
_SYSTEM_OR_LINKS = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_ETC = (
    "alternatives",
    "bash.bashrc",
    "ca-certificates",
    "group",
    "hosts",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "mime.types",
    "nsswitch.conf",
    "passwd",
    "pki",
    "protocols",
    "services",
    "ssl",
    "timezone",
)

_SKIPPED = frozenset({"node_modules", "__pycache__", ".mypy_cache", ".ruff_cache", ".tox"})
"""Folders not searched for protected paths: large, and made by programs."""


class UnconfinableError(Exception):
    """This workspace cannot be given to a sandboxed command; the text says why."""


@dataclass(frozen=True, slots=True)
class Confinement:
    """What a command may reach. All paths are real; a deeper one beats one around it, `frozen` and `hidden` beat all.

    Attributes:
        cwd: where it starts.
        writable, readable: folders and files it sees; everything else but the system's programs is not there.
        frozen: read-only, whatever is writable around it.
        hidden: not there, whatever is readable around it.
        network: whether it has the machine's network, or none.
        environment: variables it gets beside the sandbox's own, or instead of them.
    """

    cwd: Path
    writable: tuple[Path, ...]
    readable: tuple[Path, ...] = ()
    frozen: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()
    network: bool = False
    environment: tuple[tuple[str, str], ...] = ()

    @property
    def scratch(self) -> str:
        """A folder of the sandbox's own for temporary files. Where all is readable, /tmp is the machine's."""
        return "/dev/shm" if Path("/") in (*self.readable, *self.writable) else "/tmp"  # noqa: S108

    @classmethod
    def of_workspace(cls, workspace: Path) -> Confinement:
        """All of a workspace, and nothing else."""
        return cls(cwd=workspace, writable=(workspace,))


def check_confinable(workspace: Path) -> None:
    """Refuses workspaces (real paths) that hold what a command must never reach.

    Raises:
        UnconfinableError: the home folder, system folders or the person's data folder lie inside.
    """
    home = Path(os.path.realpath(Path.home()))
    if home.is_relative_to(workspace):
        raise UnconfinableError(
            f"bash is refused in {workspace}: it contains your home folder {home}, with its keys and settings. Open a "
            "project folder instead"
        )
    data = Path(os.path.realpath(data_dir()))
    if data.is_relative_to(workspace) or workspace.is_relative_to(data):
        raise UnconfinableError(
            f"bash is refused in {workspace}: it contains or is the folder {data} of trust and transcripts. Set "
            f"{VARIABLE} to a folder outside"
        )
    if any(Path(folder).is_relative_to(workspace) for folder in ("/usr", "/etc")):
        raise UnconfinableError(f"bash is refused in {workspace}: it contains system folders. Open a project folder")


def system(*, network: bool = False) -> list[str]:
    """The system's programs and libraries, read-only; empty /tmp and /run; own /proc and /dev."""
    out: list[str] = []
    for folder in _SYSTEM:
        out += ("--ro-bind-try", folder, folder)
    for folder in _SYSTEM_OR_LINKS:
        path = Path(folder)
        if path.is_symlink():
            out += ("--symlink", str(path.readlink()), folder)
        else:
            out += ("--ro-bind-try", folder, folder)
    for name in (*_ETC, *(("resolv.conf",) if network else ())):
        out += ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")
    return [*out, *_OWN, "--tmpfs", "/tmp", "--tmpfs", "/run"]  # noqa: S108 - the sandbox's own


_OWN = ("--proc", "/proc", "--dev", "/dev")


def for_command(reach: Confinement, pythons: Sequence[Path], protected: Sequence[Path]) -> list[str]:
    """All mounts of a command, later ones over earlier ones.

    Args:
        pythons: environments the command may use. Read-only even inside the workspace: we run their code outside of
            the sandbox.
        protected: of `protected_paths`; read-only.

    Raises:
        UnconfinableError: a path that is denied cannot be kept away.
    """
    binds = {path: "--bind" if path == reach.cwd else "--bind-try" for path in reach.writable}
    for path in (*reach.readable, *pythons):
        binds.setdefault(path, "--ro-bind-try")
    everything = binds.pop(Path("/"), None)
    out = system(network=reach.network) if everything is None else [everything, "/", "/", *_OWN]
    kept = (*protected, *reach.frozen, *(path for path in binds if path not in reach.writable))
    binds.update(dict.fromkeys(pinned(kept, reach.writable, binds), "--bind-try"))
    for path in sorted(binds, key=lambda path: len(path.parts)):
        out += (binds[path], str(path), str(path))
    for path in (*protected, *reach.frozen):
        if path.exists():
            out += ("--ro-bind-try", str(path), str(path))
        elif any(path.is_relative_to(folder) for folder in reach.writable):
            # Only what exists can be mounted read-only, so a command could make it.
            raise UnconfinableError(f"bash is refused: {path} must not be written (deny_write) and does not exist yet")
    for path in reach.hidden:
        if path.is_dir():
            out += ("--tmpfs", str(path), "--remount-ro", str(path))
        elif path.exists():
            out += ("--ro-bind", "/dev/null", str(path))
    return out


def pinned(kept: Sequence[Path], writable: Collection[Path], mounted: Collection[Path] = ()) -> list[Path]:
    """The folders between writable ones and what must be kept as it is.

    A command could move one of them away, with the mount that keeps what is in it, and put another in its place. What
    is a mount itself cannot be moved, so these are mounted on themselves.

    Args:
        mounted: all that is mounted anyway, `writable` or not.
    """
    found: dict[Path, None] = {}
    for path in kept:
        between: list[Path] = []
        for folder in path.parents:
            if folder in writable or folder in mounted:
                found.update(dict.fromkeys(between if folder in writable else ()))
                break
            between.append(folder)
    return list(found)


def protected_paths(workspace: Path) -> list[Path]:
    """Every protected file and folder that exists in `workspace`, and the Python environments at its top.

    A protected link stands for its target; nothing can be mounted over the link itself (see `kept_links`).
    """
    out: list[Path] = []
    pending = [workspace]
    while pending:
        folder = pending.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except FileNotFoundError:
            continue  # removed meanwhile
        except PermissionError:
            out.append(folder)  # cannot be searched, so nothing in it may be changed
            continue
        if folder != workspace and {entry.name for entry in entries}.issuperset(REPOSITORY):
            out.append(folder)
            continue
        for entry in entries:
            path = Path(entry.path)
            if is_protected_name(path.relative_to(workspace)):
                out.append(Path(os.path.realpath(path)))
            elif not entry.is_dir(follow_symlinks=False) or entry.name in _SKIPPED:
                continue
            elif folder == workspace and (path / "pyvenv.cfg").exists():
                out.append(path)
            else:
                pending.append(path)
    return [path for path in out if path.is_relative_to(workspace)]


_placed: dict[Path, int] = {}
_placed_lock = threading.Lock()


@contextmanager
def placeholders(workspace: Path) -> Iterator[None]:
    """Empty folders in place of missing `.adal`, `.git` and `.vscode`, for as long as a command runs.

    Only what exists can be mounted read-only, and a command that could make `.git/config` would have git run its code
    outside of the sandbox later. Commands that run at once share the folders.
    """
    with _placed_lock:
        held = [path for name in sorted(PLACED_FOLDERS) if _place(path := workspace / name)]
        for path in held:
            _placed[path] = _placed.get(path, 0) + 1
    try:
        yield
    finally:
        with _placed_lock:
            for path in held:
                _placed[path] -= 1
                if not _placed[path]:
                    del _placed[path]
                    # Not empty: somebody outside of the sandbox put something there, and it stays.
                    with contextlib.suppress(OSError):
                        path.rmdir()


@contextmanager
def kept_links(workspace: Path) -> Iterator[None]:
    """Puts links with a protected name at the top of `workspace` back, where a command has put something else.

    What is there instead stays beside it, under another name.
    """
    links = {
        path: path.readlink()
        for path in workspace.iterdir()
        if path.is_symlink() and is_protected_name(Path(path.name))
    }
    try:
        yield
    finally:
        for path, target in links.items():
            if path.is_symlink() and path.readlink() == target:
                continue
            if os.path.lexists(path):
                path.rename(path.with_name(f"changed-{path.name.lstrip('.')}-{uuid4().hex[:8]}"))
            path.symlink_to(target)


def _place(path: Path) -> bool:
    if path in _placed:
        return True
    try:
        path.mkdir()
    except OSError:  # it exists, or we may not make it: then a command, with fewer rights, may not either
        return False
    return True
