from __future__ import annotations

import random
from typing import Any

import pytest

from adal_ls.server.documents.documents import Document, Documents, edit, opened
from adal_ls.server.documents.lines import split_lines
from adal_ls.server.documents.positions import ENCODINGS, Encoding
from adal_ls.server.transport.rpc import RpcError

ALPHABETS = {
    "plain": "ab\n",
    "carriage returns": "a\r\n\r\n",
    "not line ends": "a\x0c\x0b\x1c\x1d\x1e\x85\u2028\u2029\n",
    "wide": "a😀é漢\n\r",
    "surrogates": "a\ud83d\ude00\n",
}

_UNITS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
_SIZES = {"utf-8": 1, "utf-16": 2, "utf-32": 4}


def units(text: str, encoding: Encoding) -> list[bytes]:
    """The reference's view of a text: its code units."""
    data = text.encode(_UNITS[encoding], "surrogatepass")
    size = _SIZES[encoding]
    return [data[start : start + size] for start in range(0, len(data), size)]


def joined(parts: list[bytes], encoding: Encoding) -> str:
    return b"".join(parts).decode(_UNITS[encoding], "surrogatepass")


def reference_lines(text: str) -> list[tuple[int, int]]:
    """Start of each line and end of its content, by walking over the characters."""
    lines, start, at = [], 0, 0
    while at < len(text):
        if text[at] in "\r\n":
            lines.append((start, at))
            at += 2 if text[at : at + 2] == "\r\n" else 1
            start = at
        else:
            at += 1
    return [*lines, (start, len(text))]


def reference_edit(text: str, start: tuple[int, int], end: tuple[int, int], new: str, encoding: Encoding) -> str:
    """The text after an edit, by an algorithm of its own: offsets in the whole text, in code units."""

    def offset(place: tuple[int, int]) -> int:
        lines = reference_lines(text)
        if place[0] >= len(lines):
            return len(units(text, encoding))
        first, last = lines[place[0]]
        return len(units(text[:first], encoding)) + min(place[1], len(units(text[first:last], encoding)))

    parts = units(text, encoding)
    low, high = sorted((offset(start), offset(end)))
    return joined([*parts[:low], *units(new, encoding), *parts[high:]], encoding)


def boundary(text: str, line: int, chance: random.Random, encoding: Encoding) -> int:
    """A column of the line on the border of two characters, now and then past the end."""
    lines = reference_lines(text)
    if line >= len(lines):
        return chance.randrange(5)
    first, last = lines[line]
    column = chance.randint(first, last)
    return len(units(text[first:column], encoding)) + (7 if chance.random() < 0.1 and column == last else 0)


def change(start: tuple[int, int], end: tuple[int, int], text: str) -> dict[str, Any]:
    places = [{"line": line, "character": character} for line, character in (start, end)]
    return {"range": {"start": places[0], "end": places[1]}, "text": text}


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("alphabet", ALPHABETS)
def test_random_edits_agree_with_a_reference(alphabet: str, encoding: Encoding) -> None:
    # Halves of a pair that meet are one character in UTF-16 only, so the other encodings cannot keep them apart.
    if alphabet == "surrogates" and encoding != "utf-16":
        alphabet = "wide"
    chance = random.Random(f"{alphabet} {encoding}")
    document = opened("file:///p/.adal/tools.py", 0, "")
    expected = ""
    for version in range(1, 250):
        line_count = len(reference_lines(expected))
        first = chance.randrange(line_count + 1)
        last = min(first + chance.choice((0, 0, 1, 3)), line_count)
        start = (first, boundary(expected, first, chance, encoding))
        end = (last, boundary(expected, last, chance, encoding))
        new = "".join(chance.choice(ALPHABETS[alphabet]) for _ in range(chance.randrange(6)))
        document = edit(document, version, change(start, end, new), encoding)
        expected = reference_edit(expected, start, end, new, encoding)
        assert document.text == expected
        assert tuple(document.lines) == split_lines(expected)
        if version % 100 == 0:
            document, expected = opened("file:///p/.adal/tools.py", 0, ""), ""


def test_a_form_feed_is_no_line_end() -> None:
    document = opened("file:///p", 1, "x = 1\n\x0c\ndef bash(): ...")
    assert document.line(2) == "def bash(): ..."
    changed = edit(document, 2, change((2, 4), (2, 8), "run"), "utf-16")
    assert changed.text == "x = 1\n\x0c\ndef run(): ..."


def test_a_carriage_return_and_a_line_feed_that_meet_are_one_line_end() -> None:
    document = edit(opened("file:///p", 1, "a\rx\nb"), 2, change((1, 0), (1, 1), ""), "utf-16")
    assert tuple(document.lines) == ("a\r\n", "b")


def test_halves_of_an_emoji_that_arrive_apart_become_one_character() -> None:
    document = opened("file:///p", 1, "")
    document = edit(document, 2, change((0, 0), (0, 0), "\ud83d"), "utf-16")
    document = edit(document, 3, change((0, 1), (0, 1), "\ude00"), "utf-16")
    assert document.text == "😀"


def test_a_change_without_a_range_is_the_whole_text() -> None:
    assert tuple(edit(opened("file:///p", 1, "old"), 2, {"text": "new\n"}, "utf-16").lines) == ("new\n", "")


def test_an_edit_leaves_the_earlier_snapshot_as_it_was() -> None:
    before = opened("file:///p", 1, "a\nb")
    after = edit(before, 2, change((0, 0), (1, 1), "c"), "utf-16")
    assert (before.text, before.version, after.text, after.version) == ("a\nb", 1, "c", 2)


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"text": 3},
        None,
        {"text": "", "range": {}},
        {"text": "", "range": {"start": {"line": "0", "character": 0}, "end": {"line": 0, "character": 0}}},
    ],
)
def test_what_is_no_change_is_refused(broken: Any) -> None:
    with pytest.raises(RpcError, match="not a content change"):
        edit(opened("file:///p", 1, "a"), 2, broken, "utf-16")


def test_two_spellings_of_a_uri_are_one_document() -> None:
    # https://github.com/microsoft/language-server-protocol/pull/1786
    documents = Documents()
    documents.put(opened("file:///c%3A/p/.adal/tools.py", 1, "a"))
    for spelled in ("file:///C:/p/.adal/tools.py", "file:///c:/p/.adal/tools.py", "file:///C%3a/p/%2Eadal/tools.py"):
        found = documents.get(spelled)
        assert found is not None
        assert found.uri == "file:///c%3A/p/.adal/tools.py"
    assert isinstance(documents.drop("file:///C:/p/.adal/tools.py"), Document)
    assert documents.drop("file:///C:/p/.adal/tools.py") is None
