"""Takes stdin and stdout away from everything but the protocol. Call before anything else is imported."""

from __future__ import annotations

import os
import sys
from typing import BinaryIO


def take() -> tuple[BinaryIO, BinaryIO]:
    """The protocol's own input and output; descriptors 0, 1 and `sys.stdout` are harmless afterwards.

    A `print` in a library, or a child process that writes to descriptor 1 or reads from 0, would otherwise break the
    message stream for good. From here on descriptor 0 is at its end and descriptor 1 goes to stderr; the private
    copies are not inherited by child processes (PEP 446).
    """
    source, sink = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    if sys.platform == "win32":
        import msvcrt  # Windows only

        msvcrt.setmode(source, os.O_BINARY)
        msvcrt.setmode(sink, os.O_BINARY)
    sys.stdout = sys.stderr
    return os.fdopen(source, "rb"), os.fdopen(sink, "wb", buffering=0)
