"""Reads a tools file that is not open. Whatever stands there, the outcome is a text and findings, never an error."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from adal_ls.server.documents import Document, opened
from adal_ls.server.projects import Project

if TYPE_CHECKING:
    from adal_ls.lint import Finding

MAX_BYTES = 8 * 1024 * 1024
"""A larger file is not read; 10,000 tools are about half of it."""


def load(project: Project, uri: str) -> tuple[Document, list[Finding]] | None:
    """The file's text with what is wrong with its bytes; None if there is no file."""
    from adal_ls import lint  # after `initialize` is answered

    try:
        found = os.stat(project.file)
        if stat.S_ISDIR(found.st_mode):
            return opened(uri, None, ""), [_unreadable("tools.py is a folder; the tools must stand in a file")]
        if not stat.S_ISREG(found.st_mode):
            return opened(uri, None, ""), [_unreadable("tools.py is not a regular file")]
        if found.st_size > MAX_BYTES:
            return opened(uri, None, ""), [_unreadable(f"tools.py is larger than {MAX_BYTES} bytes and is not read")]
        with open(project.file, "rb") as file:
            text, findings = lint.decode(file.read())
    except FileNotFoundError:
        return None
    except OSError as fault:
        return opened(uri, None, ""), [_unreadable(f"tools.py cannot be read: {fault.strerror}")]
    return opened(uri, None, text), findings


def _unreadable(message: str) -> Finding:
    from adal_ls import lint  # after `initialize` is answered

    start = lint.Position(0, 0)
    return lint.Finding("ADAL001", "syntax", lint.Severity.ERROR, message, lint.Range(start, start))
