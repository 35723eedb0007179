"""What makes a URL look like another one: facts for the person who is asked about it. Pure."""

from __future__ import annotations

import unicodedata
from urllib.parse import urlsplit


def suspicious(url: str) -> tuple[str, ...]:
    """What to know about the host of `url` before it is trusted."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return ("the address cannot be read",)
    found = []
    if "@" in urlsplit(url).netloc:
        found.append(f"what stands before '@' is not the host; the host is {host}")
    labels = host.split(".")
    if any(label.startswith("xn--") for label in labels):
        found.append(f"the host is written in punycode: {host} stands for {_decoded(host)}")
    if any(mixes_scripts(label) for label in _decoded(host).split(".")):
        found.append("the host mixes scripts, as names do that imitate others")
    return tuple(found)


def _decoded(host: str) -> str:
    try:
        return host.encode("ascii").decode("idna")
    except UnicodeError:
        return host  # it is not ASCII, or no punycode after all


def mixes_scripts(name: str) -> bool:
    """Whether a name has letters of several scripts, as names do that imitate others."""
    return not name.isascii() and len(_scripts(name)) > 1


def _scripts(label: str) -> set[str]:
    """The scripts of the letters, by the first word of their Unicode names."""
    return {unicodedata.name(letter, "UNKNOWN").split(" ", 1)[0] for letter in label if letter.isalpha()}
