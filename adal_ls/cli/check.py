"""`adal-ls check`: lint tools files."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from adal_ls import lint
from adal_ls.cli import fix, sources
from adal_ls.cli.output import Misuse, give, give_json, is_terminal, printable, say
from adal_ls.cli.sources import Source
from adal_ls.lint import Finding, Range, Severity
from adal_ls.lint.codes import read_code, unknown_code
from adal_ls.lint.pyproject import merge
from adal_ls.workspace import pyproject
from adal_ls.workspace.pyproject import Found

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFORMATION: "blue", Severity.HINT: "cyan"}


@click.command("check")
@click.argument("paths", nargs=-1, type=click.Path())
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", help="What to print.")
@click.option("--select", metavar="CODES", help="Only these, such as ADAL1 or ADAL101,ADAL2.")
@click.option("--ignore", metavar="CODES", help="None of these; errors that the runtime refuses stay.")
@click.option("--fix", "mend", is_flag=True, help="Mend what needs no choice, in the files themselves.")
@click.option("--diff", "preview", is_flag=True, help="Show what --fix would change, and change nothing.")
def command(
    paths: tuple[str, ...], *, style: str, select: str | None, ignore: str | None, mend: bool, preview: bool
) -> int:
    """Lint tools files. Nothing in them is run.

    PATHS are files, or folders in which every .adal/tools.py is checked. If none is given: the current folder, or the
    project it lies in. The table [tool.adal-ls] of the nearest pyproject.toml counts; options come before it. Exit code
    0: no errors. 1: errors were found, after the fixes of --fix. 2: wrong usage, nothing to check, or a file that
    cannot be read or written. With --diff 1 means that --fix would change something.

    Fixes never change whether a tool asks for approval.
    """
    config = _Configs(select, ignore)
    checked = [sources.read(path, config.of(path)) for path in sources.find(paths)]
    fixed = [fix.mend(source, config.of(source.path), write=not preview) for source in checked if mend or preview]
    if preview and checked:
        return fix.give_diff(fixed)
    checked = [
        sources.read(source.path, config.of(source.path)) if fix.changed(source.path, fixed) else source
        for source in checked
    ]
    if style == "json":
        give_json({**as_json(checked), **({"fixed": fix.as_json(fixed)} if mend else {})})
    else:
        fix.give_fixed(fixed)
        _give_text(checked)
    if not checked:
        raise Misuse(_nothing_found(paths))
    if not fix.tell_refused(fixed) or config.broken or any(not source.readable for source in checked):
        return 2
    return 1 if _count(checked, Severity.ERROR) else 0


def _nothing_found(paths: tuple[str, ...]) -> str:
    where = f"below {', '.join(paths)}" if paths else f"in or above {Path.cwd()}, up to the root of its repository"
    return (
        f"there is no .adal/tools.py {where}, so nothing was checked; give the project's folder or a file: "
        "adal-ls check PATH"
    )


class _Configs:
    """The configuration of each file: the options given, before the `[tool.adal-ls]` that holds where it stands."""

    def __init__(self, select: str | None, ignore: str | None) -> None:
        self._given: dict[str, object] = {"select": _codes(select), "ignore": _codes(ignore)}
        self.broken = False
        """Whether a pyproject.toml is no TOML: what it wants is unknown then."""
        self._known: dict[str, Found | None] = {}
        self._told: set[str] = set()

    def of(self, path: str) -> lint.Config:
        folder = Path(os.path.realpath(path)).parent  # a link in circles has no `resolve`
        found = pyproject.find(str(folder.parent if folder.name == ".adal" else folder), self._known)
        self.broken |= found.settings.broken
        for complaint in found.complaints:
            if complaint not in self._told:
                self._told.add(complaint)
                say(complaint)
        return lint.Config.parse(merge(found.settings.values, self._given))


def _codes(given: str | None) -> list[str] | None:
    """The codes of an option; None without one."""
    found: list[str] = []
    for word in (word for word in (given or "").split(",") if word.strip()):
        code = read_code(word)
        if code is None:
            raise click.UsageError(f"{unknown_code(word)} (`adal-ls rule` lists all)")
        found.append(code)
    return found or None


def _count(checked: Sequence[Source], severity: Severity) -> int:
    return sum(finding.severity is severity for source in checked for finding in source.findings)


def _files(checked: Sequence[Source]) -> int:
    return sum(source.readable for source in checked)


def as_json(checked: Sequence[Source]) -> dict[str, Any]:
    """The machine-readable result, version 1: lines and columns from 1, columns in code points."""
    return {
        "version": 1,
        "diagnostics": [_diagnostic(source, finding) for source in checked for finding in source.findings],
        "summary": {
            "files": _files(checked),
            "errors": _count(checked, Severity.ERROR),
            "warnings": _count(checked, Severity.WARNING),
        },
    }


def _diagnostic(source: Source, finding: Finding) -> dict[str, Any]:
    return {
        "path": source.path,
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity.value,
        "message": finding.message,
        "range": _range(finding.range),
        "related": [
            {"path": source.path, "message": message, "range": _range(place)} for place, message in finding.related
        ],
        "fixable": bool(finding.fixes),
    }


def _range(place: Range) -> dict[str, Any]:
    return {
        "start": {"line": place.start.line + 1, "column": place.start.column + 1},
        "end": {"line": place.end.line + 1, "column": place.end.column + 1},
    }


def _give_text(checked: Sequence[Source]) -> None:
    for source in checked:
        for finding in source.findings:
            _give_finding(source, finding)
    if not checked:
        return
    errors, warnings = _count(checked, Severity.ERROR), _count(checked, Severity.WARNING)
    found = f"{_number(errors, 'error')}, {_number(warnings, 'warning')}" if errors or warnings else "no errors"
    give(f"{found} in {_number(_files(checked), 'file')}")


def _give_finding(source: Source, finding: Finding) -> None:
    place = click.style(printable(_place(source, finding.range)), bold=True)
    code = click.style(f"{finding.severity.value} {finding.code}", fg=_COLOURS[finding.severity], bold=True)
    # Styled here, where every other control character is already gone; click drops the styles where there is no
    # terminal.
    click.echo(f"{place}: {code} {finding.name}: {printable(finding.message)}")
    if source.readable and is_terminal(sys.stdout):
        give(_excerpt(source, finding.range))
    for related, message in finding.related:
        give(printable(f"{_place(source, related)}: note: {message}"))


def _place(source: Source, place: Range) -> str:
    return f"{source.path}:{place.start.line + 1}:{place.start.column + 1}"


def _excerpt(source: Source, place: Range) -> str:
    """The line of a finding with a marker under its range, as wide as the terminal shows the characters."""
    from rich.cells import cell_len

    line = source.file.lines.line(place.start.line)
    end = place.end.column if place.end.line == place.start.line else len(line)
    before, marked = (_flat(part) for part in (line[: place.start.column], line[place.start.column : end]))
    marker = " " * cell_len(before) + "^" * max(1, cell_len(marked))
    return f"    {_flat(line)}\n    {marker}"


def _flat(text: str) -> str:
    return printable(text).replace("\t", "    ")


def _number(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
