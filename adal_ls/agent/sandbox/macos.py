"""What a sandboxed command may do on macOS, as a profile of sandbox-exec. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from adal_ls.agent.sandbox.mounts import Confinement, pinned

PROGRAM = "/usr/bin/sandbox-exec"

# What programs need to start; read-only. Paths are real ones: /etc, /tmp and /var are links into /private.
_SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/opt",
    "/System",
    "/Library/Apple",
    "/Library/Developer",
    "/Library/Frameworks",
    "/Applications/Xcode.app",
    "/nix/store",
    "/private/etc",
    "/private/var/db/dyld",
    "/private/var/db/timezone",
    "/private/var/select",
    "/dev",
)
_SECRET = ("/private/etc/master.passwd", "/private/etc/sudoers")
_SCRATCH = ("/private/tmp",)


def profile(reach: Confinement, pythons: Sequence[Path], protected: Sequence[Path]) -> str:
    """The profile; later rules beat earlier ones, and everything that is not allowed is denied."""
    return "\n".join(_rules(reach, pythons, protected)) + "\n"


def _rules(reach: Confinement, pythons: Sequence[Path], protected: Sequence[Path]) -> Iterator[str]:
    yield "(version 1)"
    yield "(deny default)"
    yield "(allow process-exec process-fork)"
    yield "(allow signal (target same-sandbox))"
    yield "(allow process-info* (target same-sandbox))"
    yield "(allow sysctl-read)"
    yield "(allow file-read-metadata)"  # programs look at every folder on the way to their files
    readable = (*map(Path, _SYSTEM), *pythons, *reach.readable, *reach.writable)
    yield f'(allow file-read* (literal "/") {_subpaths(readable)})'
    scratch = tuple(map(Path, _SCRATCH))
    yield f"(allow file-read* file-write* {_subpaths((*scratch, *reach.writable))})"
    yield '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))'
    kept = (*pythons, *protected, *reach.frozen)
    yield f"(deny file-write* {_subpaths(kept)})"
    # A folder that is moved takes what is denied in it along, to a place where it is allowed.
    for folder in (*reach.writable, *pinned(kept, reach.writable)):
        yield f"(deny file-write-unlink (literal {_quoted(folder)}))"
    yield f"(deny file-read* file-write* {_subpaths((*map(Path, _SECRET), *reach.hidden))})"
    if reach.network:
        yield "(allow network*)"
        yield '(allow mach-lookup (global-name "com.apple.SystemConfiguration.configd"))'
        yield '(allow mach-lookup (global-name "com.apple.trustd"))'


def _subpaths(paths: Sequence[Path]) -> str:
    return " ".join(f"(subpath {_quoted(path)})" for path in paths)


def _quoted(path: Path) -> str:
    text = path.as_posix().replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'
