"""URIs of documents, and the paths they stand for."""

from __future__ import annotations

import os
import re
import sys
from functools import lru_cache
from urllib.parse import quote, unquote

_DRIVE = re.compile(r"(file:///)([A-Za-z])(:)")
_WINDOWS_DRIVE = re.compile(r"/[A-Za-z]:")


@lru_cache(256)
def spelling(uri: str) -> str:
    """One form for all spellings of a URI that editors use for one document.

    Editors differ in what they percent-encode and in the case of the drive letter: `file:///c%3A/p` is
    `file:///C:/p`.
    """
    plain = unquote(uri, errors="surrogateescape")
    return _DRIVE.sub(lambda found: found[1] + found[2].lower() + found[3], plain, count=1)


def to_path(uri: str) -> str | None:
    """The path of a `file:` URI; None for every other scheme (`untitled:`, `git:`) and for what no path can be."""
    plain = spelling(uri)
    if not plain.lower().startswith("file://") or "\0" in plain:
        return None
    rest = plain[len("file://") :]
    host, slash, tail = rest.partition("/")
    path = slash + tail
    if sys.platform == "win32":
        if host and host != "localhost":
            return f"//{host}{path}".replace("/", "\\")
        if _WINDOWS_DRIVE.match(path):
            path = path[1:]
        return path.replace("/", "\\")
    return path if path and host in ("", "localhost") else None


def from_path(path: str) -> str:
    """The `file:` URI of an absolute path."""
    slashed = path.replace("\\", "/") if sys.platform == "win32" else path
    if not slashed.startswith("/"):
        slashed = f"/{slashed}"
    return "file://" + quote(os.fsencode(slashed), safe="/~")


def identity(uri: str) -> str:
    """Equal for two URIs that mean the same file on disk, symbolic links included."""
    path = to_path(uri)
    return spelling(uri) if path is None else real(path)


def real(path: str) -> str:
    """The path behind all symbolic links, in the case that the file system compares by."""
    try:
        return os.path.normcase(os.path.realpath(path))
    except (OSError, ValueError):  # a loop of links, or characters no file name can have
        return os.path.normcase(path)
