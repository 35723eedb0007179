"""How a worker ends, and how that is told. In the host."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from adal_ls.worker.data import LoadedProject, LoadError, LoadErrorKind
from adal_ls.worker.process import describe_exit


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


def by_itself(code: int) -> Death:
    return Death("crash" if code < 0 else "exit", describe_exit(code), code)


def by_breach(fault: object) -> Death:
    return Death("channel", f"was ended because something wrote to its private channel or broke its messages ({fault})")


def by_load_limit(limit: float) -> Death:
    return Death("timeout", f"was still loading after {limit:g} s (the time limit)")


def by_call_limit(limit: float) -> Death:
    return Death("timeout", f"was stopped after {limit:g} s (the time limit)")


def unloaded(death: Death, root: Path, python: str, hang: tuple[str, int] | None) -> LoadedProject:
    """A project whose worker died while loading it; `hang` is the line it was last seen at."""
    file, line = str(root / ".adal" / "tools.py"), 0
    text = f"the file {death.text}"
    if death.kind == "exit" and death.exit_code is not None:
        text = f"the file ends the program while being loaded (exit code {death.exit_code})"
    if death.kind == "timeout" and hang is not None:
        file, line = hang
    return LoadedProject(error=LoadError(death.kind, text, file, line, exit_code=death.exit_code), python=python)
