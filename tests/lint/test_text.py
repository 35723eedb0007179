from __future__ import annotations

import ast

import pytest

from adal_ls.lint.reading.text import Lines, Position, Range, line_end


def test_lines_end_only_where_the_protocol_says() -> None:
    lines = Lines("a\nb\r\nc\rd\x0ce\x0bf\x1cg\x85h\u2028i")
    assert [lines.line(number) for number in range(len(lines.starts))] == [
        "a",
        "b",
        "c",
        "d\x0ce\x0bf\x1cg\x85h\u2028i",
    ]


@pytest.mark.parametrize("text", ["", "a", "a\r\nbc\rd\n", "é🎫\n\n🎫"])
def test_offset_and_position_are_each_other_s_inverse(text: str) -> None:
    lines = Lines(text)
    for offset in range(len(text) + 1):
        position = lines.position(offset)
        if text[offset - 1 : offset + 1] != "\r\n":  # between the two there is no place
            assert lines.offset(position) == offset


def test_byte_columns_become_code_points() -> None:
    lines = Lines('x = "🎫é"; y = 1\n')
    node = ast.parse(lines.text).body[1]
    assert lines.range_of(node) == Range(Position(0, 10), Position(0, 15))
    assert lines.slice(lines.range_of(node)) == "y = 1"


def test_python_and_the_protocol_count_lines_alike() -> None:
    lines = Lines('"""a\x0cb\u2028c"""\r\ry = 1\r\nz = 2\n')
    assert [lines.slice(lines.range_of(node)) for node in ast.parse(lines.text).body][1:] == ["y = 1", "z = 2"]


@pytest.mark.parametrize(
    ("position", "offset"), [(Position(0, 99), 1), (Position(9, 0), 4), (Position(1, 1), 3), (Position(0, -1), 0)]
)
def test_places_outside_the_text_move_to_the_nearest_inside(position: Position, offset: int) -> None:
    assert Lines("a\nbc").offset(position) == offset


@pytest.mark.parametrize(("text", "end"), [("a\r\nb\n", "\r\n"), ("a\rb", "\r"), ("a\n", "\n"), ("a", "\n")])
def test_the_line_end_of_a_text_is_its_first(text: str, end: str) -> None:
    assert line_end(text) == end
