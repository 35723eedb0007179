"""Bytes of a Python source file → text, by Python's own rules (PEP 263), without failing."""

from __future__ import annotations

import codecs
import re
import warnings

from adal_ls.lint.findings import Finding
from adal_ls.lint.reading.text import Lines
from adal_ls.lint.rules.syntax import finding

_COOKIE = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK = re.compile(rb"[ \t\f]*(?:#.*)?")
_FIRST_LINES = re.compile(rb"\r\n|\r|\n")
_BYTE_ORDER_MARKS = ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_ADVICE = "Save the file as UTF-8, or name its encoding in the first line (# -*- coding: NAME -*-)."


def decode(data: bytes) -> tuple[str, list[Finding]]:
    """The text of a source file, and one located ADAL001 if Python would refuse its bytes.

    Line ends stay as they are and a UTF-8 byte order mark is dropped. With a finding the text is a best effort for
    reading on: bytes that do not fit are taken as Latin-1 and NUL bytes as spaces, so that every other place is right.
    Such a text must not be written back.
    """
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            message = f"The file is {encoding.upper()}, which Python does not read. {_ADVICE}"
            return data.decode(encoding, "replace"), [_located("", 0, message)]
    body = data.removeprefix(codecs.BOM_UTF8)
    cookie = _cookie(body)
    if cookie is None:
        return _decode_as("utf-8", body, shift=len(data) - len(body))
    declared = cookie.group(1).decode("ascii", "replace")
    place = len(_lenient(body[: cookie.start(1)]))
    codec = _codec(declared)
    text = _lenient(body)
    if codec is None:
        return text, [_located(text, place, f"Python knows no encoding '{declared}'. {_ADVICE}", len(declared))]
    if len(body) != len(data) and codec != "utf-8":
        message = f"The file starts with a UTF-8 byte order mark, but declares the encoding '{declared}'. {_ADVICE}"
        return text, [_located(text, place, message, len(declared))]
    return _decode_as(codec, body, shift=len(data) - len(body))


def _cookie(body: bytes) -> re.Match[bytes] | None:
    start = 0
    for _ in range(2):
        end = _FIRST_LINES.search(body, start)
        stop = end.start() if end else len(body)
        found = _COOKIE.match(body, start, stop)
        if found or not _BLANK.fullmatch(body, start, stop) or end is None:
            return found
        start = end.end()
    return None


def _codec(declared: str) -> str | None:
    """The name of a codec that turns bytes into text, None if Python has none of that name."""
    try:
        name = codecs.lookup(declared).name
        b"#".decode(declared)  # refuses codecs that do not give text, such as "hex"
    except UnicodeError:
        pass  # a codec for text, which may need more than one byte
    except LookupError:
        return None
    return "utf-8" if name == "utf-8-sig" else name


def _decode_as(codec: str, body: bytes, shift: int) -> tuple[str, list[Finding]]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "unicode_escape" warns of escapes
            text = body.decode(codec)
    except UnicodeError as error:
        start = error.start if isinstance(error, UnicodeDecodeError) else 0
        text = _lenient(body)
        place = len(_lenient(body[:start]))
        seen = f"byte 0x{body[start]:02X} (byte {start + shift + 1} of the file)" if body else "the file"
        return text, [_located(text, place, f"Not {codec}: {seen} cannot be read. {_ADVICE}")]
    place = text.find("\0")
    if place < 0:
        return text, []
    before = len(text[:place].encode(codec, "replace")) + shift + 1
    message = f"NUL byte (byte {before} of the file): Python does not read files that contain one. Delete it."
    return text.replace("\0", " "), [_located(text, place, message)]


def _lenient(body: bytes) -> str:
    """UTF-8, where a byte that does not fit becomes the Latin-1 character of its value."""
    text = body.decode("utf-8", "surrogateescape").replace("\0", " ")
    return re.sub("[\udc80-\udcff]", lambda match: chr(ord(match.group()) - 0xDC00), text)


def _located(text: str, place: int, message: str, length: int = 1) -> Finding:
    lines = Lines(text)
    return finding(message, lines.span(lines.position(place), length))
