"""Text → bytes of a source file, in the encoding that its bytes had. The way back of `encoding.decode`."""

from __future__ import annotations

import codecs
import io
import tokenize

from adal_ls.lint.reading.encoding import decode


class NotWritableError(ValueError):
    """The text must not, or cannot, be written back; the message says why."""


def encode(text: str, original: bytes) -> bytes:
    """`text` as bytes with the byte order mark and the encoding of `original`, the file's bytes so far.

    Raises:
        NotWritableError: Python would refuse `original`; or its encoding has no such characters, or cannot be turned
            back without loss.
    """
    before, faults = decode(original)
    if faults:
        raise NotWritableError(faults[0].message)
    try:
        name, _ = tokenize.detect_encoding(io.BytesIO(original).readline)
        mark = codecs.BOM_UTF8 if original.startswith(codecs.BOM_UTF8) else b""
        name = name.removesuffix("-sig")
        unchanged, data = mark + before.encode(name), mark + text.encode(name)
    except (UnicodeError, SyntaxError, LookupError) as fault:
        raise NotWritableError(f"the file's encoding cannot be written: {fault}") from fault
    if unchanged != original or decode(data)[0] != text:
        raise NotWritableError(f"a file in the encoding {name} cannot be written back without loss")
    return data
