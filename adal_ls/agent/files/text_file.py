"""The bytes of a text file as text, and back: what is not changed stays as it is, byte for byte."""

from __future__ import annotations

import codecs
from dataclasses import dataclass


class NotTextError(Exception):
    """The bytes are no text we can be sure of; the text completes "'x' is …"."""


@dataclass(frozen=True, slots=True)
class TextFile:
    """`mark` is the byte order mark the file begins with."""

    text: str
    mark: bytes = b""

    @classmethod
    def decode(cls, content: bytes) -> TextFile:
        """Raises `NotTextError` for anything but UTF-8 without NUL."""
        mark = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
        if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise NotTextError("UTF-16 text, not UTF-8")
        if b"\0" in content:
            raise NotTextError("a binary file, not text")
        try:
            return cls(content[len(mark) :].decode(), mark)
        except UnicodeDecodeError as fault:
            at = fault.start + len(mark)
            raise NotTextError(f"not UTF-8 text (byte {content[at]:#04x} at {at})") from fault

    def encode(self, text: str) -> bytes:
        """`text` as the file would hold it."""
        return self.mark + text.encode()
