"""The body of an answer as text for a model: HTML as Markdown, text and JSON as they are."""

from __future__ import annotations

import re
from email.message import Message

_TEXT = re.compile(r"text/.*|application/(?:(?:.*\+)?(?:json|xml|yaml)|javascript|ecmascript|x-yaml|x-ndjson|toml)")
_HTML = ("text/html", "application/xhtml+xml")
_DROPPED = ("script", "style", "noscript", "template", "svg", "iframe", "object", "head")
_META_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?([A-Za-z0-9_.:-]{1,40})""", re.IGNORECASE)
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n){2,}")
_TAGS = re.compile(r"<[^<>]{0,5000}>")


class UnreadableError(Exception):
    """A body that is no text; the text says why."""


def text(body: bytes, content_type: str) -> str:
    """Blocking: a large page takes a second or two.

    Raises:
        UnreadableError: no type, not text, or in a charset that is not known.
    """
    if not body:
        return ""
    kind, charset = _parse(content_type)
    if not kind:
        raise UnreadableError("the server does not say of what type the answer is")
    if not _TEXT.fullmatch(kind):
        raise UnreadableError(f"the answer is {kind}, not text ({len(body):,} bytes)")
    decoded = _decode(body, charset, is_html=kind in _HTML)
    return markdown(decoded) if kind in _HTML else decoded


def markdown(html: str) -> str:
    """A page as Markdown, without scripts and styles."""
    # Imported here: parsing pages is for those who fetch one.
    from bs4 import BeautifulSoup
    from markdownify import MarkdownConverter

    try:
        soup = BeautifulSoup(html, "html.parser")
        title = soup.title.get_text(" ", strip=True) if soup.title else ""
        for tag in soup.find_all(_DROPPED):
            tag.decompose()
        converted = MarkdownConverter(heading_style="ATX", bullets="-", strip=["img"]).convert_soup(soup)
    except RecursionError:  # nested thousands of levels deep: then its words, without structure
        title, converted = "", _TAGS.sub(" ", html)
    lines = "\n".join(line.rstrip() for line in converted.splitlines())
    out = _BLANK_LINES.sub("\n\n", lines).strip()
    return f"# {title}\n\n{out}" if title and not out.startswith(f"# {title}") else out


def _parse(content_type: str) -> tuple[str, str | None]:
    header = Message()
    header["Content-Type"] = content_type or "application/octet-stream"
    charset = header.get_param("charset")
    kind = content_type.split(";", 1)[0].strip().lower()
    return kind, charset if isinstance(charset, str) else None


def _decode(body: bytes, charset: str | None, *, is_html: bool) -> str:
    if charset is None and is_html and (found := _META_CHARSET.search(body[:4096])):
        charset = found.group(1).decode("ascii")
    try:
        # `decode` takes only codecs that make text of bytes; Python knows others (hex, zlib, rot13).
        decoded = body.decode(charset or "utf-8", "replace")
    except LookupError as fault:
        raise UnreadableError(f"the answer is in the charset {charset!r}, which is not known") from fault
    if charset is None and "\0" in decoded:
        raise UnreadableError("the answer is binary, not text")
    return decoded.removeprefix("\ufeff")
