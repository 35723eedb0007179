"""The built-in tool glob: files by the pattern of their path."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from typing import Any

from adal_ls.agent.builtin import arguments, walk
from adal_ls.agent.builtin.context import BuiltinContext, BuiltinError
from adal_ls.agent.builtin.glob_pattern import BadPatternError, GlobPattern
from adal_ls.agent.builtin.list_files import one_line
from adal_ls.agent.workspaces import reach

MOST = 1000
"""Paths that one call gives."""


async def glob(given: Mapping[str, Any], context: BuiltinContext) -> str:
    """The paths, one a line, sorted; without `.git` and what `.gitignore` leaves out.

    Raises:
        BuiltinError: bad arguments, or a folder that is not there or may not be read.
    """
    arguments.only("glob", given, ["pattern"], optional=["path"])
    try:
        pattern = GlobPattern(arguments.text("glob", given, "pattern"))
    except BadPatternError as fault:
        raise BuiltinError(str(fault)) from fault
    path = arguments.optional_text("glob", given, "path", ".")
    abandoned = threading.Event()
    try:
        return await asyncio.to_thread(_glob, pattern, path, context, abandoned)
    finally:
        abandoned.set()  # a cancelled caller does not wait for a large tree


def _glob(pattern: GlobPattern, path: str, context: BuiltinContext, abandoned: threading.Event) -> str:
    place, is_folder = walk.folder_or_file(path, context.policy)
    if not is_folder:
        raise BuiltinError(f"'{path}' is a file; give the folder to look in")
    walking = walk.Walk(context.policy, abandoned)
    found: list[str] = []
    for entry in walking.files(place):
        if entry.kind in ("file", "link") and pattern.matches(entry.parts):
            found.append(one_line(reach.shown(context.policy, entry.place.real)))
            if len(found) > MOST:
                walking.stopped = f"more than {MOST:,} files match"
                break
    lines = [*found[:MOST], *walking.notes()]
    return "\n".join(lines) if lines else "[no file matches]"
