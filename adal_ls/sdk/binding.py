"""The project whose files are being loaded: its agents run there, by the rules of whoever loads it."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from adal_ls.sdk.runner import Runner, RuntimeOptions


@dataclass(frozen=True, slots=True)
class ProjectBinding:
    """`options` are the loader's: who is asked and what runs unasked is not for the project's files to say."""

    root: Path
    runner: Runner
    options: RuntimeOptions


BINDING: ContextVar[ProjectBinding | None] = ContextVar("adal_project", default=None)
