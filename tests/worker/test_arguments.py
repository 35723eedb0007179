"""Binding a model's arguments to a signature."""

from __future__ import annotations

import warnings
from datetime import datetime
from typing import Any

import pytest

from adal_ls.worker.arguments import BadArgumentsError, Signature


class Thing: ...


def export(schema: str, copy: bool = False, json: str = "", validate: bool = True, model_config: str = "") -> None: ...


def typed(
    a: int,
    b: list[int] = [],  # noqa: B006
    c: str | None = None,
    d: dict[str, float] = {},  # noqa: B006
    e: set[str] = set(),  # noqa: B006
    f: datetime | None = None,
    g: int = None,  # type: ignore[assignment] # noqa: RUF013
    h: Thing = None,  # type: ignore[assignment]
    i: NoSuch = None,  # type: ignore[name-defined] # noqa: F821
    j: Any = None,
) -> None: ...


def bound(function: Any, arguments: dict[str, object]) -> dict[str, object]:
    positional, keywords = Signature("tool", function).bind(arguments)
    assert positional == []
    return keywords


def test_names_of_model_attributes_are_plain_parameters_and_nothing_warns() -> None:
    # https://github.com/PrefectHQ/prefect/issues/6031
    arguments: dict[str, object] = {"schema": "s", "copy": "true", "json": "{}", "validate": 0, "model_config": "m"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = bound(export, arguments)
    assert found == {"schema": "s", "copy": True, "json": "{}", "validate": False, "model_config": "m"}


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("a", "5", 5),
        ("a", 5.0, 5),
        ("b", ["1", 2], [1, 2]),
        ("b", "[1, 2]", [1, 2]),
        ("c", '{"x": 1}', '{"x": 1}'),
        ("c", "null", "null"),
        ("c", None, None),
        ("d", {"x": 1}, {"x": 1.0}),
        ("d", '{"x": 1}', {"x": 1.0}),
        ("e", ["x", "x"], {"x"}),
        ("f", "2026-01-02T03:04:05", datetime(2026, 1, 2, 3, 4, 5)),  # noqa: DTZ001
        ("g", None, None),
        ("h", "anything", "anything"),
        ("i", [1], [1]),
        ("j", {"x": 1}, {"x": 1}),
    ],
)
def test_values_are_turned_into_the_types_of_the_signature(name: str, given: object, expected: object) -> None:
    assert bound(typed, {"a": 1, name: given})[name] == expected


@pytest.mark.parametrize(
    ("arguments", "texts"),
    [
        ({}, ["missing argument 'a'"]),
        ({"a": "x"}, ["'a'", "valid integer", "'x'"]),
        ({"a": 1.5}, ["'a'"]),
        ({"a": None}, ["'a'"]),
        ({"a": 1, "z": 2}, ["unknown argument 'z'", "it takes: a, b"]),
        ({"a": 1, "b": ["x"]}, ["'b[0]'"]),
        ({"a": 1, "b": "no json"}, ["'b'", "valid list"]),
        ({"a": "x", "b": 5, "z": 1}, ["'a'", "'b'", "'z'"]),
        ({"a": 1, "c": 5}, ["'c'", "valid string"]),
    ],
)
def test_what_is_wrong_is_told_for_every_argument_at_once(arguments: dict[str, object], texts: list[str]) -> None:
    with pytest.raises(BadArgumentsError) as caught:
        bound(typed, arguments)
    for text in ["'tool'", *texts]:
        assert text in str(caught.value)


def test_a_long_value_is_not_repeated_in_full() -> None:
    with pytest.raises(BadArgumentsError) as caught:
        bound(typed, {"a": "x" * 10_000})
    assert len(str(caught.value)) < 400


def test_stars_take_nothing_and_positional_only_parameters_work() -> None:
    def stars(query: str, *tags: str, **opts: str) -> None: ...

    def only(a: int = 1, b: int = 2, /, c: int = 3) -> None: ...

    assert bound(stars, {"query": "x"}) == {"query": "x"}
    with pytest.raises(BadArgumentsError, match="unknown argument 'tags'"):
        bound(stars, {"query": "x", "tags": ["y"]})
    assert Signature("tool", only).bind({"b": 5, "c": "6"}) == ([1, 5], {"c": 6})
    assert Signature("tool", only).bind({}) == ([], {})


def test_a_tool_without_parameters_says_so() -> None:
    with pytest.raises(BadArgumentsError, match="no arguments"):
        bound(lambda: None, {"x": 1})
