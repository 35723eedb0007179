"""Shell commands under bubblewrap, and never without: what a model wrote cannot be run on trust.

A command sees the workspace (writable), the system's programs (read-only) and nothing else: no network, no home
folder, none of our environment, no process but its own. Protected paths of the workspace are read-only in there.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from adal_ls.agent import sandbox_mounts
from adal_ls.agent.paths import real_folder

_ENVIRONMENT = ("LANG", "LC_ALL", "LC_CTYPE", "TZ")
"""What a command inherits; everything else may hold a secret."""

_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_PROBE_SECONDS = 10.0
_MOST_PROTECTED = 2000
"""Mounts of one sandbox; a workspace with more protected paths cannot be confined in reasonable time."""

_READ_SIZE = 64 * 1024


class SandboxUnavailableError(Exception):
    """Commands cannot be confined on this machine, so none is run; the text says why and what to install."""


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """`seconds` until a command is killed; `output_bytes` kept of what it prints (the rest is counted)."""

    seconds: float = 30.0
    output_bytes: int = 1_000_000


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended. `exit_code` is None where it was killed at the time limit; 128 + n after a signal n.

    `output` is standard output and error in the order written. `dropped` counts bytes over the limit.
    `new_protected` are protected paths that were not there before, which no mount can prevent (a fresh `.env`).
    """

    exit_code: int | None
    output: bytes
    dropped: int
    seconds: float
    new_protected: tuple[Path, ...] = ()


def _unheard(_: bytes) -> None:
    """Nobody follows the output while the command runs."""


async def run(
    command: str,
    workspace: Path,
    *,
    limits: SandboxLimits | None = None,
    readable: Sequence[Path] = (),
    on_output: Callable[[bytes], None] = _unheard,
) -> Finished:
    """Runs `command` with bash (or sh) in `workspace`, standard input empty.

    A caller that is cancelled ends the command and every process it started before the cancellation goes on.

    Args:
        readable: more folders the command may read, such as the environment of the workspace's Python.
        on_output: gets the output as it comes, up to the limit.

    Raises:
        SandboxUnavailableError: no working bubblewrap, or a workspace that cannot be confined.
        ValueError: `command` holds a NUL character.
    """
    if "\0" in command:
        raise ValueError("a command cannot hold a NUL character")
    try:
        return await _run_confined(command, real_folder(workspace), limits or SandboxLimits(), readable, on_output)
    except sandbox_mounts.UnconfinableError as fault:
        raise SandboxUnavailableError(f"{fault}. The command was not run") from fault


async def _run_confined(
    command: str,
    workspace: Path,
    limits: SandboxLimits,
    readable: Sequence[Path],
    on_output: Callable[[bytes], None],
) -> Finished:
    bubblewrap = find_bubblewrap(workspace)
    sandbox_mounts.check_confinable(workspace)
    await _probe(bubblewrap)
    pythons = [real_folder(path) for path in (Path(sys.base_prefix), Path(sys.prefix), *readable)]
    with sandbox_mounts.placeholders(workspace):
        before = await asyncio.to_thread(sandbox_mounts.protected_paths, workspace)
        if len(before) > _MOST_PROTECTED:
            raise sandbox_mounts.UnconfinableError(
                f"bash is refused in {workspace}: more than {_MOST_PROTECTED} protected files. Open a smaller folder"
            )
        mounts = sandbox_mounts.for_workspace(workspace, pythons, before)
        arguments = [bubblewrap, *_isolation(), *mounts, "--chdir", str(workspace), "--", *_shell(), command]
        finished = await _run(arguments, _Output(limits.output_bytes, on_output), limits.seconds)
        after = await asyncio.to_thread(sandbox_mounts.protected_paths, workspace)
    known = set(before)
    return replace(finished, new_protected=tuple(path for path in after if path not in known))


def find_bubblewrap(workspace: Path) -> str:
    """The bubblewrap program, never one that a workspace brings along.

    Raises:
        SandboxUnavailableError: not Linux, or not installed.
    """
    if sys.platform != "linux":
        raise SandboxUnavailableError(
            f"bash needs a sandbox, and there is none for {sys.platform} yet: the command was not run. "
            "Use the other tools, or run adal-ls under Linux"
        )
    folders = [
        folder
        for folder in os.environ.get("PATH", os.defpath).split(os.pathsep)
        if Path(folder).is_absolute() and not Path(os.path.realpath(folder)).is_relative_to(workspace)
    ]
    found = shutil.which("bwrap", path=os.pathsep.join(folders)) if folders else None
    if found is None:
        raise SandboxUnavailableError(
            "bash needs bubblewrap (the program bwrap), which is not installed: the command was not run. Install it "
            "with 'apt install bubblewrap', 'dnf install bubblewrap' or 'pacman -S bubblewrap'"
        )
    return found


_working: set[str] = set()
"""Programs that were seen to work in this process; a failure is looked at anew each time."""


async def _probe(bubblewrap: str) -> None:
    """Tells a sandbox that cannot be set up from a command that fails.

    Raises:
        SandboxUnavailableError: bubblewrap is installed and does not work.
    """
    if bubblewrap in _working:
        return
    arguments = [bubblewrap, *_isolation(), *sandbox_mounts.system(), "--", "/bin/sh", "-c", "exit 0"]
    finished = await _run(arguments, _Output(2000, _unheard), _PROBE_SECONDS)
    if finished.exit_code != 0:
        said = finished.output.decode("utf-8", "replace").strip() or f"exit code {finished.exit_code}"
        raise SandboxUnavailableError(
            f"bash needs bubblewrap, which does not work here ({said}): the command was not run. The kernel must allow "
            "user namespaces: in a container, start it with '--security-opt seccomp=unconfined --security-opt "
            "apparmor=unconfined' or in privileged mode; on Ubuntu 24.04 and later, allow them for bwrap in AppArmor "
            "(or set kernel.apparmor_restrict_unprivileged_userns=0)"
        )
    _working.add(bubblewrap)


def _isolation() -> Iterator[str]:
    yield from ("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv")
    environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    environment |= {"PATH": _PATH, "HOME": "/tmp", "TMPDIR": "/tmp", "TERM": "dumb"}  # noqa: S108 - the sandbox's own
    for name, value in environment.items():
        yield from ("--setenv", name, value)


def _shell() -> list[str]:
    bash = shutil.which("bash", path=_PATH)
    return [bash, "--noprofile", "--norc", "-c"] if bash else ["/bin/sh", "-c"]


class _Output:
    def __init__(self, limit: int, hear: Callable[[bytes], None]) -> None:
        self.kept = bytearray()
        self.dropped = 0
        self._limit = limit
        self._hear = hear

    def add(self, chunk: bytes) -> None:
        kept = chunk[: self._limit - len(self.kept)]
        self.kept += kept
        self.dropped += len(chunk) - len(kept)
        if kept:
            self._hear(kept)


async def _run(arguments: Sequence[str], output: _Output, seconds: float) -> Finished:
    # Spawned on the loop's own thread: --die-with-parent watches the thread that starts it, not the process.
    started = time.monotonic()
    process = await asyncio.create_subprocess_exec(
        *arguments,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={},
        start_new_session=True,
    )
    code: int | None
    try:
        code = await asyncio.wait_for(_drain(process, output), seconds)
    except asyncio.TimeoutError:
        code = None
    finally:
        await _kill(process)
    if code is not None and code < 0:
        code = 128 - code  # bubblewrap itself was killed by a signal
    return Finished(code, bytes(output.kept), output.dropped, time.monotonic() - started)


async def _drain(process: asyncio.subprocess.Process, output: _Output) -> int:
    """Reads to the end; a command that prints without end is stopped by the time limit, not by a full pipe."""
    assert process.stdout is not None  # noqa: S101 - asked for above
    while chunk := await process.stdout.read(_READ_SIZE):
        output.add(chunk)
    return await process.wait()


async def _kill(process: asyncio.subprocess.Process) -> None:
    """Ends bubblewrap; the kernel ends every process of its namespace with it (--die-with-parent)."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        # Shielded: a second cancellation must not leave a process that nobody waits for.
        await asyncio.shield(_reap(process))


async def _reap(process: asyncio.subprocess.Process) -> None:
    """Waits for the end of a killed process and of its output, which ends when its last child is gone."""
    assert process.stdout is not None  # noqa: S101 - asked for above
    while await process.stdout.read(_READ_SIZE):
        pass
    await process.wait()
