"""Classes of data as parameters: TypedDict, dataclass, NamedTuple, pydantic model."""

from __future__ import annotations

from typing import Any

import pydantic
import pytest

from adal_ls.schema import from_runtime
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
        pytest.param(
            "class R(TypedDict):\n    x: int\n    y: 'str'\n", record({"x": INTEGER, "y": STRING}, ["x", "y"])
        ),
        pytest.param(
            "class Base(TypedDict):\n    x: int\n"
            "class R(Base, total=False):\n    y: Required[str]\n"
            "    z: Annotated[int, Field(ge=1, description='a z')]\n",
            record(
                {"x": INTEGER, "y": STRING, "z": {"type": "integer", "minimum": 1, "description": "a z"}}, ["x", "y"]
            ),
            id="inherited",
        ),
        pytest.param(
            "class R(NewTypedDict, total=False):\n    x: Required[Annotated[int, 'an x']]\n"
            "    y: Annotated[NotRequired[int], 'a y']\n",
            record(
                {"x": {"type": "integer", "description": "an x"}, "y": {"type": "integer", "description": "a y"}}, ["x"]
            ),
            id="typing_extensions",
        ),
        pytest.param(
            "R = TypedDict('R', {'in': int, 'y': NotRequired[str]})\n",
            record({"in": INTEGER, "y": STRING}, ["in"]),
            id="functional",
        ),
        pytest.param(
            'class R(TypedDict):\n    """A place.\n\n    Attributes:\n        x: how far\n    """\n    x: int\n',
            {
                "type": "object",
                "description": "A place.",
                **record({"x": {**INTEGER, "description": "how far"}}, ["x"]),
            },
            id="documented",
        ),
        pytest.param(
            "@dataclass\nclass R:\n    x: int\n    y: str = 'q'\n    z: list[int] = field(default_factory=list)\n"
            "    hidden: int = field(default=1, init=False)\n    LIMIT: ClassVar[int] = 4\n    seed: InitVar[int] = 3\n"
            "    _: KW_ONLY\n    color: Color = Color.RED\n    when: str = field(default='now', kw_only=True)\n",
            record(
                {
                    "x": INTEGER,
                    "y": {"type": "string", "default": "q"},
                    "z": {"type": "array", "items": INTEGER, "default": []},
                    "seed": {"type": "integer", "default": 3},
                    "color": {"type": "string", "enum": ["red", "blue"], "default": "red"},
                    "when": {"type": "string", "default": "now"},
                },
                ["x"],
            ),
            id="dataclass",
        ),
        pytest.param(
            "class Plain:\n    ignored: int = 1\n@dataclass\nclass Base(Plain):\n    x: int\n    y: int = 1\n"
            "@dataclasses.dataclass(frozen=False)\nclass Middle(Base):\n    y: str = 'z'\n"
            "class R(Middle):\n    more: int = 1\n",
            record({"x": INTEGER, "y": {"type": "string", "default": "z"}}, ["x"]),
            id="dataclass of a dataclass",
        ),
        pytest.param(
            "@pydantic.dataclasses.dataclass\nclass R:\n    x: int = Field(ge=1)\n"
            "    y: int = Field(2, description='a y')\n",
            record(
                {
                    "x": {"type": "integer", "minimum": 1},
                    "y": {"type": "integer", "description": "a y", "default": 2},
                },
                ["x"],
            ),
            id="pydantic dataclass",
        ),
        pytest.param(
            "class R(NamedTuple):\n    x: int\n    y: str = 'q'\n",
            record({"x": INTEGER, "y": {"type": "string", "default": "q"}}, ["x"]),
            id="named tuple",
        ),
        pytest.param(
            "class R(BaseModel):\n"
            "    name: str = Field(..., min_length=1, max_length=9, pattern='^a', description='who')\n"
            "    n: int = Field(3, gt=0, lt=9, multiple_of=3)\n    other: Optional[int] = None\n"
            "    renamed: int = Field(alias='newName')\n"
            "    choice: int = Field(1, validation_alias=AliasChoices('a', 'b'))\n"
            "    _private: int = 1\n    LIMIT: ClassVar[int] = 1\n    items: list[str] = Field(default_factory=list)\n",
            record(
                {
                    "name": {"type": "string", "minLength": 1, "maxLength": 9, "pattern": "^a", "description": "who"},
                    "n": {
                        "type": "integer",
                        "exclusiveMinimum": 0,
                        "exclusiveMaximum": 9,
                        "multipleOf": 3,
                        "default": 3,
                    },
                    "other": {"anyOf": [INTEGER, NULL], "default": None},
                    "newName": INTEGER,
                    "a": {"type": "integer", "default": 1},
                    "items": {"type": "array", "items": STRING, "default": []},
                },
                ["name", "newName"],
            ),
            id="model",
        ),
        pytest.param(
            "class Base(BaseModel):\n    model_config = ConfigDict(extra='forbid')\n    x: int\n    y: int = 1\n"
            "class R(Base):\n    y: str = 'z'\n"
            "    k: Annotated[int, Field(ge=1)] = Field(2, le=5, description='a k')\n",
            record(
                {
                    "x": INTEGER,
                    "y": {"type": "string", "default": "z"},
                    "k": {"type": "integer", "minimum": 1, "maximum": 5, "description": "a k", "default": 2},
                },
                ["x"],
                additionalProperties=False,
            ),
            id="model of a model",
        ),
        pytest.param(
            "class R(BaseModel, extra='forbid'):\n    x: int = 1\n",
            record({"x": {**INTEGER, "default": 1}}, additionalProperties=False),
            id="closed",
        ),
        pytest.param("class R(RootModel[list[int]]): ...\n", {"type": "array", "items": INTEGER}, id="root model"),
        pytest.param(
            "R = RootModel[dict[str, Color]]\n",
            {"type": "object", "additionalProperties": {"type": "string", "enum": ["red", "blue"]}},
            id="root model without a class",
        ),
        pytest.param(
            "T = TypeVar('T')\nclass Page(BaseModel, Generic[T]):\n    items: list[T]\nR = Page[int]\n",
            record({"items": {"type": "array", "items": INTEGER}}, ["items"]),
            id="generic model",
        ),
        pytest.param(
            "class Outer:\n    class Inner(BaseModel):\n        x: int\nR = Outer.Inner\n",
            record({"x": INTEGER}, ["x"]),
            id="nested class",
        ),
        pytest.param(
            "class R(BaseModel):\n    inner: 'Later'\nclass Later(BaseModel):\n    x: int\n",
            record({"inner": record({"x": INTEGER}, ["x"])}, ["inner"]),
            id="class that is defined later",
        ),
    ],
)
@pytest.mark.parametrize("future", [False, True], ids=["evaluated", "postponed"])
def test_a_class_of_data_is_an_object_with_its_fields(definition: str, expected: dict[str, Any], future: bool) -> None:
    source = ("from __future__ import annotations\n" if future else "") + HEAD + definition + "def f(a: R): ...\n"
    schema = both(source)
    assert schema.parameters == {"type": "object", "properties": {"a": expected}, "required": ["a"]}
    assert schema.problems == ()


TREES = [
    "class Tree(TypedDict):\n    v: int\n    kids: 'NotRequired[list[Tree]]'\n",
    "@dataclass\nclass Tree:\n    v: int\n    kids: 'list[Tree]' = field(default_factory=list)\n",
    "class Tree(BaseModel):\n    v: int\n    kids: 'list[Tree]' = Field(default_factory=list)\n",
]


@pytest.mark.parametrize("definition", TREES)
def test_a_class_inside_itself_is_referred_to(definition: str) -> None:
    schema = both(HEAD + definition + "def f(a: Tree, b: Optional[list[Tree]] = None): ...\n").parameters
    reference = {"$ref": "#/$defs/Tree"}
    assert schema["properties"] == {
        "a": reference,
        "b": {"anyOf": [{"type": "array", "items": reference}, NULL], "default": None},
    }
    (tree,) = schema["$defs"].values()
    assert tree["properties"]["v"] == INTEGER
    assert tree["properties"]["kids"]["items"] == reference


def test_classes_inside_each_other_and_of_equal_names_are_kept_apart() -> None:
    source = (
        HEAD
        + "class A(BaseModel):\n    b: 'Optional[B]' = None\nclass B(BaseModel):\n    a: A\n"
        + "class Outer:\n    class A(BaseModel):\n        again: 'Optional[Outer.A]' = None\n"
        + "def f(a: A, other: Outer.A): ...\n"
    )
    schema = both(source).parameters
    assert schema["properties"] == {"a": {"$ref": "#/$defs/A"}, "other": {"$ref": "#/$defs/A_2"}}
    assert list(schema["$defs"]["A"]["properties"]) == ["b"]
    assert list(schema["$defs"]["A_2"]["properties"]) == ["again"]


def test_a_plain_class_is_written_out_wherever_it_is_used_and_a_nested_one_once() -> None:
    # So that a text beside it is not lost, and a schema grows no more than its source.
    source = HEAD + "".join(
        f"class C{index}(BaseModel):\n    left: {inner}\n    right: {inner}\n"
        for index, inner in enumerate(["int", *(f"C{index}" for index in range(12))])
    )
    schema = both(source + "def f(a: C12, b: C0, c: C0): ...\n").parameters
    assert (
        schema["properties"]["b"]
        == schema["properties"]["c"]
        == record({"left": INTEGER, "right": INTEGER}, ["left", "right"])
    )
    assert len(schema["$defs"]) == 11
    assert len(str(schema)) < 5000


@pytest.mark.parametrize(
    ("definition", "said"),
    [
        (
            "class Thing: ...\nclass R(BaseModel):\n"
            "    model_config = ConfigDict(arbitrary_types_allowed=True)\n    ok: int\n    thing: Thing\n",
            "R.thing: Thing",
        ),
        ("class Thing: ...\n@dataclass\nclass R:\n    things: list[Thing]\n", "R.things: Thing"),
        ("class R:\n    x: int = 1\n", "R"),
        ("class R(str): ...\n", "R"),
        ("class R(enum.Enum):\n    A = (1, 2)\n", "R, whose values JSON cannot hold"),
        ("class R(enum.Enum): ...\n", "R, which has no values"),
    ],
)
def test_a_class_that_json_cannot_hold_is_a_problem_that_names_the_field(definition: str, said: str) -> None:
    schema = both(HEAD + definition + "def f(a: R, b: int): ...\n")
    assert schema.parameters["properties"] == {"a": {}, "b": INTEGER}
    (problem,) = schema.problems
    assert said in problem.message


def test_a_model_that_cannot_be_completed_is_a_problem_that_says_why_and_spares_the_other_parameters() -> None:
    class Stubborn(pydantic.BaseModel):
        later: Missing  # type: ignore[name-defined]  # noqa: F821

        @classmethod
        def model_rebuild(cls, **_: Any) -> bool | None:
            raise RuntimeError("no rebuild")

    def tool(box: Stubborn, count: int) -> None: ...

    tool.__annotations__ = {"box": Stubborn, "count": int}
    schema = from_runtime(tool)
    assert schema.parameters["properties"] == {"box": {}, "count": {"type": "integer"}}
    (problem,) = schema.problems
    assert problem.parameter == "box"
    assert "Stubborn: RuntimeError: no rebuild" in problem.message
