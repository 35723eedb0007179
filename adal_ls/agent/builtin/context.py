"""What every built-in tool gets beside its arguments, and how it says that it could not do its work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class BuiltinContext:
    """`root` is the project folder: from the host, never from the model. `pythons`: environments bash may use."""

    root: Path
    pythons: Sequence[Path] = ()


class BuiltinError(Exception):
    """The call cannot be done; the text is for the model and says what to do instead."""
