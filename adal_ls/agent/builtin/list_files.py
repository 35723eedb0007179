"""The built-in tool list_files: what is in one folder."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from typing import Any

from adal_ls.agent.approvals.visible import visible
from adal_ls.agent.builtin import arguments, walk
from adal_ls.agent.builtin.context import BuiltinContext, BuiltinError

MOST = 2000
"""Names that one call gives."""

_MARKS = {"folder": "/", "link": "@", "other": "|", "file": ""}


async def list_files(given: Mapping[str, Any], context: BuiltinContext) -> str:
    """The names, one a line: folders end in `/`, links in `@`, devices, pipes and sockets in `|`.

    Raises:
        BuiltinError: bad arguments, or a folder that is not there or may not be read.
    """
    arguments.only("list_files", given, optional=["path"])
    path = arguments.optional_text("list_files", given, "path", ".")
    return await asyncio.to_thread(_list, path, context)


def _list(path: str, context: BuiltinContext) -> str:
    place, is_folder = walk.folder_or_file(path, context.policy)
    if not is_folder:
        raise BuiltinError(f"'{path}' is a file, not a folder; read_file gives what is in it")
    walking = walk.Walk(context.policy, threading.Event())
    names = walking.listed(place)
    if walking.unreadable:
        raise BuiltinError(f"the folder '{path}' cannot be read")
    if not names:
        return "[the folder is empty]"
    lines = [one_line(name) + _MARKS[kind] for name, kind in names[:MOST]]
    if len(names) > MOST:
        lines.append(f"[{len(names) - MOST:,} more of {len(names):,} names; use glob to find some of them]")
    return "\n".join(lines)


def one_line(name: str) -> str:
    """A name as one line of an answer: line ends and other control characters stand as `\\u{a}`."""
    return visible(name, blanks=True).replace("\n", "\\u{a}").replace("\t", "\\u{9}")
