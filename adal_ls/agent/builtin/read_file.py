"""The built-in tool read_file: text of the workspace, and of nothing else."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from adal_ls.agent.builtin import arguments as args
from adal_ls.agent.builtin.context import BuiltinContext, BuiltinError
from adal_ls.agent.files.opening import CannotOpenError, opened
from adal_ls.agent.files.text_file import NotTextError, TextFile
from adal_ls.agent.workspaces.workspace_policy import WorkspacePolicy


@dataclass(frozen=True, slots=True)
class Request:
    """The arguments, checked. `offset` counts lines from 1; `limit` None means all that follow."""

    path: str
    offset: int = 1
    limit: int | None = None

    @classmethod
    def parse(cls, arguments: Mapping[str, Any]) -> Request:
        """Raises `BuiltinError` for arguments that do not fit the tool's schema."""
        args.only("read_file", arguments, ["path"], optional=["offset", "limit"])
        path = args.text("read_file", arguments, "path")
        offset = args.count(arguments, "offset", "lines") or 1
        return cls(path, offset, args.count(arguments, "limit", "lines"))


async def read_file(arguments: Mapping[str, Any], context: BuiltinContext) -> str:
    """The text that a model sees.

    Raises:
        BuiltinError: bad arguments, outside of the workspace, missing, no regular file, not text, or too large.
    """
    request = Request.parse(arguments)
    abandoned = threading.Event()
    try:
        return await asyncio.to_thread(_read, request, context.policy, abandoned)
    except CannotOpenError as fault:
        raise BuiltinError(str(fault)) from fault
    finally:
        abandoned.set()  # a cancelled caller does not wait for a slow disk; the thread ends at its next line


def _read(request: Request, policy: WorkspacePolicy, abandoned: threading.Event) -> str:
    most = policy.max_read_bytes
    with opened(request.path, policy) as file:
        size = os.fstat(file.fileno()).st_size
        if request.offset == 1 and request.limit is None:
            if size > most:
                raise BuiltinError(
                    f"'{request.path}' has {size:,} bytes, more than the {most:,} one call gives: read it in "
                    "parts with offset and limit (lines)"
                )
            content = file.read(most + 1)
            return _decode(content, request.path) if content else "[the file is empty]"
        return _read_lines(file, request, most, abandoned)


def _read_lines(file: BinaryIO, request: Request, most: int, abandoned: threading.Event) -> str:
    kept: list[bytes] = []
    room = most
    number = 0
    more = False
    whole = True
    while line := file.readline(most + 1):
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
                raise BuiltinError(f"line {number} of '{request.path}' is longer than {most:,} bytes")
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
    try:
        return TextFile.decode(content).text
    except NotTextError as fault:
        raise BuiltinError(f"'{path}' is {fault}") from fault
