"""Random edits of random texts against the rules of the specification, restated in the plainest way.

`ADAL_SYNC_EDITS` says how many edits there are per alphabet and encoding (5,000 without it; 100,000 takes minutes).
"""

from __future__ import annotations

import os
import random
import re

import pytest

from adal_ls.lint import Config
from adal_ls.server.diagnostics.analysis import analyse
from adal_ls.server.documents.documents import Document, edit, opened
from adal_ls.server.documents.lines import split_lines
from adal_ls.server.documents.positions import ENCODINGS, Encoding
from tests.server.test_documents import change

EDITS = int(os.environ.get("ADAL_SYNC_EDITS", "5000"))

ALPHABETS = {
    "line feeds": "ab(\n",
    "carriage returns and both": "a\r\n\r\n\r",
    "form feed, vertical tab, separators": "a\x0b\x0c\x1c\x1d\x1e\x1f\n",
    "next line, U+2028, U+2029": "a\x85\u2028\u2029\n\r",
    "wide": "aé漢😀𝒳\u0301\n",
    "everything": "a \té😀\x0c\u2028\x85\r\n\n\r\ufeff\u200b",
    "lone surrogates": "a\ud83d\ude00\udfff\n",
}

_CODECS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
_SIZES = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
_END = re.compile(r"\r\n|\n|\r")


def reference(text: str, start: tuple[int, int], end: tuple[int, int], new: str, encoding: Encoding) -> str:
    """The text after an edit (LSP 3.17: "Position", "Range", "TextDocumentContentChangeEvent")."""
    low, high = sorted((offset(text, *start, encoding), offset(text, *end, encoding)))
    joined = text[:low] + new + text[high:]
    return joined.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def offset(text: str, line: int, character: int, encoding: Encoding) -> int:
    """Index in `text`. A line past the end means the end, a character past the end of a line means that end."""
    starts = [0, *(found.end() for found in _END.finditer(text))]
    if line >= len(starts):
        return len(text)
    units, index = 0, starts[line]
    while index < len(text) and text[index] not in "\r\n":
        units += len(text[index].encode(_CODECS[encoding], "surrogatepass")) // _SIZES[encoding]
        if units > character:
            break
        index += 1
    return index


def random_place(chance: random.Random, document: Document) -> tuple[int, int]:
    """Mostly inside the text, now and then past a line's end, past the last line, or inside a character."""
    line = chance.randrange(len(document.lines) + 1)
    length = len(document.line(line))
    character = chance.choice((chance.randint(0, 2 * length), length, length + 7, 0, 2**31 - 1))
    return line, character


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("alphabet", ALPHABETS)
def test_random_edits_give_what_the_specification_says(alphabet: str, encoding: Encoding) -> None:
    chance = random.Random(f"{alphabet} in {encoding}")
    letters = ALPHABETS[alphabet]
    document, expected = opened("file:///p/.adal/tools.py", 0, ""), ""
    for number in range(EDITS):
        start = random_place(chance, document)
        end = start if chance.random() < 0.4 else random_place(chance, document)
        new = "".join(chance.choices(letters, k=chance.choice((0, 1, 1, 2, 5))))
        document = edit(document, number, change(start, end, new), encoding)
        expected = reference(expected, start, end, new, encoding)
        assert document.text == expected, (number, start, end, new)
        assert tuple(document.lines) == split_lines(expected), (number, start, end, new)
        if len(expected) > 120:
            document, expected = opened("file:///p/.adal/tools.py", number, ""), ""


def test_the_file_of_a_version_is_read_as_it_was_however_it_is_edited_afterwards() -> None:
    first = opened("file:///p/.adal/tools.py", 1, "def f(): ...\n\nCUSTOM_TOOLS = [\n    f,\n]\n")
    kept, left = analyse(first, Config()), analyse(first, Config())
    kept.reading.keep()
    span = {"start": {"line": 3, "character": 4}, "end": {"line": 3, "character": 5}}
    second = analyse(edit(first, 2, {"range": span, "text": "g"}, "utf-16"), Config())
    left.reading.keep()  # too late: it is read from its text
    for analysis, name in ((kept, "f"), (left, "f"), (second, "g")):
        assert [entry.name for entry in analysis.file.entries] == [name]
        assert analysis.file.text == analysis.document.text
