"""Finds and reads the tools and agents files that a command line names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from adal_ls import lint
from adal_ls.cli.project import nearest, project_of
from adal_ls.lint.session import open_text
from adal_ls.workspace import disk
from adal_ls.workspace.modules import FolderModules
from adal_ls.workspace.projects import AGENTS, FOLDER, TOOLS, discover, files_of, is_agents_path

STDIN = "-"
"""The path that stands for standard input."""

_STEPS_UP = 3
"""A path with more steps up is harder to read than the whole one."""


@dataclass(frozen=True, slots=True)
class Source:
    """One file with its findings. `path` is as a person would name it; `readable`: there was a text to check."""

    path: str
    text: str
    findings: tuple[lint.Finding, ...]
    readable: bool = True
    sound: bool = True
    """Whether Python takes its bytes."""
    agents: bool = False
    """Whether it is an agents file."""
    modules: tuple[Source, ...] = ()
    """The modules beside a tools file that tools of it stand in."""


def find(paths: Sequence[str]) -> Iterator[str]:
    """The files meant by `paths`, each once: a file is itself, a folder all `.adal/tools.py` and `agents.py` below it;
    a module beside such files means those.

    Without paths those below the current folder, else those of the project that the folder lies in.
    """
    seen: set[str] = set()
    for given in paths or ["."]:
        for path in _meant(given) or ([] if paths else _above()):
            identity = os.path.realpath(path)
            if identity not in seen:
                seen.add(identity)
                yield _shown(path)


def _meant(given: str) -> list[str]:
    named = Path(given)
    if not named.is_dir() or named.name in (TOOLS, AGENTS):
        return _of_module(named) or [given]
    found = discover(os.fspath(project_of(named)))
    return [file for project in found for file in files_of(project.root)]


def _of_module(named: Path) -> list[str]:
    """The files of the project that a module beside them belongs to: what is in it is told where they are checked."""
    if named.suffix != ".py" or named.name in (TOOLS, AGENTS):
        return []
    folder = next((parent for parent in Path(os.path.abspath(named)).parents if parent.name == FOLDER), None)  # noqa: PTH100
    return [] if folder is None else [os.path.normpath(file) for file in files_of(os.path.relpath(folder.parent))]


def _above() -> list[str]:
    found = nearest(Path.cwd())
    return [] if found is None else list(files_of(os.fspath(found)))


def read(path: str, config: lint.Config) -> Source:
    """Reads and checks one file. What cannot be read is one located finding."""
    return _checked(path, disk.read(path) or disk.unreadable("there is no such file or folder"), config)


def from_bytes(path: str, data: bytes, config: lint.Config) -> Source:
    """Checks what stands in, or would stand in, the file at `path`."""
    return _checked(path, disk.content(data), config)


def with_modules(found: Iterable[Source]) -> list[Source]:
    """The files, each followed by the modules beside it; what is shared, or named itself as well, comes once."""
    known: dict[str, Source] = {}
    for source in found:
        for one in (source, *source.modules):
            identity = os.path.realpath(one.path)
            before = known.get(identity)
            if before is None:
                known[identity] = replace(one, modules=())
            elif before.text == one.text:
                told = sorted(dict.fromkeys((*before.findings, *one.findings)), key=lambda finding: finding.range)
                known[identity] = replace(before, findings=tuple(told))
    return list(known.values())


def modules_beside(path: str) -> FolderModules | None:
    """What the file at `path` can import from its folder; None for a text that stands in none."""
    return None if path == STDIN else FolderModules(os.path.dirname(path))  # noqa: PTH120 - the path as it is given


def _checked(path: str, content: disk.Content, config: lint.Config) -> Source:
    if not content.readable:
        return Source(path, "", content.faults, readable=False)
    if is_agents_path(os.path.abspath(path)):  # noqa: PTH100 - a link to a folder stays one
        return _checked_agents(path, content, config)
    linted = open_text(content.text, config, modules_beside(path))
    # Bytes that Python refuses make every syntax error after them doubtful, and the first one is the cause.
    more = [finding for finding in linted.findings() if not content.faults or finding.code != "ADAL001"]
    findings = sorted([*content.faults, *more], key=lambda finding: finding.range)
    beside = linted.beside(quiet=True)
    modules = (Source(module.key, module.text, tuple(said)) for module, said in beside.items())
    return Source(path, content.text, tuple(findings), sound=not content.faults, modules=tuple(modules))


def _checked_agents(path: str, content: disk.Content, config: lint.Config) -> Source:
    found = lint.check_agents(content.text, config, modules_beside(path))
    more = [finding for finding in found if not content.faults or finding.code != "ADAL001"]
    findings = sorted([*content.faults, *more], key=lambda finding: finding.range)
    return Source(path, content.text, tuple(findings), sound=not content.faults, agents=True)


def _shown(path: str) -> str:
    """`path` relative to the current folder where it lies below it, or is that of a project around it."""
    if not Path(path).is_absolute():
        return path
    try:
        # Not the file's real path: a link that leads nowhere, or in circles, has none.
        shown = os.path.relpath(path, os.path.realpath("."))
    except ValueError:  # another drive
        return path
    steps = shown.count(os.pardir)
    files = [Path(*[os.pardir] * steps, FOLDER, name) for name in (TOOLS, AGENTS)]
    around = steps <= _STEPS_UP and Path(shown) in files
    return shown if around or not steps else path
