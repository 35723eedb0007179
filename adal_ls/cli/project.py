"""Which project a command works in: the folder given, or the nearest one upward that has tools."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from adal_ls.cli.output import say
from adal_ls.workspace.projects import FOLDER, holds_project, is_repository


def nearest(start: Path, holds: Callable[[str], bool] = holds_project) -> Path | None:
    """The nearest folder from `start` upward that has tools or agents, never above its repository or the home."""
    return next((folder for folder in upward(start) if holds(os.fspath(folder))), None)


def upward(start: Path) -> Iterator[Path]:
    """The project folders that `start` can lie in, nearest first; a `.adal` folder lies in the one above it."""
    folder, home = project_of(start), _home()
    while True:
        yield folder
        if folder in (home, folder.parent) or is_repository(os.fspath(folder)):
            return
        folder = folder.parent


def project_of(folder: Path) -> Path:
    """The real path of a project folder, also where its `.adal` is meant."""
    real = folder.resolve()
    return real.parent if real.name == FOLDER else real


def project_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """The option `--project`, shared by all commands that work in a project; gives a folder that is there."""
    return click.option(
        "--project",
        type=click.Path(path_type=Path, file_okay=False, exists=True),
        callback=_chosen,
        help="The project's folder; else the nearest one upward with .adal/tools.py or agents.py, or the current one.",
    )(command)


def _chosen(context: click.Context, parameter: click.Parameter, given: Path | None) -> Path:  # noqa: ARG001 - click's
    if given is not None:
        return project_of(given)
    here = Path.cwd()
    found = nearest(here)
    if found is not None and found != here.resolve():
        say(f"Project: {found}")
    return found or project_of(here)


def _home() -> Path | None:
    try:
        return Path.home().resolve()
    except RuntimeError:  # nobody is at home: a user without an entry, as in some containers
        return None
