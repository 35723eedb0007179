"""Digests that bind an approval to one exact call. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any


def canonical(value: Any) -> str:
    """The one JSON text of a value: keys sorted, no spaces, ASCII.

    Raises:
        ValueError: NaN or infinity, which JSON does not have.
        TypeError: a value JSON does not have.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def args_digest(tool: str, arguments: Mapping[str, Any], cwd: str, source_digest: str) -> str:
    """sha256 (hex) of the canonical JSON of tool name, arguments, folder and source digest."""
    return _sha256(canonical([tool, arguments, cwd, source_digest]))


def sources_digest(sources: Mapping[str, str]) -> str:
    """sha256 (hex) over the digests of all project files that were loaded."""
    return _sha256(canonical(dict(sources)))


def bytes_digest(content: bytes) -> str:
    """sha256 (hex) of a file's bytes."""
    return hashlib.sha256(content).hexdigest()


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
