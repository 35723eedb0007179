"""`adal-ls check --fix` and `--diff`: mends files in place, or shows how."""

from __future__ import annotations

import difflib
import os
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adal_ls import lint
from adal_ls.cli.output import give, printable, say
from adal_ls.cli.sources import Source, modules_beside
from adal_ls.lint.fixes.fixing import Applied, fix_all, fix_beside
from adal_ls.lint.reading.writing import NotWritableError, encode


@dataclass(frozen=True, slots=True)
class Fixed:
    """What was mended in one file, or can be. `refused` says why a file that could be mended was left alone."""

    path: str
    before: str
    after: str
    applied: tuple[Applied, ...]
    refused: str | None = None


def mend(source: Source, config: lint.Config, *, write: bool, original: bytes | None = None) -> list[Fixed]:
    """Apply the fixes that need no choice, and write the files if that is wanted and anything changed.

    First those of the file, then those of its tools in modules beside it. The line ends, the byte order mark, the
    encoding and the mode of a file stay, and a link stays a link. A file whose bytes Python refuses is left alone, and
    so is one that changed since it was read. `original` are the bytes of a source that is no file; it cannot be
    written, and what lies beside it is not its business.
    """
    if not source.readable or source.agents:  # no rule about agents has a fix that needs no choice
        return [Fixed(source.path, source.text, source.text, ())]
    around = modules_beside(source.path)
    after, applied = fix_all(source.text, config, around)
    fixed = [_put(Fixed(source.path, source.text, after, applied), write=write, original=original)]
    if source.modules and around is not None and original is None:
        for mended in fix_beside(after, config, around):
            one = Fixed(mended.module.key, mended.module.text, mended.text, mended.applied)
            fixed.append(_put(one, write=write, original=None))
    return fixed


def _put(fixed: Fixed, *, write: bool, original: bytes | None) -> Fixed:
    """What was mended, written if that is wanted; nothing mended, with the reason, where it cannot be."""
    if not fixed.applied:
        return fixed
    try:
        path = Path(os.path.realpath(fixed.path))
        data = _mended(fixed.before, fixed.after, path.read_bytes() if original is None else original)
        if write:
            _replace(path, data)
    except NotWritableError as fault:
        return Fixed(fixed.path, fixed.before, fixed.before, (), str(fault))
    except OSError as fault:
        return Fixed(fixed.path, fixed.before, fixed.before, (), f"the file cannot be written: {fault.strerror}")
    return fixed


def once(fixed: Iterable[Sequence[Fixed]]) -> list[Fixed]:
    """What was mended, each file once: two tools files may share a module."""
    found: dict[str, Fixed] = {}
    for its in fixed:
        for one in its:
            identity = os.path.realpath(one.path)
            if identity not in found or not (found[identity].applied or found[identity].refused):
                found[identity] = one
    return list(found.values())


def give_fixed(fixed: Sequence[Fixed]) -> None:
    """Print what was mended, a line for each fix."""
    for one in fixed:
        for done in one.applied:
            give(printable(f"{one.path}:{done.range.start.line + 1}: fixed {done.code}: {done.title}"))


def as_json(fixed: Sequence[Fixed]) -> list[dict[str, Any]]:
    """What was mended, for programs; the line, from 1, is the one at the moment of the fix."""
    return [
        {"path": one.path, "code": done.code, "title": done.title, "line": done.range.start.line + 1}
        for one in fixed
        for done in one.applied
    ]


def give_diff(fixed: Sequence[Fixed]) -> None:
    """Print what would change, as a unified diff."""
    for one in fixed:
        if one.applied:
            # Line ends of the file are shown as one: those of the terminal.
            old, new = _lines(one.before), _lines(one.after)
            give("\n".join(difflib.unified_diff(old, new, one.path, one.path, lineterm="")))


def tell_refused(fixed: Sequence[Fixed]) -> bool:
    """Say which files could not be mended; whether there were none."""
    refused = [one for one in fixed if one.refused]
    for one in refused:
        say(f"{one.path} was not changed: {one.refused}")
    return not refused


def _mended(before: str, after: str, original: bytes) -> bytes:
    if lint.decode(original)[0] != before:
        raise NotWritableError("another program changed it at this moment; run the command again")
    return encode(after, original)


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _replace(path: Path, data: bytes) -> None:
    """Write a file so that at each moment it is either the old or the new one, whole."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        shutil.copymode(path, name)
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise
