"""The body of an answer as text for a model: HTML as Markdown, text and JSON as they are.

Parsers of HTML take time that grows with the square of what some pages hold (CVE-2025-6069), and a thread cannot be
stopped. So a page is converted by this file run as a program, which can; it imports nothing of ours.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import sys
from email.message import Message

_TEXT = re.compile(r"text/.*|application/(?:(?:.*\+)?(?:json|xml|yaml)|javascript|ecmascript|x-yaml|x-ndjson|toml)")
_HTML = ("text/html", "application/xhtml+xml")
_DROPPED = ("script", "style", "noscript", "template", "svg", "iframe", "object", "head")
_META_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?([A-Za-z0-9_.:-]{1,40})""", re.IGNORECASE)
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n){2,}")
_TAGS = re.compile(r"<[^<>]{0,5000}>")
_SECONDS = 10.0
_MOST_MEMORY = 2 * 1024**3
_ENVIRONMENT = ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH")


class UnreadableError(Exception):
    """A body that is no text; the text says why."""


async def text(body: bytes, content_type: str) -> str:
    """The text of a body. A page that takes too long gives its words, without structure.

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
    if kind not in _HTML:
        return decoded
    found = await _converted(decoded)
    return await asyncio.to_thread(_words, decoded) if found is None else found


async def _converted(html: str) -> str | None:
    """A page as Markdown, by a program with a limit to its time and memory; None where that ended it."""
    environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", __file__),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=environment,
    )
    try:
        out, _ = await asyncio.wait_for(process.communicate(html.encode("utf-8", "replace")), _SECONDS)
    except asyncio.TimeoutError:
        return None
    finally:
        if process.returncode is None:
            process.kill()
            # Shielded: a second cancellation must not leave a process that nobody waits for.
            await asyncio.shield(process.wait())
    return out.decode("utf-8") if process.returncode == 0 else None


def _words(html: str) -> str:
    return _tidy(_TAGS.sub(" ", html))


def markdown(html: str) -> str:
    """A page as Markdown, without scripts and styles. Blocking, some pages for minutes."""
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
    out = _tidy(converted)
    return f"# {title}\n\n{out}" if title and not out.startswith(f"# {title}") else out


def _tidy(text: str) -> str:
    lines = "\n".join(line.rstrip() for line in text.splitlines())
    return _BLANK_LINES.sub("\n\n", lines).strip()


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


def _main() -> None:
    if sys.platform != "win32":
        import resource

        with contextlib.suppress(OSError, ValueError):  # macOS has no such limit
            resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    page = sys.stdin.buffer.read().decode("utf-8")
    sys.stdout.buffer.write(markdown(page).encode("utf-8", "replace"))


if __name__ == "__main__":
    _main()
