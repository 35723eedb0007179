"""The search by ripgrep, in a sandbox that lets it read what the policy allows and nothing else."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from adal_ls.agent import reach, sandbox
from adal_ls.agent.builtin import walk
from adal_ls.agent.builtin.context import BuiltinError
from adal_ls.agent.builtin.searching import MOST_FILE_BYTES, MOST_MATCHES, MOST_PER_FILE, SECONDS, Found, Match, Search
from adal_ls.agent.paths import real_folder
from adal_ls.agent.sandbox_mounts import Confinement
from adal_ls.agent.sandbox_process import SandboxLimits
from adal_ls.agent.workspace_policy import WorkspacePolicy

_MOST_OUTPUT = 16 * 1024 * 1024

_FLAGS = (
    "--json",
    "--no-config",
    "--no-messages",
    "--hidden",
    # .gitignore files of the workspace, whether git knows it or not, and no other list.
    "--no-require-git",
    "--no-ignore-global",
    "--no-ignore-exclude",
    "--no-ignore-dot",
    "--no-follow",
    "--no-mmap",
    "--crlf",
    "--sort=path",
    f"--max-filesize={MOST_FILE_BYTES}",
    f"--max-count={MOST_PER_FILE}",
    "--glob=!.git",
    "--iglob=!.env*",
)


async def search(wanted: Search) -> Found | None:
    """What ripgrep finds; None where there is no ripgrep.

    Raises:
        SandboxUnavailableError: no sandbox for it.
        BuiltinError: it does not take the pattern.
    """
    program = sandbox.find_program("rg", wanted.policy.cwd)
    if program is None or sys.platform != "linux":
        return None
    policy = wanted.policy
    confinement = Confinement(
        cwd=policy.cwd if _reaches(policy, policy.cwd) else wanted.place.anchor,
        writable=(),
        readable=policy.allow_read,
        hidden=policy.deny_read,
    )
    inside = wanted.place.real.is_relative_to(confinement.cwd)
    where = wanted.place.real.relative_to(confinement.cwd) if inside else wanted.place.real
    heard = _Heard()
    # `./` before a relative path: a name may begin with a dash.
    arguments = [program, *_FLAGS, "--regexp", wanted.pattern, "--", f"./{where}" if inside else str(where)]
    running = asyncio.ensure_future(
        sandbox.run_program(
            arguments,
            confinement,
            SandboxLimits(SECONDS, _MOST_OUTPUT),
            [real_folder(Path(program))],
            on_output=lambda chunk: heard.add(chunk, running),
        )
    )
    try:
        finished = await running
    except asyncio.CancelledError:
        if not heard.enough:
            running.cancel()
            raise
        return await asyncio.to_thread(heard.found, wanted, confinement.cwd, ())
    if finished.exit_code not in (0, 1, None) and not heard.matches:
        said = heard.rest().strip() or f"exit code {finished.exit_code}"
        raise BuiltinError(f"the search failed: {said[:1000]}")
    notes = (f"[stopped after {SECONDS:g} seconds; give a path to look at less]",) if finished.exit_code is None else ()
    return await asyncio.to_thread(heard.found, wanted, confinement.cwd, notes)


class _Heard:
    """The output of ripgrep so far: one JSON object a line."""

    def __init__(self) -> None:
        self.matches: list[dict[str, Any]] = []
        self.enough = False
        self._open = b""
        self._other: list[str] = []
        self._binary: set[str] = set()

    def add(self, chunk: bytes, running: asyncio.Future[Any]) -> None:
        *lines, self._open = (self._open + chunk).split(b"\n")
        for line in lines:
            self._take(line)
        if len(self.matches) > MOST_MATCHES and not self.enough:
            self.enough = True
            running.cancel()

    def rest(self) -> str:
        """What it said that is no match."""
        return "\n".join([*self._other, self._open.decode("utf-8", "replace")])

    def found(self, wanted: Search, cwd: Path, notes: tuple[str, ...]) -> Found:
        walking = walk.Walk(wanted.policy)
        ignored: dict[str, bool] = {}
        matches = []
        for path, line, text in self._read():
            real = Path(os.path.normpath(cwd / path))
            if wanted.is_folder and path not in ignored:
                # ripgrep passes over some rules of nested files, so they are applied again.
                ignored[path] = walking.ignores(real)
            if path not in self._binary and not ignored.get(path):
                matches.append(Match(reach.shown(wanted.policy, real), line, text))
        return Found(tuple(matches[: MOST_MATCHES + 1]), notes)

    def _take(self, line: bytes) -> None:
        try:
            said = json.loads(line)
        except ValueError:
            self._other.append(line.decode("utf-8", "replace"))
            return
        if said.get("type") == "match":
            self.matches.append(said["data"])
        elif said.get("type") == "end" and said["data"].get("binary_offset") is not None:
            self._binary.add(_text(said["data"]["path"]))

    def _read(self) -> Iterator[tuple[str, int, str]]:
        for data in self.matches:
            text = _text(data["lines"]).removesuffix("\n").removesuffix("\r")
            sound = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
            yield _text(data["path"]), data["line_number"], sound


def _text(data: dict[str, str]) -> str:
    """ripgrep gives bytes where they are no UTF-8."""
    return data["text"] if "text" in data else os.fsdecode(base64.b64decode(data["bytes"]))


def _reaches(policy: WorkspacePolicy, folder: Path) -> bool:
    return any(folder.is_relative_to(allowed) for allowed in policy.allow_read)
