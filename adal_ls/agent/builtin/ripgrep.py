"""The search by ripgrep, in a sandbox that lets it read what the policy allows and nothing else."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from adal_ls.agent.builtin.context import BuiltinError
from adal_ls.agent.builtin.searching import MOST_MATCHES, MOST_PER_FILE, Found, Match, Search
from adal_ls.agent.files.paths import real_folder
from adal_ls.agent.sandbox import sandbox
from adal_ls.agent.sandbox.mounts import Confinement
from adal_ls.agent.sandbox.process import SandboxLimits
from adal_ls.agent.workspaces import reach
from adal_ls.agent.workspaces.workspace_policy import WorkspacePolicy

_MOST_OUTPUT = 16 * 1024 * 1024
_MOST_ARGUMENTS = 512 * 1024
"""Bytes of paths that one process is given; the system takes about two megabytes."""

_FLAGS = (
    "--json",
    "--no-config",
    "--no-messages",
    "--no-mmap",
    "--crlf",
    "--threads=1",  # in the order of the files
    f"--max-count={MOST_PER_FILE}",
)


async def search(wanted: Search, files: Sequence[str], seconds: float, project: Path) -> Found | None:
    """What ripgrep finds in `files` (real paths), in their order; None where there is no ripgrep.

    No program from in `project` is used, be the workspace of the tool another folder.

    Which files those are is for the caller to find: ripgrep waits for a `.gitignore` that is a pipe, passes over rules
    of nested ones, and reads a file of any size that it is given.

    Raises:
        SandboxUnavailableError: no sandbox for it.
        BuiltinError: it does not take the pattern.
    """
    program = sandbox.find_program("rg", project, wanted.policy.cwd)
    if program is None or sys.platform != "linux":
        return None
    deadline = time.monotonic() + seconds
    heard = _Heard()
    for batch in _batches(files):
        arguments = [program, *_FLAGS, "--regexp", wanted.pattern, "--", *batch]
        ended = await _run(arguments, wanted, deadline, heard, project)
        if not ended:
            return heard.found(wanted.policy, (f"[stopped after {seconds:g} seconds; give a path to look at less]",))
        if heard.enough:
            break
    return heard.found(wanted.policy, ())


async def _run(arguments: Sequence[str], wanted: Search, deadline: float, heard: _Heard, project: Path) -> bool:
    """Whether it came to an end in time, or to enough matches."""
    policy = wanted.policy
    confinement = Confinement(
        cwd=wanted.place.anchor if wanted.place.anchor.is_dir() else wanted.place.anchor.parent,
        writable=(),
        readable=policy.allow_read,
        hidden=policy.deny_read,
    )
    running = asyncio.ensure_future(
        sandbox.run_program(
            arguments,
            confinement,
            SandboxLimits(max(0.1, deadline - time.monotonic()), _MOST_OUTPUT),
            [real_folder(Path(arguments[0]))],
            on_output=lambda chunk: heard.add(chunk, running),
            workspace=project,
        )
    )
    try:
        finished = await running
    except asyncio.CancelledError:
        running.cancel()
        if heard.enough:
            return True
        raise
    if finished.exit_code not in (0, 1, None) and not heard.matches:
        said = heard.rest().strip() or f"exit code {finished.exit_code}"
        raise BuiltinError(f"the search failed: {said[:1000]}")
    return finished.exit_code is not None


def _batches(files: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for path in files:
        size += len(os.fsencode(path)) + 9  # its pointer and the NUL at its end count as well
        if batch and size > _MOST_ARGUMENTS:
            yield batch
            batch, size = [], 0
        batch.append(path)
    if batch:
        yield batch


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

    def found(self, policy: WorkspacePolicy, notes: tuple[str, ...]) -> Found:
        matches = [
            Match(reach.shown(policy, Path(path)), line, text)
            for path, line, text in self._read()
            if path not in self._binary
        ]
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
