"""`adal-ls check --load`: has each project loaded, and adds what only that tells.

A worker imports the file, as for a run; no tool is called. Only what a person trusts is loaded.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import shlex
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from adal_ls import lint
from adal_ls.cli.check.batch import cores
from adal_ls.cli.output import Misuse, say
from adal_ls.cli.sources import Source, modules_beside
from adal_ls.lint.agents import tells
from adal_ls.lint.differences import differences
from adal_ls.workspace import disk, uris
from adal_ls.workspace.projects import AGENTS, FOLDER, TOOLS

if TYPE_CHECKING:
    from adal_ls.protocol.host import HostSettings
    from adal_ls.protocol.tools import LoadFailure, Project


def root_of(path: str) -> Path | None:
    """The project folder of a tools or agents file; None for a file that no project has."""
    folder, name = os.path.split(os.path.abspath(path))  # noqa: PTH100 - a link to a folder stays one
    root, below = os.path.split(folder)
    return Path(root) if below == FOLDER and name in (TOOLS, AGENTS) else None


def refuse_untrusted(paths: Sequence[str], *, trusted: bool) -> None:
    """Make sure that all projects may be loaded. `trusted`: this once they may, as the person says.

    Raises:
        Misuse: there is one that nobody trusted, or a file that belongs to no project.
    """
    from adal_ls.agent.projects import trust, unsaved

    roots: list[Path] = []
    for path in paths:
        root = root_of(path)
        if root is None:
            raise Misuse(
                f"--load loads projects, and {path} is no {Path(FOLDER, TOOLS)} or {AGENTS}: give the project's folder"
            )
        if root not in roots:
            roots.append(root)
    try:
        refused = [] if trusted else [str(root) for root in roots if not trust.is_trusted(root)]
        if refused:
            commands = "; ".join(shlex.join(["adal-ls", "trust", root]) for root in refused)
            raise Misuse(
                f"not trusted, so nothing was loaded: {', '.join(refused)}. Look at the Python files in the {FOLDER} "
                f"folder, then trust it once with --trust or for good with: {commands}"
            )
        for root in roots if trusted else ():
            unsaved.confirm(root)
    except (ValueError, OSError) as fault:  # of the data folder: a setting that cannot be
        raise Misuse(str(fault)) from fault


def load(
    found: Sequence[Source],
    config: Callable[[str], lint.Config],
    interpreter: str | None,
    seconds: float | None,
    done: Callable[[int], None],
) -> list[Source]:
    """The files with what a load of each tells as well. Those that could not be read are not loaded.

    Args:
        interpreter: the Python to load with; None: that of each project.
        seconds: how long one load may take; None: as long as everywhere.
        done: hears how many are finished.
    """
    from adal_ls.protocol.host import HostSettings

    settings = HostSettings(interpreter=interpreter, load_seconds=seconds)
    roots = {source.path: root for source in found if source.readable and (root := root_of(source.path)) is not None}
    loaded = asyncio.run(_load_all(list(dict.fromkeys(roots.values())), settings, done))
    agents = {os.path.realpath(source.path) for source in found if source.agents}
    return [
        _told(source, loaded[roots[source.path]], config(source.path), agents) if source.path in roots else source
        for source in found
    ]


async def _load_all(roots: Sequence[Path], settings: HostSettings, done: Callable[[int], None]) -> dict[Path, Project]:
    from adal_ls.agent.projects.projects import Projects

    turn = asyncio.Semaphore(cores())
    loaded: dict[Path, Project] = {}

    async def load_one(root: Path) -> None:
        async with turn:
            projects = Projects(settings, lambda _: None)
            try:
                # No person looked at what an agent wrote since the folder was trusted; `--trust` says that one did.
                loaded[root] = await projects.load(root, unsaved=True)
            finally:
                await projects.close()
        done(len(loaded))

    await asyncio.gather(*map(load_one, roots))
    return loaded


def _told(source: Source, project: Project, config: lint.Config, agents: Collection[str]) -> Source:
    """`agents`: the real paths of the agents files that are checked, too: what is wrong with one is told there."""
    blamed = _blamed(project.failure)
    elsewhere = blamed is not None and os.path.realpath(blamed) in agents
    if source.agents:
        at_home = blamed is not None and os.path.realpath(blamed) == os.path.realpath(source.path)
        return _failed(source, project.failure, config) if project.failure is not None and at_home else source
    if project.failure is not None and not elsewhere:
        return _failed(source, project.failure, config)
    # The Python that runs the tools took the file: that its syntax is newer than ours is nobody's concern.
    findings = [finding for finding in source.findings if finding.code != "ADAL004"]
    return _with(replace(source, findings=tuple(findings)), _differences(source, project), config)


def _differences(source: Source, project: Project) -> list[lint.Finding]:
    if project.file_digest is None or project.file_digest != _digest(source):
        say(f"{source.path} changed while it was checked, so its text is not compared with what was loaded.")
        return []
    told = project.wire()
    file = lint.read(source.text, modules_beside(source.path))
    return differences(file, source.findings, told.get("tools", []), told.get("leftOut", []))


def _digest(source: Source) -> str | None:
    """The digest of the bytes that `source` is the text of; None where the file is another by now."""
    try:
        data = Path(source.path).read_bytes()
    except OSError:
        return None
    return hashlib.sha256(data).hexdigest() if lint.decode(data)[0] == source.text else None


def _failed(source: Source, failure: LoadFailure, config: lint.Config) -> Source:
    """`source` with the finding of a failed load: at the line to blame, in it or in a module."""
    blamed = _blamed(failure)
    file = source if blamed is None else _file(source, blamed)
    line = 0 if failure.location is None or file is None else failure.location.range.start.line
    if file is None or file is source:
        return _with(source, [_finding(source, failure, line)], config)
    told = _with(file, [_finding(file, failure, line)], config)
    modules = [told if one is file else one for one in source.modules]
    return replace(source, modules=(*modules, *(() if file in source.modules else (told,))))


def _blamed(failure: LoadFailure | None) -> str | None:
    return None if failure is None or failure.location is None else uris.to_path(failure.location.uri)


def _file(source: Source, path: str) -> Source | None:
    """The file at `path`, which a load of `source` ran; None where it cannot be read any more."""
    real = os.path.realpath(path)
    for known in (source, *source.modules):
        if os.path.realpath(known.path) == real:
            return known
    content = disk.read(path)
    if content is None or not content.readable:
        return None
    folder = os.path.dirname(source.path)  # noqa: PTH120 - as it was named
    shown = os.path.join(folder, os.path.relpath(real, os.path.realpath(folder)))  # noqa: PTH118
    return Source(os.path.normpath(shown), content.text, ())


def _finding(file: Source, failure: LoadFailure, line: int) -> lint.Finding:
    lines = lint.Lines(file.text)
    line = min(line, len(lines.starts) - 1)
    text = lines.line(line)
    start = lint.Position(line, len(text) - len(text.lstrip()))
    place = lint.Range(start, lint.Position(line, max(start.column, len(text.rstrip()))))
    return lint.finding_of_load(failure.code, failure.message, place)


def _with(source: Source, told: Sequence[lint.Finding], config: lint.Config) -> Source:
    """`source` with more findings, as far as its configuration and comments let them through."""
    if source.agents:
        more = [one for one in told if not tells(source.findings, one.code, one.range.start.line, source.text)]
    else:  # the same syntax error from both would show twice; lint's has the exact range
        known = {finding.code for finding in source.findings if finding.code == "ADAL001"}
        more = [one for one in told if one.code not in known]
    every = [*source.findings, *lint.let_through(more, lint.Lines(source.text), config)]
    return replace(source, findings=tuple(sorted(every, key=lambda finding: finding.range)))
