"""Arguments that are more than plain values: what the tool gets, and what the model is told of wrong ones."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from adal_ls.worker.arguments import BadArgumentsError, Signature
from tests.schema.reading import imported
from tests.worker.conftest import Loaded

TOOLS = '''
from __future__ import annotations

import datetime
import decimal
import enum
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Iterable, Literal, NamedTuple, Optional, TypedDict
from uuid import UUID

from pydantic import BaseModel, Field
from typing_extensions import NotRequired


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Place(TypedDict):
    x: int
    name: NotRequired[str]


@dataclass
class Box:
    a: int
    color: Color = Color.RED
    tags: list[str] = field(default_factory=list)


class Part(BaseModel):
    name: str
    kids: list[Part] = []


class Span(NamedTuple):
    start: int
    end: int = 9


def kinds(place: Place, box: Box, part: Part, color: Color, span: Span) -> list:
    """Says what came."""
    return [type(place).__name__, repr(box), repr(part), repr(color), repr(span)]


def moments(when: datetime.datetime, day: datetime.date, took: datetime.timedelta, where: Path, key: UUID,
            price: decimal.Decimal, raw: bytes) -> list:
    """Says what came."""
    return [repr(when), repr(day), repr(took), where.as_posix(), type(key).__name__, repr(price), repr(raw)]


def filled(top: int = Field(5, ge=1, description="how many"), low: Annotated[int, Field(default=0)] = 1,
           names: Annotated[list, Field(default_factory=list)] = Field(), color: Color = Color.BLUE) -> list:
    """Says what came."""
    return [top, low, names, repr(color)]


CUSTOM_TOOLS = [kinds, moments, filled]
'''


async def test_arguments_arrive_as_the_objects_of_their_types(loaded: Loaded) -> None:
    worker, project = await loaded(TOOLS)
    assert project.problems == ()
    result = await worker.call(
        "kinds",
        {
            "place": {"x": "1"},
            "box": {"a": 2, "color": "blue"},
            "part": {"name": "p", "kids": [{"name": "k"}]},
            "color": "red",
            "span": {"start": 3},
        },
    )
    assert result.output == [
        "dict",
        "Box(a=2, color=<Color.BLUE: 'blue'>, tags=[])",
        "Part(name='p', kids=[Part(name='k', kids=[])])",
        "<Color.RED: 'red'>",
        "Span(start=3, end=9)",
    ]
    result = await worker.call(
        "moments",
        {
            "when": "2026-01-02T03:04:05",
            "day": "2026-01-02",
            "took": "PT90S",
            "where": "a/b",
            "key": "12345678-1234-5678-1234-567812345678",
            "price": "1.50",
            "raw": "abc",
        },
    )
    assert result.output == [
        "datetime.datetime(2026, 1, 2, 3, 4, 5)",
        "datetime.date(2026, 1, 2)",
        "datetime.timedelta(seconds=90)",
        "a/b",
        "UUID",
        "Decimal('1.50')",
        "b'abc'",
    ]
    assert (await worker.call("filled", {})).output == [5, 1, [], "<Color.BLUE: 'blue'>"]


async def test_wrong_arguments_are_errors_that_name_the_field(loaded: Loaded) -> None:
    worker, _ = await loaded(TOOLS)
    result = await worker.call(
        "kinds",
        {
            "place": {"x": "far"},
            "box": {"a": 2, "color": "green"},
            "part": {"name": "p", "kids": [{"nam": "k"}]},
            "color": "green",
            "span": {"start": 3},
        },
    )
    assert result.status == "error"
    assert result.observation == (
        "Invalid arguments for 'kinds': "
        "'place.x': input should be a valid integer, unable to parse string as an integer (given: 'far'); "
        "'box.color': input should be 'red' or 'blue' (given: 'green'); "
        "'part.kids[0].name': field required; "
        "'color': input should be 'red' or 'blue' (given: 'green')."
    )
    result = await worker.call("filled", {"top": 0})
    assert "'top': input should be greater than or equal to 1 (given: 0)" in result.observation


HEAD = """
import enum
from dataclasses import dataclass
from typing import *
from typing_extensions import NotRequired
from pydantic import BaseModel, Field
class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"
class Tree(TypedDict):
    v: int
    kids: NotRequired["list[Tree]"]
@dataclass
class Holder:
    tree: Tree
    color: Literal[Color.RED]
    numbers: Iterable[int] = ()
@dataclass
class Chain:
    v: int
    next: Optional["Chain"] = None
"""


def bound(parameters: str, arguments: dict[str, object], future: str = "") -> dict[str, Any]:
    with imported(f"{future}{HEAD}def f({parameters}): ...\n") as module, warnings.catch_warnings():
        warnings.simplefilter("error")
        return Signature("f", module.f).bind(arguments)[1]


@pytest.mark.parametrize("future", ["", "from __future__ import annotations\n"])
@pytest.mark.parametrize(
    ("parameters", "given", "expected"),
    [
        ("a: Tree", {"v": "1", "kids": [{"v": 2}]}, "{'v': 1, 'kids': [{'v': 2}]}"),
        ("a: list['Tree']", '[{"v": "1"}]', "[{'v': 1}]"),
        (
            "a: Holder",
            {"tree": {"v": 1}, "color": "red", "numbers": ["2"]},
            "Holder(tree={'v': 1}, color=<Color.RED: 'red'>, numbers=[2])",
        ),
        ("a: Optional[Chain]", {"v": 1, "next": {"v": "2"}}, "Chain(v=1, next=Chain(v=2, next=None))"),
        ("a: Literal[Color.RED, 'x']", "red", "<Color.RED: 'red'>"),
        ("a: Literal[Color.RED, 'x']", "x", "'x'"),
        ("a: Iterable[int]", ["1", 2], "[1, 2]"),
        ("a: Annotated[int, Field(alias='other', ge=1)]", "3", "3"),
        ("a: Optional[int] = Field(None)", None, "None"),
        ("a: int = Field(None)", None, "None"),
    ],
)
def test_what_pydantic_alone_would_refuse_is_converted(
    parameters: str, given: object, expected: str, future: str
) -> None:
    assert repr(bound(parameters, {"a": given}, future)["a"]) == expected


@pytest.mark.parametrize(
    ("parameters", "given", "said"),
    [
        ("a: Tree", {"v": 1, "kids": [{"v": 2}, {"v": "x"}]}, "'a.kids[1].v': input should be a valid integer"),
        ("a: Tree", {"kids": []}, "'a.v': field required"),
        ("a: Holder", {"tree": {"v": "x"}, "color": "red"}, "'a.tree.v': input should be a valid integer"),
        ("a: Holder", {"tree": {"v": 1}, "color": "blue"}, "'a.color': input should be 'red' (given: 'blue')"),
        ("a: Iterable[int]", ["x"], "'a[0]': input should be a valid integer"),
        ("a: dict[str, list[int]]", {"k": [1, "x"]}, "'a.k[1]': input should be a valid integer"),
        ("a: Union[Tree, Chain, None]", {"v": "x"}, "'a.v': input should be a valid integer"),
    ],
)
def test_a_fault_deep_inside_is_told_with_its_place(parameters: str, given: object, said: str) -> None:
    with pytest.raises(BadArgumentsError) as caught:
        bound(parameters, {"a": given})
    assert said in str(caught.value)
    assert str(caught.value).count(said) == 1


@pytest.mark.parametrize("future", ["", "from __future__ import annotations\n"])
def test_an_omitted_argument_gets_the_default_that_its_field_says(future: str) -> None:
    parameters = (
        "a: int = Field(5), b: Annotated[int, Field(default=7)] = Field(ge=1), "
        "c: list = Field(default_factory=list), d: int = 2"
    )
    first, second = bound(parameters, {}, future), bound(parameters, {}, future)
    assert first == {"a": 5, "b": 7, "c": []}
    first["c"].append(1)
    assert second["c"] == []
    with pytest.raises(BadArgumentsError, match="missing argument 'a'"):
        bound("a: int = Field(ge=1), b: int = Field(...)", {}, future)


def test_defaults_of_fields_reach_positional_parameters() -> None:
    with imported(HEAD + "def f(a: int = Field(3), b: int = 4, /, c: int = 5): ...\n") as module:
        assert Signature("f", module.f).bind({"b": "6"}) == ([3, 6], {})
        assert Signature("f", module.f).bind({}) == ([3], {})


def test_what_a_partial_fills_is_no_argument() -> None:
    import functools

    def send(to: str, *, token: str) -> str:
        return to + token

    signature = Signature("send", functools.partial(send, token="secret"))
    assert signature.bind({"to": "x"}) == ([], {"to": "x"})
    with pytest.raises(BadArgumentsError, match="unknown argument 'token'"):
        signature.bind({"to": "x", "token": "y"})
