"""Sorting tagged output back to its calls."""

from __future__ import annotations

import os

from hypothesis import given
from hypothesis import strategies as st

from adal_ls.worker.printed import CALL, TaggingStream, Transcript, Untagger

TOKENS = ["a" * 32, "b" * 32, None]


def joined(untagger: Untagger, chunks: list[bytes]) -> dict[str | None, str]:
    found: dict[str | None, str] = {}
    for chunk in chunks:
        for token, text in untagger.feed(chunk):
            found[token] = found.get(token, "") + text
    for token, text in untagger.rest():
        found[token] = found.get(token, "") + text
    return found


@given(
    st.lists(st.tuples(st.sampled_from(TOKENS), st.text(alphabet="xé\x00:adl\n", max_size=20)), max_size=8),
    st.lists(st.integers(1, 40), min_size=1, max_size=8),
)
def test_every_piece_reaches_its_call_however_the_stream_is_cut(
    pieces: list[tuple[str | None, str]], sizes: list[int]
) -> None:
    reading, writing = os.pipe()
    expected: dict[str | None, str] = {}
    with os.fdopen(reading, "rb") as source:
        stream = TaggingStream(writing)
        for token, text in pieces:
            mark = CALL.set(token)
            stream.write(text.encode())
            CALL.reset(mark)
            if text:
                expected[token] = expected.get(token, "") + text
        os.close(writing)
        data = source.read()
    chunks: list[bytes] = []
    while data:
        size = sizes[len(chunks) % len(sizes)]
        chunks.append(data[:size])
        data = data[size:]
    assert joined(Untagger(), chunks) == expected


def test_a_large_write_is_cut_into_tagged_pieces_and_arrives_whole() -> None:
    reading, writing = os.pipe()
    text = "é" * 20_000
    mark = CALL.set(TOKENS[0])
    with os.fdopen(reading, "rb") as source:
        assert TaggingStream(writing).write(text.encode()) == 40_000
        os.close(writing)
        assert joined(Untagger(), [source.read()]) == {TOKENS[0]: text}
    CALL.reset(mark)


def test_bytes_that_are_no_text_are_shown_as_replacements() -> None:
    assert joined(Untagger(), [b"a\xff", b"b\xc3"]) == {None: "a\ufffdb"}


def test_a_transcript_is_full_at_its_limit_and_says_so_once() -> None:
    heard: list[str] = []
    transcript = Transcript(5, heard.append)
    for text in ["abc", "déf", "more", "more"]:
        transcript.add(text)
    assert transcript.text == "abcd\n[text over 5 bytes is not kept]\n"
    assert "".join(heard) == transcript.text
