from __future__ import annotations

import io

import pytest

from adal_ls.wire.framing import (
    BrokenFrameError,
    read_with_headers,
    read_with_prefix,
    with_headers,
    with_prefix,
)


def test_messages_come_back_in_order() -> None:
    stream = io.BytesIO(with_headers(b"{}") + with_headers("[é]".encode()))
    assert list(read_with_headers(stream)) == [b"{}", "[é]".encode()]


def test_header_names_match_in_any_case_and_other_headers_are_skipped() -> None:
    stream = io.BytesIO(b"content-type: x\r\ncontent-LENGTH: 2\r\n\r\n{}")
    assert list(read_with_headers(stream)) == [b"{}"]


def test_a_bare_newline_ends_a_header_line_too() -> None:
    assert list(read_with_headers(io.BytesIO(b"Content-Length: 2\n\n{}"))) == [b"{}"]


def test_a_message_that_the_end_of_the_stream_cuts_off_is_dropped() -> None:
    stream = io.BytesIO(with_headers(b"{}") + b"Content-Length: 10\r\n\r\n{")
    assert list(read_with_headers(stream)) == [b"{}"]


@pytest.mark.parametrize("header", [b"Content-Length: x\r\n\r\n", b"Other: 1\r\n\r\n", b"Content-Length: -4\r\n\r\n"])
def test_a_header_block_without_a_usable_length_is_broken(header: bytes) -> None:
    with pytest.raises(BrokenFrameError):
        list(read_with_headers(io.BytesIO(header + b"{}")))


def test_a_length_beyond_the_limit_is_refused_before_anything_is_allocated() -> None:
    with pytest.raises(BrokenFrameError):
        list(read_with_headers(io.BytesIO(b"Content-Length: 99999999999\r\n\r\n")))
    with pytest.raises(BrokenFrameError, match="4294967295"):
        list(read_with_prefix(io.BytesIO(b"\xff\xff\xff\xff")))


def test_prefixed_messages_come_back_in_order() -> None:
    stream = io.BytesIO(with_prefix(b"{}") + with_prefix(b""))
    assert list(read_with_prefix(stream)) == [b"{}", b""]


@pytest.mark.parametrize("cut", [1, 5])
def test_a_prefixed_stream_that_ends_inside_a_message_is_broken(cut: int) -> None:
    with pytest.raises(BrokenFrameError, match="ended inside"):
        list(read_with_prefix(io.BytesIO(with_prefix(b"{}")[:cut])))
