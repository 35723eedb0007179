"""Shell commands in a sandbox, and never without: what a model wrote cannot be run on trust.

A command sees what its `Confinement` names (as a rule the workspace, writable), the system's programs (read-only) and
nothing else: no network, no home folder, none of our environment, no process but its own. Protected paths of the
workspace are read-only in there. Linux: bubblewrap; macOS: sandbox-exec; elsewhere commands are refused.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from adal_ls.agent.files.paths import real_folder
from adal_ls.agent.sandbox import macos as sandbox_macos
from adal_ls.agent.sandbox import mounts as sandbox_mounts
from adal_ls.agent.sandbox import process as sandbox_process
from adal_ls.agent.sandbox.mounts import Confinement
from adal_ls.agent.sandbox.process import Finished, SandboxLimits, unheard

__all__ = [
    "Confinement",
    "Finished",
    "SandboxLimits",
    "SandboxUnavailableError",
    "find_bubblewrap",
    "find_program",
    "run",
    "run_program",
    "run_unconfined",
]

_ENVIRONMENT = ("LANG", "LC_ALL", "LC_CTYPE", "TZ")
"""What a command inherits; everything else may hold a secret."""

_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_PROBE_SECONDS = 10.0
_MOST_PROTECTED = 2000
"""Mounts of one sandbox; a workspace with more protected paths cannot be confined in reasonable time."""


class SandboxUnavailableError(Exception):
    """Commands cannot be confined on this machine, so none is run; the text says why and what to install."""


async def run(
    command: str,
    workspace: Path,
    *,
    limits: SandboxLimits | None = None,
    readable: Sequence[Path] = (),
    on_output: Callable[[bytes], None] = unheard,
    confinement: Confinement | None = None,
) -> Finished:
    """Runs `command` with bash (or sh), standard input empty.

    A caller that is cancelled ends the command and every process it started before the cancellation goes on.

    Args:
        workspace: the project; never a program from in there is the sandbox.
        readable: more folders the command may read, such as the environment of the workspace's Python.
        on_output: gets the output as it comes, up to the limit.
        confinement: what it may reach; all of `workspace` where it is left out.

    Raises:
        SandboxUnavailableError: no working sandbox, or a workspace that cannot be confined.
        ValueError: `command` holds a NUL character.
    """
    _check(command)
    real = real_folder(workspace)
    reach = confinement or Confinement.of_workspace(real)
    pythons = [real_folder(path) for path in (Path(sys.base_prefix), Path(sys.prefix), *readable)]
    try:
        return await _run_confined([*_shell(), command], real, reach, limits or SandboxLimits(), pythons, on_output)
    except sandbox_mounts.UnconfinableError as fault:
        raise SandboxUnavailableError(f"{fault}. The command was not run") from fault


async def run_program(
    arguments: Sequence[str],
    reach: Confinement,
    limits: SandboxLimits,
    programs: Sequence[Path] = (),
    on_output: Callable[[bytes], None] = unheard,
    *,
    workspace: Path,
) -> Finished:
    """Runs a program of ours that only reads, such as ripgrep, under bubblewrap; `programs` are files it needs.

    `workspace`: as for `run`.

    Raises:
        SandboxUnavailableError: no working bubblewrap.
        ValueError: `reach` has writable folders, which this does not guard.
    """
    if reach.writable:
        raise ValueError("nothing may be writable for a program that only reads")
    bubblewrap = find_bubblewrap(workspace, reach.cwd)
    await _probe(bubblewrap)
    try:
        mounts = sandbox_mounts.for_command(reach, programs, ())
    except sandbox_mounts.UnconfinableError as fault:
        raise SandboxUnavailableError(str(fault)) from fault
    start = [bubblewrap, *_isolation(reach), *mounts, "--chdir", str(reach.cwd), "--", *arguments]
    return await sandbox_process.run(start, limits, on_output)


async def run_unconfined(
    command: str,
    cwd: Path,
    *,
    limits: SandboxLimits | None = None,
    environment: Sequence[tuple[str, str]] = (),
    on_output: Callable[[bytes], None] = unheard,
) -> Finished:
    """Runs `command` with all rights of the person: only where a setting of the person says so.

    Time limit, output limit and the end of its process group are as in a sandbox; a process that leaves the group goes
    on. Of the environment it gets what a sandboxed one gets, and PATH and HOME.

    Raises:
        SandboxUnavailableError: Windows, where no such shell is.
        ValueError: `command` holds a NUL character.
    """
    _check(command)
    if sys.platform == "win32":
        raise SandboxUnavailableError("bash is not there on Windows: the command was not run. Use the other tools")
    own = {name: os.environ[name] for name in (*_ENVIRONMENT, "PATH", "HOME", "TMPDIR") if name in os.environ}
    return await sandbox_process.run(
        [*_shell(), command],
        limits or SandboxLimits(),
        on_output,
        cwd=cwd,
        environment={"TERM": "dumb", **own, **dict(environment)},
        group_only=True,
    )


def _check(command: str) -> None:
    if "\0" in command:
        raise ValueError("a command cannot hold a NUL character")


async def _run_confined(
    arguments: Sequence[str],
    workspace: Path,
    reach: Confinement,
    limits: SandboxLimits,
    pythons: Sequence[Path],
    on_output: Callable[[bytes], None],
) -> Finished:
    folders = [folder for folder in reach.writable if folder.is_dir()]
    for folder in folders:
        sandbox_mounts.check_confinable(folder)
    bubblewrap = find_bubblewrap(workspace, *reach.writable) if sys.platform != "darwin" else None
    if bubblewrap is not None:
        await _probe(bubblewrap)
    with ExitStack() as held:
        for folder in folders:
            held.enter_context(sandbox_mounts.placeholders(folder))
            held.enter_context(sandbox_mounts.kept_links(folder))
        before = await asyncio.to_thread(_protected, folders)
        if len(before) > _MOST_PROTECTED:
            raise sandbox_mounts.UnconfinableError(
                f"bash is refused in {workspace}: more than {_MOST_PROTECTED} protected files. Open a smaller folder"
            )
        if bubblewrap is not None:
            mounts = sandbox_mounts.for_command(reach, pythons, before)
            start = [bubblewrap, *_isolation(reach), *mounts, "--chdir", str(reach.cwd), "--", *arguments]
            finished = await sandbox_process.run(start, limits, on_output)
        else:
            profile = sandbox_macos.profile(reach, pythons, before)
            finished = await _run_on_macos([sandbox_macos.PROGRAM, "-p", profile, *arguments], reach, limits, on_output)
        after = await asyncio.to_thread(_protected, folders)
    known = set(before)
    return replace(finished, new_protected=tuple(path for path in after if path not in known))


def _protected(folders: Sequence[Path]) -> list[Path]:
    return list(dict.fromkeys(path for folder in folders for path in sandbox_mounts.protected_paths(folder)))


async def _run_on_macos(
    arguments: Sequence[str], reach: Confinement, limits: SandboxLimits, on_output: Callable[[bytes], None]
) -> Finished:
    if not os.access(arguments[0], os.X_OK):
        raise SandboxUnavailableError(f"bash needs {arguments[0]}, which is not there: the command was not run")
    return await sandbox_process.run(
        arguments, limits, on_output, cwd=reach.cwd, environment=_environment(reach), group_only=True
    )


def find_bubblewrap(*workspaces: Path) -> str:
    """The bubblewrap program, never one that a workspace brings along, or that a command could have put there.

    Raises:
        SandboxUnavailableError: not Linux, or not installed.
    """
    if sys.platform != "linux":
        raise SandboxUnavailableError(
            f"bash needs a sandbox, and there is none for {sys.platform} yet: the command was not run. "
            "Use the other tools, or run adal-ls under Linux"
        )
    found = find_program("bwrap", *workspaces)
    if found is None:
        raise SandboxUnavailableError(
            "bash needs bubblewrap (the program bwrap), which is not installed: the command was not run. Install it "
            "with 'apt install bubblewrap', 'dnf install bubblewrap' or 'pacman -S bubblewrap'"
        )
    return found


def find_program(name: str, *workspaces: Path) -> str | None:
    """The program `name` of the person's PATH, never one in these folders (real paths)."""
    folders = [
        folder
        for folder in os.environ.get("PATH", os.defpath).split(os.pathsep)
        if Path(folder).is_absolute() and not any(map(Path(os.path.realpath(folder)).is_relative_to, workspaces))
    ]
    return shutil.which(name, path=os.pathsep.join(folders)) if folders else None


_working: set[str] = set()
"""Programs that were seen to work in this process; a failure is looked at anew each time."""


async def _probe(bubblewrap: str) -> None:
    """Tells a sandbox that cannot be set up from a command that fails.

    Raises:
        SandboxUnavailableError: bubblewrap is installed and does not work.
    """
    if bubblewrap in _working:
        return
    nothing = Confinement(cwd=Path("/"), writable=())
    arguments = [bubblewrap, *_isolation(nothing), *sandbox_mounts.system(), "--", "/bin/sh", "-c", "exit 0"]
    finished = await sandbox_process.run(arguments, SandboxLimits(_PROBE_SECONDS, 2000))
    if finished.exit_code != 0:
        said = finished.output.decode("utf-8", "replace").strip() or f"exit code {finished.exit_code}"
        raise SandboxUnavailableError(
            f"bash needs bubblewrap, which does not work here ({said}): the command was not run. The kernel must allow "
            "user namespaces: in a container, start it with '--security-opt seccomp=unconfined --security-opt "
            "apparmor=unconfined' or in privileged mode; on Ubuntu 24.04 and later, allow them for bwrap in AppArmor "
            "(or set kernel.apparmor_restrict_unprivileged_userns=0)"
        )
    _working.add(bubblewrap)


def _isolation(reach: Confinement) -> Iterator[str]:
    yield from ("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv")
    if reach.network:
        yield "--share-net"
    for name, value in _environment(reach).items():
        yield from ("--setenv", name, value)


def _environment(reach: Confinement) -> dict[str, str]:
    own = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    own |= {"PATH": _PATH, "HOME": reach.scratch, "TMPDIR": reach.scratch, "TERM": "dumb"}
    return own | dict(reach.environment)


def _shell() -> list[str]:
    bash = shutil.which("bash", path=_PATH)
    return [bash, "--noprofile", "--norc", "-c"] if bash else ["/bin/sh", "-c"]
