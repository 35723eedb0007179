"""The table `[tool.adal-ls]` of a pyproject.toml: its text → settings, and what is wrong with them, each at its line.

Nothing in it is fatal: what cannot be used is told and left out, the rest holds.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from adal_ls.lint.findings import Severity
from adal_ls.lint.settings.codes import read_code, unknown_code
from adal_ls.lint.settings.config import Config

TABLE = "tool.adal-ls"
KEYS = ("select", "ignore", "severity")


@dataclass(frozen=True, slots=True)
class Complaint:
    """Something wrong in the file. `line` counts from 1."""

    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Settings:
    """What `Config.parse` takes, and what is wrong. `found`: the file has the table. `broken`: it is not TOML."""

    values: dict[str, object] = field(default_factory=dict)
    complaints: tuple[Complaint, ...] = ()
    found: bool = False
    broken: bool = False


def parse(text: str) -> Settings:
    """Read the table of a pyproject.toml; never raises."""
    if "adal-ls" not in text:  # most files: no TOML reader is needed
        return Settings()
    try:
        document = _document(text)
    except _UnreadableError as fault:
        return Settings(complaints=(Complaint(fault.line, str(fault)),), found=True, broken=True)
    tools = document.get("tool")
    table = tools.get("adal-ls") if isinstance(tools, dict) else None
    if table is None:
        return Settings()
    if not isinstance(table, dict):
        return Settings(complaints=(Complaint(_line(text, "adal-ls"), f"[{TABLE}] must be a table"),), found=True)
    values: dict[str, object] = {}
    complaints = [Complaint(_line(text, word), message) for word, message in _take(table, values)]
    return Settings(values, tuple(complaints), found=True)


def merge(file: Mapping[str, object], given: Mapping[str, object]) -> dict[str, object]:
    """The settings in force: what the editor or the command line gives comes before the file; severities are joined.

    An empty list is none given: an editor sends one for each setting that nobody has changed.
    """
    joined = {**file, **{key: value for key, value in given.items() if value is not None and value != []}}
    of_file, of_given = file.get("severity"), given.get("severity")
    if isinstance(of_file, Mapping) and isinstance(of_given, Mapping):
        joined["severity"] = {**of_file, **of_given}
    return joined


def _take(table: Mapping[str, object], values: dict[str, object]) -> Iterator[tuple[str, str]]:
    """Put what can be used into `values`; gives a word to look for in the text, and a complaint, for the rest."""
    for key, value in table.items():
        if key not in KEYS:
            near = _closest(key, KEYS)
            advice = f"did you mean '{near}'?" if near else f"the keys are {', '.join(KEYS)}"
            yield key, f"[{TABLE}] has no key '{key}'; {advice}"
            continue
        if key == "severity" and isinstance(value, Mapping):
            yield from _take_severities(value, values)
        elif key != "severity" and isinstance(value, list):
            yield from _take_codes(key, value, values)
        else:
            try:
                Config.parse({key: value})
            except ValueError as fault:
                yield key, f"[{TABLE}] {fault}"


def _take_codes(key: str, given: list[object], values: dict[str, object]) -> Iterator[tuple[str, str]]:
    """The good codes of a list hold whatever stands beside them."""
    good: list[str] = []
    for word in given:
        code = read_code(word) if isinstance(word, str) else None
        if code is not None:
            good.append(code)
        elif isinstance(word, str):
            yield word, f"[{TABLE}] {key}: {unknown_code(word)}"
        else:
            yield key, f"[{TABLE}] {key}: {word!r} is not a code: codes look like ADAL107, or ADAL1 for a family"
    # Were nothing left of `select`, an empty one would silence the whole lint.
    if good or not given:
        values[key] = good


def _take_severities(given: Mapping[str, object], values: dict[str, object]) -> Iterator[tuple[str, str]]:
    good: dict[str, object] = {}
    known = [severity.value for severity in Severity]
    for word, severity in given.items():
        code = read_code(word)
        if code is None:
            yield word, f"[{TABLE}] severity: {unknown_code(word)}"
        elif severity not in known:
            yield word, f"[{TABLE}] the severity of {word} is {severity!r}; it must be one of {', '.join(known)}"
        else:
            good[code] = severity
    values["severity"] = good


def _closest(word: str, known: Any) -> str | None:
    from difflib import get_close_matches  # only a file with a slip pays for the import

    return next(iter(get_close_matches(word, known, n=1, cutoff=0.6)), None)


class _UnreadableError(Exception):
    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


def _document(text: str) -> dict[str, Any]:
    try:
        if sys.version_info >= (3, 11):
            import tomllib
        else:
            import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]
    except ModuleNotFoundError:
        reason = "Python 3.10 cannot read TOML: install tomli, or run adal-ls with a newer Python"
        raise _UnreadableError(f"[{TABLE}] is not read. {reason}", _line(text, "adal-ls")) from None
    try:
        document: dict[str, Any] = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as fault:
        at = re.search(r"at line (\d+)", str(fault))
        raise _UnreadableError(f"not TOML, so [{TABLE}] is not read: {fault}", int(at[1]) if at else 1) from None
    return document


def _line(text: str, word: str) -> int:
    """The line of the table, or below it, that has `word`: TOML readers give no places."""
    lines = text.splitlines()
    start = next((number for number, line in enumerate(lines) if re.match(r"\s*\[\s*tool\s*\.\s*.?adal-ls", line)), 0)
    pattern = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])")
    return next((number for number in range(start, len(lines)) if pattern.search(lines[number])), start) + 1
