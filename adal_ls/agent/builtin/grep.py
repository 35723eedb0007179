"""The built-in tool grep: lines by a regular expression. ripgrep searches where it is, our own search elsewhere."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from adal_ls.agent.builtin import arguments, python_search, ripgrep, search_pattern, searching, walk
from adal_ls.agent.builtin.context import BuiltinContext, BuiltinError
from adal_ls.agent.builtin.list_files import one_line
from adal_ls.agent.builtin.searching import MOST_MATCHES, Found, Search
from adal_ls.agent.sandbox import sandbox
from adal_ls.agent.workspaces import places
from adal_ls.agent.workspaces.workspace_policy import WorkspacePolicy

_LONGEST_LINE = 400
"""Characters of a line that are shown."""


async def grep(given: Mapping[str, Any], context: BuiltinContext) -> str:
    """The matching lines as `path:line:text`; without `.git`, `.env*`, binary files and what `.gitignore` leaves out.

    Raises:
        BuiltinError: bad arguments, a pattern that is none, or a place that is not there or may not be read.
    """
    arguments.only("grep", given, ["pattern"], optional=["path"])
    try:
        pattern = search_pattern.check(arguments.text("grep", given, "pattern"))
    except search_pattern.BadSearchError as fault:
        raise BuiltinError(str(fault)) from fault
    path = arguments.optional_text("grep", given, "path", ".")
    place, is_folder = await asyncio.to_thread(walk.folder_or_file, path, context.policy)
    search = Search(pattern, place, is_folder, context.policy)
    abandoned = threading.Event()
    try:
        return await _search(search, path, abandoned, context.workspace.project_root)
    finally:
        abandoned.set()  # a cancelled caller does not wait for a large tree


async def _search(search: Search, path: str, abandoned: threading.Event, project: Path) -> str:
    walking = walk.Walk(search.policy, abandoned, seconds=searching.SECONDS)
    places = await asyncio.to_thread(searching.files, search, walking)
    try:
        found = await ripgrep.search(search, [str(place.real) for place in places], searching.SECONDS, project)
    except sandbox.SandboxUnavailableError:
        found = None  # in a sandbox or not at all: a file may become a link while ripgrep is on its way to it
    if found is None:
        found = await asyncio.to_thread(python_search.search, search, places, searching.SECONDS, abandoned)
    found = replace(found, notes=(*walking.notes(), *found.notes))
    return await asyncio.to_thread(_describe, found, path, search.policy)


def _describe(found: Found, path: str, policy: WorkspacePolicy) -> str:
    matches = found.matches
    if not places.secret(policy.cwd, path):  # else it was asked about
        # Another name of a secret file, a hard link, holds the secret as well.
        names = dict.fromkeys(match.name for match in matches)
        secret = {name for name in names if places.secret(policy.cwd, name)}
        matches = tuple(match for match in matches if match.name not in secret)
    lines = [f"{one_line(match.name)}:{match.line}:{_short(match.text)}" for match in matches[:MOST_MATCHES]]
    if len(matches) > MOST_MATCHES:
        lines.append(f"[more than {MOST_MATCHES} lines match; give a path or a narrower pattern]")
    lines += found.notes
    return "\n".join(lines) if lines else "[no line matches]"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_LINE else f"{text[:_LONGEST_LINE]} [{len(text) - _LONGEST_LINE:,} more]"
