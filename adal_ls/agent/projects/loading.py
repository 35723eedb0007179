"""Loading a project's tools in a worker, and what everybody but the worker makes of what it tells."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from adal_ls.agent.approvals.digest import bytes_digest
from adal_ls.protocol.host import HostSettings
from adal_ls.protocol.tools import LeftOut, LoadFailure, Location, Position, Range, Tool
from adal_ls.worker.client import Limits, LoadedProject, LoadError, WorkerClient, WorkerError

LOAD_FAILED = "ADAL901"
_NO_WORKER = "ADAL904"
_FAILURE_CODES = {"syntax": "ADAL001", "missing-module": "ADAL902", "timeout": "ADAL903"}

_MAX_SOURCE = 256 * 1024 * 1024  # bytes of one file; an extension module can be large
_MAX_REASONS, _MAX_REASON = 10, 300  # entries, characters: a worker may say anything


_LIMITS = Limits(stop=0.3)  # a cancelled run has stopped within 0.5 s, the killing included


class LoadFailedError(Exception):
    """A project's tools could not be loaded; the text is for the person, `failure` for the place in their code."""

    def __init__(self, text: str, failure: LoadFailure) -> None:
        super().__init__(text)
        self.failure = failure


def limits_of(settings: HostSettings) -> Limits:
    """The limits of a worker. No file of a workspace has a say: it could keep the person's machine busy for hours."""
    return replace(
        _LIMITS,
        load=_LIMITS.load if settings.load_seconds is None else settings.load_seconds,
        call=_LIMITS.call if settings.tool_seconds is None else settings.tool_seconds,
    )


async def start_loaded(interpreter: str, root: Path, limits: Limits) -> tuple[WorkerClient, LoadedProject]:
    """A worker that has loaded the project.

    Raises:
        LoadFailedError: no worker, or the project's file could not be loaded; no worker is left then.
    """
    try:
        worker = await WorkerClient.start(interpreter, root, limits=limits)
    except WorkerError as fault:
        raise LoadFailedError(str(fault), LoadFailure(code=_NO_WORKER, message=str(fault))) from fault
    try:
        return worker, await _loaded(worker, interpreter, root)
    except BaseException:  # a cancelled caller too, at any point: nobody else knows of the worker
        await worker.close()
        raise


async def _loaded(worker: WorkerClient, interpreter: str, root: Path) -> LoadedProject:
    try:
        loaded = await worker.load()
    except WorkerError as fault:
        raise LoadFailedError(str(fault), LoadFailure(code=LOAD_FAILED, message=str(fault))) from fault
    if loaded.error is not None:
        raise _failed(loaded.error, root, interpreter)
    if await asyncio.to_thread(digests, root, loaded.sources) != loaded.sources:
        # The digests are ours to compute: approvals and the restart of a worker rest on them.
        text = "the project's tool files changed while they were loaded; save again"
        raise LoadFailedError(text, LoadFailure(code=LOAD_FAILED, message=text))
    return loaded


def agents_failure(loaded: LoadedProject, root: Path) -> LoadFailedError | None:
    """Why the project has no agents, although there is an agents.py."""
    if loaded.agents_error is None:
        return None
    failed = _failed(loaded.agents_error, root, loaded.python)
    return LoadFailedError(str(failed), failed.failure.model_copy(update={"agents": True}))


def _failed(error: LoadError, root: Path, interpreter: str) -> LoadFailedError:
    text = str(error)
    # A missing package is missing in one Python: there the error names it already.
    where = "" if interpreter in text else f" (Python: {interpreter})"
    return LoadFailedError(f"{text}{where}", _failure(error, root))


def _failure(error: LoadError, root: Path) -> LoadFailure:
    file = root / error.file
    inside = file.resolve().is_relative_to(root.resolve())  # the worker is not believed about other places
    return LoadFailure(
        code=_FAILURE_CODES.get(error.kind, LOAD_FAILED),
        message=error.message,
        location=location(file, error.line) if inside else None,
    )


def tools_of(loaded: LoadedProject, root: Path) -> list[Tool]:
    """The tools as everybody but the worker sees them; a broken rule stands as its code in `problems`."""
    codes: dict[str, list[str]] = {}
    for problem in loaded.problems:
        if problem.tool is not None and problem.code is not None:
            codes.setdefault(problem.tool, []).append(problem.code)
    return [
        Tool(
            name=tool.name,
            description=tool.description,
            parameters=tool.parameters,
            # Only False itself skips the question; the worker is not believed to have checked.
            require_approval=tool.require_approval is not False,
            location=_believed(root, tool.file, tool.line, loaded.sources),
            problems=codes.get(tool.name, []),
        )
        for tool in loaded.tools
    ]


def _believed(root: Path, file: str, line: int, sources: Mapping[str, str]) -> Location | None:
    """The place of a function as the worker tells it; None for a file of the project that it did not run: a person who
    is asked would be shown another's code."""
    place = Path(os.path.normpath(root / file))
    for top in (root, Path(os.path.realpath(root))):
        if place.is_relative_to(top):
            return location(place, line) if place.relative_to(top).as_posix() in sources else None
    return location(place, line)


def entries_left_out(loaded: LoadedProject) -> list[LeftOut]:
    """Each entry of CUSTOM_TOOLS that is no tool, with the first reason."""
    found: dict[int | None, LeftOut] = {}
    for problem in loaded.problems:
        if problem.left_out:
            told = LeftOut(tool=problem.tool, message=problem.message[:_MAX_REASON], code=problem.code)
            found.setdefault(problem.entry, told)
    return list(found.values())


def left_out(loaded: LoadedProject) -> str | None:
    """What a person should know about entries of CUSTOM_TOOLS that are no tools; None where all are."""
    reasons: dict[int | None, str] = {}
    for problem in loaded.problems:
        if problem.left_out:
            reasons.setdefault(problem.entry, problem.message[:_MAX_REASON])
    if not reasons:
        return None
    more = f"; and {len(reasons) - _MAX_REASONS} more" if len(reasons) > _MAX_REASONS else ""
    text = "; ".join(list(reasons.values())[:_MAX_REASONS]) + more
    if None in reasons:  # the list itself is wrong
        return f"There are no custom tools: {text} (adal-ls check says more)."
    count = "1 entry of CUSTOM_TOOLS was" if len(reasons) == 1 else f"{len(reasons)} entries of CUSTOM_TOOLS were"
    return f"{count} left out: {text} (adal-ls check says more)."


def location(file: Path, line: int) -> Location:
    """The place of a one-based line; its first where the line is 0."""
    start = Position(line=max(0, line - 1), character=0)
    return Location(uri=file.as_uri(), range=Range(start=start, end=start))


def digests(root: Path, sources: Mapping[str, str]) -> dict[str, str]:
    """The digests of the same files as they are now; a missing one has none."""
    return {path: _digest(root / path) for path in sources}


def _digest(file: Path) -> str:
    try:
        # The worker named the file. Opening a pipe must not wait, and reading a device would not end.
        descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(descriptor, "rb") as opened:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_SOURCE:
                return ""
            return bytes_digest(opened.read(_MAX_SOURCE))
    except (OSError, ValueError):
        return ""
