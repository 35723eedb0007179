"""What a call starts from beside its arguments: a tool's code, the file that an edit changes, the scripts that a
command names.

It is part of the digest of a call, so that a call that was allowed is another one once any of it has changed.
"""

from __future__ import annotations

import glob
import itertools
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from adal_ls.agent.approvals import base_file
from adal_ls.agent.runs.registry import RegisteredTool

_WORD = re.compile(r"[^\s\"'`;|&<>(){}$=\0]+")
"""What may name a file in a command: between blanks, quotes and the signs of a shell."""

_QUOTES = re.compile(r"[\"'\\]")
_PATTERN = re.compile(r"[*?\[]")
_MOST_WORDS, _MOST_FOLDERS, _MOST_MATCHES = 1000, 10, 50
"""Of one command; more would take longer than what is gained."""


def reads_files(tool: RegisteredTool) -> bool:
    """Whether `basis` looks at the disk for calls of this tool."""
    return tool.kind != "custom" and tool.group in ("Edit", "Bash", "Read", "Search")


def basis(tool: RegisteredTool, arguments: Mapping[str, Any], root: Path) -> str:
    """The basis of a call as things stand now; its paths start at `root`. Reads files."""
    source = tool.source_digest
    if not reads_files(tool):
        return source
    if tool.group == "Edit":
        return source + base_file.seen(root, arguments.get("path"))
    if tool.group == "Bash":
        return source + _named_files(root, arguments.get("command"))
    return f"{source} {_real_place(root, arguments.get('path', '.'))}"


def _named_files(root: Path, command: object) -> str:
    """What the files of the workspace hold that a command names, such as a script (CVE-2026-32921): `sh build.sh` that
    was allowed is another command once build.sh is another script."""
    if not isinstance(command, str):
        return " no command"
    inside = os.path.realpath(root) + os.sep
    # Whether there is such a file comes first: a word that can be no name (half a surrogate pair) has no real path.
    named = (word for word in _words(root, command) if os.path.isfile(root / word))  # noqa: PTH113
    return "".join(base_file.seen(root, word) for word in named if os.path.realpath(root / word).startswith(inside))


def _words(root: Path, command: str) -> list[str]:
    """What may name a file in a command, as it stands there and as a shell would make it of quotes (`bu''ild.sh`) and
    patterns (`b*.sh`); from `root`, and from each folder that the command names (`cd tools && sh build.sh`)."""
    plain = command.replace("\\\n", "")
    words = [*_WORD.findall(plain), *_WORD.findall(_QUOTES.sub("", plain))][:_MOST_WORDS]
    folders = ["", *(word for word in dict.fromkeys(words) if os.path.isdir(root / word))][:_MOST_FOLDERS]  # noqa: PTH112
    found: dict[str, None] = {}
    for folder in folders:
        for word in words:
            place = os.path.join(folder, word)  # noqa: PTH118
            found.update(dict.fromkeys((place, *_matches(root, place))))
    return list(found)


def _matches(root: Path, place: str) -> Iterator[str]:
    # One folder is looked through at most: a pattern in each component could mean the whole disk.
    if place.startswith("/") or sum(map(bool, map(_PATTERN.search, place.split("/")))) != 1:
        return iter(())
    return itertools.islice(glob.iglob(place, root_dir=root), _MOST_MATCHES)  # noqa: PTH207 - as a shell matches


def _real_place(root: Path, path: object) -> str:
    """Where a path leads to, so that a link that was turned round meanwhile is noticed."""
    try:
        return os.path.realpath(root / path) if isinstance(path, str) else "no path"
    except (OSError, ValueError) as fault:
        return f"unreadable: {type(fault).__name__}"
