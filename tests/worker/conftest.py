from __future__ import annotations

import sys
import textwrap
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from adal_ls.worker.client import Limits, LoadedProject, WorkerClient

Project = Callable[..., Path]
Workers = Callable[..., Awaitable[WorkerClient]]
Loaded = Callable[..., Awaitable[tuple[WorkerClient, LoadedProject]]]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Makes a project of a tools file and other files, whose names are given relative to `.adal`."""

    def make(source: str, files: dict[str, str] | None = None) -> Path:
        folder = tmp_path / ".adal"
        folder.mkdir(exist_ok=True)
        (folder / "tools.py").write_text(textwrap.dedent(source), encoding="utf-8")
        for name, text in (files or {}).items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text), encoding="utf-8")
        return tmp_path

    return make


@pytest.fixture
async def workers() -> AsyncIterator[Workers]:
    """Starts workers and ends them after the test."""
    started: list[WorkerClient] = []

    async def start(root: Path, *, interpreter: str = sys.executable, limits: Limits | None = None) -> WorkerClient:
        worker = await WorkerClient.start(interpreter, root, limits=limits)
        started.append(worker)
        return worker

    yield start
    for worker in started:
        await worker.close()


@pytest.fixture
def loaded(project: Project, workers: Workers) -> Loaded:
    """A worker that has loaded the given tools file, and what it found."""

    async def load(
        source: str, files: dict[str, str] | None = None, limits: Limits | None = None
    ) -> tuple[WorkerClient, LoadedProject]:
        worker = await workers(project(source, files), limits=limits)
        return worker, await worker.load()

    return load
