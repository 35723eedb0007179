from __future__ import annotations

import codecs

import pytest

from adal_ls.lint import Position, check, decode, read


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        ("é = 1\r\ny = 2\r".encode(), "é = 1\r\ny = 2\r"),
        (codecs.BOM_UTF8 + b"x = 1\n", "x = 1\n"),
        (codecs.BOM_UTF8 + b"# coding: utf-8\n", "# coding: utf-8\n"),
        ("# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1"), "# -*- coding: latin-1 -*-\nx = 'é'\n"),
        ("#!/usr/bin/python\r\n# vim: set fileencoding=cp1252 :\r\nx='“'".encode("cp1252"), None),
        ("# coding=utf8\nx = 'é'".encode(), "# coding=utf8\nx = 'é'"),
        ("\n# encoding: latin-1\nx = 'é'".encode("latin-1"), "\n# encoding: latin-1\nx = 'é'"),
        (b"x = 1\n# coding: no-such\n", "x = 1\n# coding: no-such\n"),
        (b"\n\n# coding: no-such\n", "\n\n# coding: no-such\n"),
    ],
)
def test_what_python_reads_is_decoded_as_python_does(data: bytes, text: str | None) -> None:
    decoded, findings = decode(data)
    assert findings == []
    assert decoded == (data.decode("cp1252") if text is None else text)


@pytest.mark.parametrize(
    ("data", "place", "words"),
    [
        (b"x = 1\ny = '\xe9'\n", Position(1, 5), ["utf-8", "0xE9", "byte 12 of the file", "UTF-8"]),
        (codecs.BOM_UTF8 + "é = '".encode() + b"\xff'", Position(0, 5), ["0xFF", "byte 10 of the file"]),
        (b"# coding: no-such\nx = 1\n", Position(0, 10), ["no-such"]),
        (b"# coding: hex\nx = 1\n", Position(0, 10), ["hex"]),
        (codecs.BOM_UTF8 + b"# coding: latin-1\n", Position(0, 10), ["byte order mark", "latin-1"]),
        (b"# coding: ascii\nx = '\xc3\xa9'\n", Position(1, 5), ["ascii", "0xC3"]),
        (b"x = 1\ny = \0 2\n", Position(1, 4), ["NUL", "byte 11 of the file"]),
        ("x = 1\n".encode("utf-16"), Position(0, 0), ["UTF-16"]),
    ],
)
def test_what_python_refuses_is_one_located_error(data: bytes, place: Position, words: list[str]) -> None:
    _, [finding] = decode(data)
    assert (finding.code, finding.range.start) == ("ADAL001", place)
    for word in words:
        assert word in finding.message


def test_the_text_is_read_on_after_a_bad_byte_without_a_second_error() -> None:
    data = b'def f(x: str) -> str:\n    """Gr\xfc\xdfe \0."""\n    return x\n\n\nCUSTOM_TOOLS = [f]\n'
    text, findings = decode(data)
    assert len(findings) == 1
    file = read(text)
    assert [tool.name for tool in file.tools] == ["f"]
    assert check(file) == []
