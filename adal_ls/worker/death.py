"""How a worker ends, and how that is told. In the host."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

from adal_ls.worker.data import LoadedProject, LoadError, LoadErrorKind
from adal_ls.worker.ending import BROKEN, describe_exit
from adal_ls.worker.sources import Sources

_CRASH_FRAME = re.compile(r'^  File "(.+)", line (\d+) in ', re.M)  # as faulthandler writes it
_THREAD = re.compile(r"^(?:Current thread|Thread) 0x.*$", re.M)
_TOLD = re.compile(r"^Timeout \(\d+:\d\d:\d\d(?:\.\d+)?\)!\n(?:(?:Current thread|Thread) 0x.*\n|  .*\n|\n)*", re.M)
_ESCAPE = re.compile(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8}))")


class WorkerError(Exception):
    """Base of the two below; the text says what happened and what to do."""


class WorkerStartError(WorkerError):
    """The interpreter cannot serve as a worker."""


class WorkerDiedError(WorkerError):
    """The worker is gone and takes no more calls; start another one."""


@dataclass(frozen=True, slots=True)
class Death:
    """`text` goes on from a subject: "ended its process (exit code 3)"."""

    kind: LoadErrorKind
    text: str
    exit_code: int | None = None


ENDING = Death("exit", "is ending")
CLOSED = Death("exit", "was ended by adal-ls")
CANCELLED = Death("exit", "was ended because a call was cancelled")


def by_itself(code: int | None) -> Death:
    """`code` None: nobody saw how it ended."""
    return Death("crash" if code is not None and code < 0 else "exit", describe_exit(code), code)


def by_breach(fault: object) -> Death:
    return Death("channel", f"was ended because something wrote to its private channel or broke its messages ({fault})")


def by_load_limit(limit: float) -> Death:
    text = (
        f"was still loading after {limit:g} s (the time limit): the setting loadSeconds, or --load-seconds, allows more"
    )
    return Death("timeout", text)


def by_call_limit(limit: float) -> Death:
    text = f"was stopped after {limit:g} s (the time limit): the setting toolSeconds, or --tool-seconds, allows more"
    return Death("timeout", text)


def by_question_limit(limit: float) -> Death:
    return Death("timeout", f"was stopped after {limit:g} s (the time limit)")


def unloaded(death: Death, root: Path, python: str, seen: tuple[str, int] | None) -> LoadedProject:
    """A project whose worker died while loading it; `seen` is the file and line it hung or crashed at."""
    file, line = str(root / ".adal" / "tools.py"), 0
    text = f"the file {death.text}"
    if death.kind == "exit" and death.exit_code not in (None, BROKEN):
        text = f"the file ends the program while being loaded (exit code {death.exit_code})"
    if death.kind in ("timeout", "crash") and seen is not None:
        file, line = seen
    return LoadedProject(error=LoadError(death.kind, text, file, line, exit_code=death.exit_code), python=python)


def crash_place(printed: str, root: Path) -> tuple[str, int] | None:
    """File and line of the project in the last words of a worker that crashed."""
    _, said, frames = printed.rpartition("Fatal Python error: ")
    return _deepest(frames, root) if said else None


def hang_place(printed: str, root: Path) -> tuple[str, int] | None:
    """File and line of the project where the main thread was when the time for loading was nearly over."""
    _, said, threads = printed.rpartition("Timeout (")
    if not said:
        return None
    # The main thread is the oldest, which comes last.
    places = (_deepest(thread, root) for thread in reversed(_THREAD.split(threads)))
    return next((place for place in places if place is not None), None)


def without_places(printed: str) -> str:
    """What was printed, without the lines in which a worker tells where it hung."""
    return _TOLD.sub("", printed)


def _deepest(frames: str, root: Path) -> tuple[str, int] | None:
    """The first frame of the project: the deepest comes first."""
    sources = Sources(str(root))
    for frame in _CRASH_FRAME.finditer(frames):
        # All but ASCII stands escaped. On Windows a backslash may be just that.
        for file in (frame[1], _ESCAPE.sub(_character, frame[1])):
            if sources.owns(file) and Path(file).is_file():
                return file, int(frame[2])
    return None


def _character(escape: re.Match[str]) -> str:
    code = int(escape[1] or escape[2] or escape[3], 16)
    return chr(code) if code <= sys.maxunicode else escape[0]
