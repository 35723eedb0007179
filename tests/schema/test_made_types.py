"""Types that are made by an assignment or a class, type parameters, stars of types, overloads."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from tests.schema.reading import both

HEAD = """
import annotated_types, dataclasses, enum, pydantic
from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import *
from typing_extensions import NotRequired, Required, TypedDict as NewTypedDict
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, RootModel
class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"
"""
INTEGER = {"type": "integer"}
STRING = {"type": "string"}
NULL = {"type": "null"}


def record(properties: dict[str, Any], required: list[str] | None = None, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, **({"required": required} if required else {}), **more}


@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        ("class E(enum.Enum):\n    A = enum.auto()\n    B = enum.auto()\n", {"type": "integer", "enum": [1, 2]}),
        ("class E(enum.IntEnum):\n    A = 5\n    B = enum.auto()\n    C = A\n", {"type": "integer", "enum": [5, 6]}),
        ("class E(str, enum.Enum):\n    A = 'a'\n    B = 1\n", {"type": "string", "enum": ["a", "1"]}),
        ("class Base(str, enum.Enum): ...\nclass E(Base):\n    A = 'a'\n", {"type": "string", "enum": ["a"]}),
        ("E = enum.Enum('E', 'A B')\n", {"type": "integer", "enum": [1, 2]}),
        ("E = enum.Enum('E', {'A': 'x', 'B': 'y'})\n", {"type": "string", "enum": ["x", "y"]}),
        ("class E(enum.Enum):\n    A = 0.5\n    B = 'b'\n", {"enum": [0.5, "b"]}),
        ("class E(enum.Enum):\n    A = 'a'\n    B = None\n", {"anyOf": [{"type": "string", "enum": ["a"]}, NULL]}),
        ("class E(enum.Enum):\n    A: str = 'a'\n    def up(self): ...\n", {"type": "string", "enum": ["a"]}),
        ("class E(enum.Flag):\n    A = 1\n    B = 2\n", INTEGER),
        ("E = Literal[Color.RED, 'x']\n", {"type": "string", "enum": ["red", "x"]}),
        ("E = NewType('E', int)\n", INTEGER),
        ("E = NewType('E', 'Color')\n", {"type": "string", "enum": ["red", "blue"]}),
        ("E = TypeVar('E', bound=Color)\n", {"type": "string", "enum": ["red", "blue"]}),
        ("E = TypeVar('E', int, str)\n", {"anyOf": [INTEGER, STRING]}),
        ("E = TypeVar('E')\n", {}),
        ("Inner = Optional\nE = Inner[int]\n", {"anyOf": [INTEGER, NULL]}),
        ("Bound = 9\nE = Annotated[int, Field(ge=1, le=Bound)]\n", {"type": "integer", "minimum": 1, "maximum": 9}),
        ("E = Annotated[Optional[str], Field(min_length=2)]\n", {"anyOf": [{"type": "string", "minLength": 2}, NULL]}),
        (
            "E = list[Annotated[int, annotated_types.Gt(0), 'one']]\n",
            {"type": "array", "items": {"type": "integer", "exclusiveMinimum": 0, "description": "one"}},
        ),
        (
            "E = Annotated[list[int], Field(min_length=1, max_length=2)]\n",
            {"type": "array", "items": INTEGER, "minItems": 1, "maxItems": 2},
        ),
        ("E = pydantic.PositiveInt\n", {"type": "integer", "exclusiveMinimum": 0}),
        ("E = pydantic.conint(ge=3)\n", {"type": "integer", "minimum": 3}),
        ("E = Annotated[str, pydantic.StringConstraints(pattern='^x')]\n", {"type": "string", "pattern": "^x"}),
        ("E = pydantic.HttpUrl\n", {"type": "string", "format": "uri"}),
    ],
)
def test_types_that_are_made_by_assignment_or_class_read_alike(definition: str, expected: dict[str, Any]) -> None:
    for source in (HEAD, "from __future__ import annotations\n" + HEAD):
        schema = both(f"{source}{definition}def f(a: E): ...\n")
        assert schema.parameters["properties"]["a"] == expected
        assert schema.problems == ()


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the syntax is of Python 3.12")
@pytest.mark.parametrize("future", ["", "from __future__ import annotations\n"])
def test_type_parameters_and_type_statements_are_read(future: str) -> None:
    schema = both(
        future
        + HEAD
        + "type Ids = Annotated[list[int], 'some ids']\nclass Page[T](BaseModel):\n    items: list[T]\n"
        + "def f[N: (int, str), M](ids: Ids, n: N, m: M, page: Page[int]): ...\n"
    )
    assert schema.parameters["properties"] == {
        "ids": {"type": "array", "items": INTEGER, "description": "some ids"},
        "n": {"anyOf": [INTEGER, STRING]},
        "m": {},
        "page": record({"items": {"type": "array", "items": INTEGER}}, ["items"]),
    }


def test_unpacked_keyword_arguments_are_left_out_with_a_problem() -> None:
    schema = both(
        HEAD
        + "from typing_extensions import Unpack\nclass Options(TypedDict):\n    x: int\n"
        + "def f(a: int, **options: Unpack[Options]): ...\n"
    )
    assert list(schema.parameters["properties"]) == ["a"]
    assert [problem.kind for problem in schema.problems] == ["stars"]


def test_of_overloads_the_implementation_counts() -> None:
    schema = both(
        HEAD
        + "@overload\ndef f(a: int) -> int: ...\n@overload\ndef f(a: str) -> str: ...\n"
        + "def f(a: Union[int, str], b: bool = False):\n    '''Do it.'''\n",
        "f",
    )
    assert list(schema.parameters["properties"]) == ["a", "b"]
    assert schema.description == "Do it."
