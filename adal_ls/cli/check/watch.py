"""`adal-ls check --watch`: a round whenever something changed that the findings depend on."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import click

from adal_ls.cli import output
from adal_ls.cli.check import batch
from adal_ls.cli.check.command import Checked, Request, check, give, nothing_found
from adal_ls.cli.output import Failure, is_terminal, say
from adal_ls.cli.sources import Source
from adal_ls.cli.styles import clear
from adal_ls.workspace import pyproject
from adal_ls.workspace.projects import FOLDER, searched

MAX_WATCHED = 10_000
"""Folders that are watched for new projects. A system has some ten thousand watches for all programs."""

_STEP = 20  # ms in which nothing more must happen before a round
_PATIENCE = 400  # ms that a round waits at most while things go on happening
_LOOK_AGAIN = 500  # ms after the start of watching: until then a change can have gone unseen

Stamp = tuple[object, ...]
"""Differs when a file does."""


def follow(asked: Request) -> int:
    """Checks at once, then after each change, until Ctrl-C. Returns the exit code of the last round."""
    rounds = _Rounds(asked)
    try:
        rounds.next()
        while True:
            _until_folders_change(rounds)
    except KeyboardInterrupt:
        if rounds.code is None:
            raise
        click.echo("")
        return rounds.code


def _until_folders_change(rounds: _Rounds) -> None:
    """Watches the folders of this moment, and makes rounds, until there are others to watch."""
    from watchfiles import watch

    folders = rounds.folders()
    matters = _Filter(folders, rounds.named_folders())
    try:
        for changes in watch(
            *sorted(folders),
            watch_filter=matters,
            recursive=False,
            step=_STEP,
            debounce=_PATIENCE,
            rust_timeout=_LOOK_AGAIN,
            yield_on_timeout=True,
        ):
            if changes or matters.fresh:
                matters.fresh = False
                rounds.next()
                if rounds.folders() != folders:
                    return
    except FileNotFoundError:  # a folder went away before it was watched
        return
    except OSError as fault:
        raise Failure(
            f"{len(folders)} folders cannot be watched: {fault}. Name fewer of them: adal-ls check --watch PATH"
        ) from None


class _Filter:
    """Tells events that can change findings. `fresh`: the folders have not been looked at since watching began."""

    def __init__(self, folders: set[str], named: set[str]) -> None:
        """`named` are the folders of files that were named, whatever these are called."""
        self._folders, self._named = folders, named
        self.fresh = True

    def __call__(self, change: int, path: str) -> bool:
        del change  # an editor that saves by renaming deletes and adds
        folder, name = os.path.split(path)
        modules = folder in self._named or FOLDER in Path(folder).parts
        if name == pyproject.NAME or (modules and name.endswith(".py")):
            return True
        return path in self._folders or os.path.isdir(path)  # noqa: PTH112 - a storm of events must not cost much


class _Rounds:
    """One round of checking after the other. Files that did not change are not checked again."""

    def __init__(self, asked: Request) -> None:
        self._asked = asked
        self._last: Checked | None = None
        self._stamp: Stamp = ()
        self._known: dict[str, tuple[batch.Task, Stamp, Source]] = {}
        self._told_limit = False
        self.code: int | None = None
        """The exit code of the last round; None before the first one."""

    def next(self) -> None:
        """Checks, if anything changed since the last round, and shows the outcome."""
        stamp = self._look()
        if self._last is not None and stamp == self._stamp:
            return
        self._stamp = stamp
        self._last = check(self._asked, self._read)
        if any(mended.applied for mended in self._last.outcome.fixed or ()):
            self._stamp = self._look()
        if is_terminal(sys.stdout):
            clear()
        files = self._last.outcome.sources
        self.code = give(self._asked, self._last) if files else 2
        if not files:
            say(nothing_found(self._asked.paths))
        watched = f"{len(files)} file{'' if len(files) == 1 else 's'}" if files else "for a .adal/tools.py or agents.py"
        output.give(f"{time.strftime('%H:%M:%S')} Watching {watched}; Ctrl-C ends.")

    def folders(self) -> set[str]:
        """The folders to watch: those of the files, of their configuration, and those in which projects can appear."""
        found = {folder for path in self._files() for folder in _around(path)}
        found |= {_standing(folder) for folder in self._last.configs.folders} if self._last is not None else set()
        for given in self._asked.paths or (".",):
            found.add(_standing(given))
            for number, folder in enumerate(searched(os.path.realpath(given)) if Path(given).is_dir() else ()):
                if number == MAX_WATCHED:
                    self._tell_limit(given)
                    break
                found.add(folder)
        return found

    def named_folders(self) -> set[str]:
        """The folders of the files that are checked."""
        return {os.path.dirname(os.path.realpath(path)) for path in self._files()}  # noqa: PTH120

    def _tell_limit(self, given: str) -> None:
        if not self._told_limit:
            self._told_limit = True
            say(
                f"There are more than {MAX_WATCHED:,} folders below {given}: projects that appear in those beyond them "
                "are not noticed."
            )

    def _files(self) -> list[str]:
        return list(self._asked.files())

    def _look(self) -> Stamp:
        """All files that findings depend on, as they are now."""
        configured = self._last.configs.folders if self._last is not None else ()
        tables = (_stamp(os.path.join(folder, pyproject.NAME)) for folder in sorted(configured))  # noqa: PTH118
        return (*((path, _with_modules(path)) for path in self._files()), *tables)

    def _read(self, tasks: Sequence[batch.Task], done: Callable[[int], None]) -> list[Source]:
        stamps = [_with_modules(task.path) for task in tasks]
        stale = [
            task
            for task, stamp in zip(tasks, stamps, strict=True)
            if task.path not in self._known or self._known[task.path][:2] != (task, stamp)
        ]
        fresh = {task.path: source for task, source in zip(stale, batch.check(stale, done), strict=True)}
        self._known = {
            task.path: (task, stamp, fresh.get(task.path) or self._known[task.path][2])
            for task, stamp in zip(tasks, stamps, strict=True)
        }
        return [source for _, _, source in self._known.values()]


def _around(path: str) -> Iterator[str]:
    """The folder of a tools file, and the one that this comes and goes in."""
    folder = os.path.dirname(os.path.realpath(path))  # noqa: PTH120
    yield _standing(folder)
    yield _standing(os.path.dirname(folder))  # noqa: PTH120
    yield _standing(os.path.dirname(os.path.abspath(path)))  # noqa: PTH100,PTH120 - a link is watched with what it leads to
    yield from (os.path.realpath(package) for package, _ in _modules(path))


def _standing(path: str) -> str:
    """`path` if it is a folder, else the nearest one above it that is there."""
    folder = Path(os.path.realpath(path))
    while not folder.is_dir():
        folder = folder.parent
    return os.fspath(folder)


def _with_modules(path: str) -> Stamp:
    """The stamp of a tools file and of the modules beside it, those of packages included."""
    modules = sorted(os.path.join(folder, name) for folder, names in _modules(path) for name in names)  # noqa: PTH118
    return (_stamp(path), *((module, _stamp(module)) for module in modules))


def _modules(path: str) -> Iterator[tuple[str, list[str]]]:
    """The folders that a tools file can import from, and the Python files in each; no packages beside another file."""
    folder = os.path.dirname(path) or "."  # noqa: PTH120
    for below, packages, names in os.walk(folder):
        packages[:] = [name for name in packages if name.isidentifier() and name != "__pycache__"]
        yield below, [name for name in names if name.endswith(".py")]
        if os.path.basename(os.path.abspath(folder)) != FOLDER:  # noqa: PTH100,PTH119
            return


def _stamp(path: str) -> Stamp:
    try:
        found = os.stat(path)  # noqa: PTH116
    except OSError as fault:
        return (fault.errno,)
    return (found.st_ino, found.st_mtime_ns, found.st_size, found.st_mode)
