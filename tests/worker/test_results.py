"""What a tool returns, as JSON and as text for the model."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import json
import uuid
from pathlib import PurePosixPath
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adal_ls import ToolOutput
from adal_ls.worker.results import from_value, to_json

LIMIT = 1000


class Color(enum.Enum):
    RED = "red"


class Small(enum.IntEnum):
    ONE = 1


@dataclasses.dataclass
class Point:
    x: int
    where: object


Pair = collections.namedtuple("Pair", ["left", "right"])


class Model:
    def model_dump(self) -> dict[str, object]:
        return {"a": {1, 2}}


class Array:
    def tolist(self) -> list[float]:
        return [1.5, float("nan")]


class Broken:
    def __repr__(self) -> str:
        raise RuntimeError("no")


class Plain:
    def __repr__(self) -> str:
        return "<plain>"


class Text(str):
    __slots__ = ()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (1.5, 1.5),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (10**30, 10**30),
        ("é\x00", "é\x00"),
        ("\ud800", "\\ud800"),
        (Text("x"), "x"),
        ((1, (2,)), [1, [2]]),
        ({"b", "a"}, ["a", "b"]),
        ({1: "x", None: 2, (1, 2): 3, "k": 4}, {"1": "x", "null": 2, "[1, 2]": 3, "k": 4}),
        (datetime.datetime(2026, 1, 2, 3, 4), "2026-01-02T03:04:00"),  # noqa: DTZ001
        (datetime.date(2026, 1, 2), "2026-01-02"),
        (datetime.timedelta(minutes=1), "0:01:00"),
        (decimal.Decimal("1.50"), "1.50"),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (PurePosixPath("/tmp/x"), "/tmp/x"),
        (b"text", "text"),
        (b"\xff\x00", "<2 bytes, base64: /wA=>"),
        (Color.RED, "red"),
        (Small.ONE, 1),
        (Point(1, PurePosixPath("a")), {"x": 1, "where": "a"}),
        (Pair(1, 2), {"left": 1, "right": 2}),
        (Model(), {"a": [1, 2]}),
        (Array(), [1.5, "nan"]),
        (ValueError("x"), "ValueError: x"),
        (Plain(), "<plain>"),
        (Broken(), "<Broken that cannot be shown: RuntimeError: no>"),
        (Point, "<class 'tests.worker.test_results.Point'>"),
    ],
)
def test_a_value_becomes_json(value: object, expected: object) -> None:
    found = to_json(value)
    assert found == expected
    assert type(found) is type(expected)
    json.dumps(found, allow_nan=False).encode()


def test_a_value_inside_itself_ends() -> None:
    value: list[Any] = [1]
    value.append(value)
    assert to_json(value) == [1, "<list inside itself or too deep>"]
    shared = [1]
    assert to_json([shared, shared]) == [[1], [1]]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.dates() | st.decimals(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner) | st.tuples(inner),
    )
)
def test_any_value_gives_json_and_an_observation(value: object) -> None:
    result = from_value(value, LIMIT)
    json.dumps(result.output, allow_nan=False)
    result.observation.encode()


class Lookalike:
    """A class of another make with the fields of ToolOutput."""

    output: ClassVar = {"n": 1}
    observation = None
    display = 5
    is_streaming = False
    metadata = None
    status = "cancelled"


def test_a_result_is_known_by_its_fields_not_its_class() -> None:
    result = from_value(Lookalike(), LIMIT)
    assert (result.output, result.observation, result.display, result.status) == (
        {"n": 1},
        '{"n": 1}',
        "5",
        "cancelled",
    )
    assert from_value(ToolOutput, LIMIT).output == repr(ToolOutput)


def test_an_observation_that_is_no_text_becomes_text() -> None:
    assert from_value(ToolOutput(observation=123), LIMIT).observation == "123"  # type: ignore[arg-type]
    assert from_value(ToolOutput(output="x", observation=""), LIMIT).observation == ""


def test_an_unknown_status_is_an_error_that_the_person_is_told_of() -> None:
    result = from_value(ToolOutput("x", status="bogus"), LIMIT)  # type: ignore[arg-type]
    assert result.status == "error"
    assert result.trace is not None
    assert "'bogus'" in result.trace


def test_large_parts_are_cut_with_a_notice_and_never_inside_a_character() -> None:
    result = from_value("é" * LIMIT, LIMIT)
    assert result.observation.startswith("é" * 500 + "\n[cut: 2000 bytes")
    result = from_value(ToolOutput(["x" * LIMIT], "short"), LIMIT)
    assert result.output.startswith("[left out:")
    assert result.observation == "short"
