"""The built-in tool read_file: text of the workspace, and of nothing else."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from adal_ls.agent.builtin.context import BuiltinContext, BuiltinError
from adal_ls.agent.opening import CannotOpenError, opened

MAX_BYTES = 1_000_000
"""What one call gives; a larger file is read in parts."""


@dataclass(frozen=True, slots=True)
class Request:
    """The arguments, checked. `offset` counts lines from 1; `limit` None means all that follow."""

    path: str
    offset: int = 1
    limit: int | None = None

    @classmethod
    def parse(cls, arguments: Mapping[str, Any]) -> Request:
        """Raises `BuiltinError` for arguments that do not fit the tool's schema."""
        unknown = sorted(set(arguments) - {"path", "offset", "limit"})
        if unknown:
            raise BuiltinError(f"read_file takes path, offset and limit, not {', '.join(unknown)}")
        path = arguments.get("path")
        if not isinstance(path, str) or not path:
            raise BuiltinError("read_file needs a path: a string, relative to the workspace")
        return cls(path, _count(arguments, "offset") or 1, _count(arguments, "limit"))


async def read_file(arguments: Mapping[str, Any], context: BuiltinContext) -> str:
    """The text that a model sees.

    Raises:
        BuiltinError: bad arguments, outside of the workspace, missing, no regular file, not text, or too large.
    """
    request = Request.parse(arguments)
    abandoned = threading.Event()
    try:
        return await asyncio.to_thread(_read, request, context.root, abandoned)
    except CannotOpenError as fault:
        raise BuiltinError(str(fault)) from fault
    finally:
        abandoned.set()  # a cancelled caller does not wait for a slow disk; the thread ends at its next line


def _count(arguments: Mapping[str, Any], name: str) -> int | None:
    value = arguments.get(name)
    if value is None:
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # a JSON number has no kinds; some models write 10.0
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise BuiltinError(f"{name} must be a whole number of lines from 1 on, got {value!r}")
    return value


def _read(request: Request, root: Path, abandoned: threading.Event) -> str:
    with opened(request.path, root) as file:
        size = os.fstat(file.fileno()).st_size
        if request.offset == 1 and request.limit is None:
            if size > MAX_BYTES:
                raise BuiltinError(
                    f"'{request.path}' has {size:,} bytes, more than the {MAX_BYTES:,} one call gives: read it in "
                    "parts with offset and limit (lines)"
                )
            content = file.read(MAX_BYTES + 1)
            return _decode(content, request.path) if content else "[the file is empty]"
        return _read_lines(file, request, abandoned)


def _read_lines(file: BinaryIO, request: Request, abandoned: threading.Event) -> str:
    kept: list[bytes] = []
    room = MAX_BYTES
    number = 0
    more = False
    whole = True
    while line := file.readline(MAX_BYTES + 1):
        number += whole  # what comes after a part of a very long line belongs to the same one
        whole = line.endswith(b"\n")
        if abandoned.is_set():
            raise BuiltinError("cancelled")
        if number < request.offset:
            continue
        if request.limit is not None and number >= request.offset + request.limit:
            more = True
            break
        if len(line) > room:
            if not kept:
                raise BuiltinError(f"line {number} of '{request.path}' is longer than {MAX_BYTES:,} bytes")
            more = True
            break
        kept.append(line)
        room -= len(line)
    if not kept:
        raise BuiltinError(f"'{request.path}' has {number:,} lines; line {request.offset:,} does not exist")
    last = request.offset + len(kept) - 1
    text = _decode(b"".join(kept), request.path)
    if not more:
        return text
    separator = "" if text.endswith("\n") else "\n"
    return f"{text}{separator}[lines {request.offset} to {last}; the file goes on at offset {last + 1}]"


def _decode(content: bytes, path: str) -> str:
    if b"\0" in content:
        raise BuiltinError(f"'{path}' is a binary file, not text")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        raise BuiltinError(f"'{path}' is not UTF-8 text (byte {content[fault.start]:#04x} at {fault.start})") from fault
