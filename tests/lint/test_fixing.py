"""All fixes at once: what they mend, what they never touch, and the way back to bytes."""

from __future__ import annotations

import codecs

import pytest

from adal_ls.lint import Config, check, decode, read
from adal_ls.lint.fixes.fixing import apply, automatic, fix_all
from adal_ls.lint.fixes.hunks import hunks
from adal_ls.lint.reading.writing import NotWritableError, encode
from tests.lint.corpus import corpus
from tests.lint.marks import F, G

FILES = [file.text for file in corpus(60)]


@pytest.mark.parametrize("text", FILES, ids=range(len(FILES)))
def test_fix_all_is_idempotent_and_never_changes_who_asks(text: str) -> None:
    mended, applied = fix_all(text)
    assert fix_all(mended) == (mended, ())
    assert bool(applied) == (mended != text)
    before, after = read(text), read(mended)
    assert len(after.syntax) <= len(before.syntax)
    unasked = [
        {entry.function.name for entry in file.entries if entry.function and not entry.require_approval}
        for file in (before, after)
    ]
    assert unasked[0] == unasked[1]
    assert ("\r\n" in mended) == ("\r\n" in text)
    assert next(automatic(check(after)), None) is None


def test_all_preferred_fixes_are_applied() -> None:
    text = f'{F}{G}CUSTOM_TOOLS = [{{"function": f, "name": "a-b"}}, {{"func": g, "desc": "G."}}]\n'
    mended, applied = fix_all(text)
    assert (
        mended == f'{F}{G}CUSTOM_TOOLS = [{{"function": f, "name": "a_b"}}, {{"function": g, "description": "G."}}]\n'
    )
    assert sorted(done.code for done in applied) == ["ADAL101", "ADAL204", "ADAL205"]


def test_two_tools_never_get_the_same_name() -> None:
    mended, _ = fix_all(f'{F}CUSTOM_TOOLS = [{{"function": f, "name": "a-b"}}, {{"function": f, "name": "a b"}}]\n')
    assert [tool.name for tool in read(mended).tools] == ["a_b", "a_b_2"]


@pytest.mark.parametrize(
    "entry",
    [
        '{"function": f, "require_approval": "False"}',
        '{"function": f, "require_approval": 0}',
        '{"function": f, "approve": False}',
        '{"function": f, require_approval: False}',
    ],
)
def test_approval_is_never_mended_unseen(entry: str) -> None:
    text = f"{F}CUSTOM_TOOLS = [{entry}]\n"
    assert any(finding.fixes for finding in check(read(text)))
    assert fix_all(text) == (text, ())


def test_what_is_silenced_stays() -> None:
    text = f'{F}CUSTOM_TOOLS = [{{"function": f, "desc": "F."}}]  # adal: ignore[ADAL205]\n'
    assert fix_all(text) == (text, ())
    text = text.replace("  # adal: ignore[ADAL205]", "")
    assert fix_all(text, Config.parse({"ignore": ["ADAL205"]})) == (text, ())
    assert fix_all(text)[1] != ()


def test_the_difference_leaves_equal_lines_alone() -> None:
    before = "one\r\ntwo 🎫\r\nthree\r\nfour"
    after = "one\r\n2\r\nthree\r\nfour\r\nfive"
    edits = hunks(before, after)
    assert [(edit.range.start.line, edit.new_text) for edit in edits] == [(1, "2\r\n"), (3, "four\r\nfive")]
    assert apply(read(before), edits) == after


@pytest.mark.parametrize("text", FILES[:20], ids=range(20))
def test_the_difference_makes_the_one_text_of_the_other(text: str) -> None:
    mended, _ = fix_all(text)
    for one, other in ((text, mended), (mended, text), (text, ""), ("", text)):
        assert apply(read(one), hunks(one, other)) == other


@pytest.mark.parametrize(
    "data",
    [
        b"x = 1\n",
        b"x = 1\r\ny = '\xc3\xa9'\r",
        codecs.BOM_UTF8 + b"x = '\xc3\xa9'\n",
        codecs.BOM_UTF8 + b"# coding: utf-8\nx = '\xc3\xa9'\n",
        b"#!/usr/bin/env python\n# -*- coding: latin-1 -*-\nx = '\xe9'\n",
        b"# coding: cp1252\r\nx = '\x80'\r\n",
        b"# vim: set fileencoding=shift_jis :\nx = '\x82\xa0'\n",
        b"",
    ],
)
def test_text_goes_back_to_the_bytes_it_came_from(data: bytes) -> None:
    text, faults = decode(data)
    assert faults == []
    assert encode(text, data) == data
    assert encode(f"{text}y = 2\n", data) == data + b"y = 2\n"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"x = '\xff'\n", "utf-8"),
        (b"# coding: nonsense\n", "nonsense"),
        (codecs.BOM_UTF16_LE + "x = 1".encode("utf-16-le"), "UTF-16"),
        (b"x = 1\0\n", "NUL"),
    ],
)
def test_what_python_refuses_is_not_written(data: bytes, words: str) -> None:
    with pytest.raises(NotWritableError, match=words):
        encode("x = 1\n", data)


def test_characters_that_the_encoding_lacks_are_not_written() -> None:
    with pytest.raises(NotWritableError, match="cannot be written"):
        encode("# coding: latin-1\nx = '🎫'\n", b"# coding: latin-1\nx = 1\n")


def test_a_tool_that_works_is_not_renamed_unasked() -> None:
    source = F + 'CUSTOM_TOOLS = [{"function": f, "name": "Bash"}]\n'
    assert fix_all(source) == (source, ())
    (finding,) = check(read(source))
    assert [fix.preferred for fix in finding.fixes] == [False]
