"""One function of each kind that converters of functions to schemas were measured with: the schema, read both ways.

The kinds and what other converters make of them: ten converters, of which the best reads 36 of these 41 as the function
means.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest

from adal_ls.schema import ToolSchema, from_ast, from_runtime
from tests.schema.reading import both, imported

HEAD = """
import datetime, enum, functools, pathlib, typing, uuid
from dataclasses import dataclass
from typing import *
from typing_extensions import NotRequired
from pydantic import BaseModel, Field
class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"
class Place(TypedDict):
    x: int
    y: NotRequired[str]
@dataclass
class Box:
    a: int
    b: str = "q"
class Order(BaseModel):
    name: str = Field(description="the name")
    n: int = 3
class Node(BaseModel):
    v: int
    kids: "list[Node]" = []
"""

STRING = {"type": "string"}
INTEGER = {"type": "integer"}
NULL = {"type": "null"}
NODE = {"$ref": "#/$defs/Node"}
BOTH = {
    "a": {"type": "integer", "description": "first number"},
    "b": {"type": "string", "description": "the label", "default": "x"},
}


def parameters(properties: dict[str, Any], required: list[str], **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, **more}


def tool(signature: str, doc: str = "Do it.") -> str:
    return f'def f({signature}):\n    """{doc}"""\n'


def documented(sections: str) -> str:
    indented = sections.replace("\n", "\n    ")
    return tool('a: int, b: str = "x"', f"Do it.\n    {indented}\n    ")


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(documented("\nArgs:\n    a: first number\n    b: the label"), id="google"),
        pytest.param(
            documented(
                "\nArgs:\n    a (int): first number\n    b (str, optional): the label\n\nReturns:\n    str: the text"
            ),
            id="google_types",
        ),
        pytest.param(
            documented("Args:\n    a: first number\n    b: the label\nReturns:\n    text"), id="google_noblank"
        ),
        pytest.param(
            documented(
                "\nParameters\n----------\na : int\n    first number\nb : str, optional\n    the label\n\n"
                "Returns\n-------\nstr\n    the text"
            ),
            id="numpy",
        ),
        pytest.param(
            documented(
                "\n:param a: first number\n:type a: int\n:param str b: the label\n:return: the text\n:rtype: str"
            ),
            id="sphinx",
        ),
        pytest.param(documented("\n@param a: first number\n@param b: the label\n@return: the text"), id="epytext"),
        pytest.param(
            "async " + documented("\nArgs:\n    a: first number\n    b: the label"),
            id="async",
        ),
        pytest.param(
            "def logged(inner):\n    @functools.wraps(inner)\n    def outer(*args, **kwargs):\n"
            "        return inner(*args, **kwargs)\n    return outer\n@logged\n"
            + documented("\nArgs:\n    a: first number\n    b: the label"),
            id="decorated",
        ),
    ],
)
def test_every_docstring_style_gives_the_same_schema(source: str) -> None:
    schema = both(HEAD + source, "f")
    assert schema == ToolSchema("Do it.", parameters(BOTH, ["a"]))


def test_a_docstring_that_starts_with_its_section_has_no_text_of_the_tool() -> None:
    source = tool('a: int, b: str = "x"', "Args:\n        a: first number\n        b: the label\n    ")
    assert both(HEAD + source) == ToolSchema("", parameters(BOTH, ["a"]))


def test_bullets_below_a_parameter_stay_in_its_text() -> None:
    doc = (
        "Do it.\n\n    Args:\n        a: One of:\n            - 1: brief\n            - 2: full\n        b: the label\n"
    )
    schema = both(HEAD + tool('a: int, b: str = "x"', doc))
    assert schema.description == "Do it."
    assert schema.parameters["properties"]["a"]["description"] == "One of:\n- 1: brief\n- 2: full"
    assert schema.parameters["properties"]["b"] == BOTH["b"]


def test_a_section_of_keyword_arguments_describes_them() -> None:
    doc = "Do it.\n\n    Args:\n        a: first number\n\n    Keyword Args:\n        limit: how many\n    "
    schema = both(HEAD + tool("a: int, *, limit: int = 10", doc))
    assert schema == ToolSchema(
        "Do it.",
        parameters(
            {"a": BOTH["a"], "limit": {"type": "integer", "description": "how many", "default": 10}},
            ["a"],
        ),
    )


@pytest.mark.parametrize(
    ("signature", "expected"),
    [
        pytest.param('a, b="x"', parameters({"a": {}, "b": {"default": "x"}}, ["a"]), id="no_hints"),
        pytest.param(
            "a: Optional[int] = None",
            parameters({"a": {"anyOf": [INTEGER, NULL], "default": None}}, []),
            id="optional_none",
        ),
        pytest.param("a: Optional[int]", parameters({"a": {"anyOf": [INTEGER, NULL]}}, ["a"]), id="optional_required"),
        pytest.param(
            "a: int | None = None, b: 'str | None' = None",
            parameters(
                {
                    "a": {"anyOf": [INTEGER, NULL], "default": None},
                    "b": {"anyOf": [STRING, NULL], "default": None},
                },
                [],
            ),
            id="pep604",
        ),
        pytest.param(
            "a: Literal['x', 'y'], b: Literal[1, 2] = 1",
            parameters(
                {"a": {"type": "string", "enum": ["x", "y"]}, "b": {"type": "integer", "enum": [1, 2], "default": 1}},
                ["a"],
            ),
            id="literal",
        ),
        pytest.param("a: Color", parameters({"a": {"type": "string", "enum": ["red", "blue"]}}, ["a"]), id="enum"),
        pytest.param(
            "a: list[str], b: typing.List[int], c: dict[str, int]",
            parameters(
                {
                    "a": {"type": "array", "items": STRING},
                    "b": {"type": "array", "items": INTEGER},
                    "c": {"type": "object", "additionalProperties": INTEGER},
                },
                ["a", "b", "c"],
            ),
            id="containers",
        ),
        pytest.param(
            "a: tuple[int, str], b: set[str]",
            parameters(
                {
                    "a": {"type": "array", "items": {"anyOf": [INTEGER, STRING]}, "minItems": 2, "maxItems": 2},
                    "b": {"type": "array", "items": STRING, "uniqueItems": True},
                },
                ["a", "b"],
            ),
            id="tuple_set",
        ),
        pytest.param(
            "a: Place",
            parameters({"a": {"type": "object", "properties": {"x": INTEGER, "y": STRING}, "required": ["x"]}}, ["a"]),
            id="typeddict",
        ),
        pytest.param(
            "a: Order",
            parameters(
                {
                    "a": {
                        "type": "object",
                        "properties": {
                            "name": {"type": "string", "description": "the name"},
                            "n": {"type": "integer", "default": 3},
                        },
                        "required": ["name"],
                    }
                },
                ["a"],
            ),
            id="pydantic_model",
        ),
        pytest.param(
            "a: Box",
            parameters(
                {
                    "a": {
                        "type": "object",
                        "properties": {"a": INTEGER, "b": {"type": "string", "default": "q"}},
                        "required": ["a"],
                    }
                },
                ["a"],
            ),
            id="dataclass",
        ),
        pytest.param(
            "a: Annotated[int, Field(description='how many', ge=1, le=9)], b: Annotated[int, Field(ge=0)] = 2",
            parameters(
                {
                    "a": {"type": "integer", "minimum": 1, "maximum": 9, "description": "how many"},
                    "b": {"type": "integer", "minimum": 0, "default": 2},
                },
                ["a"],
            ),
            id="annotated_field",
        ),
        pytest.param(
            "a: Annotated[int, 'a count']",
            parameters({"a": {"type": "integer", "description": "a count"}}, ["a"]),
            id="annotated_str",
        ),
        pytest.param(
            "a: int = Field(5, description='how many')",
            parameters({"a": {"type": "integer", "description": "how many", "default": 5}}, []),
            id="field_default",
        ),
        pytest.param(
            "a: int, /, b: int = 1",
            parameters({"a": INTEGER, "b": {**INTEGER, "default": 1}}, ["a"]),
            id="pos_only",
        ),
        pytest.param("a: int, *, b: int", parameters({"a": INTEGER, "b": INTEGER}, ["a", "b"]), id="kw_only"),
        pytest.param("a: Union[int, str]", parameters({"a": {"anyOf": [INTEGER, STRING]}}, ["a"]), id="union"),
        pytest.param(
            "a: datetime.datetime, b: pathlib.Path, c: uuid.UUID",
            parameters(
                {
                    "a": {"type": "string", "format": "date-time"},
                    "b": {"type": "string", "format": "path"},
                    "c": {"type": "string", "format": "uuid"},
                },
                ["a", "b", "c"],
            ),
            id="std_types",
        ),
        pytest.param("a: Any", parameters({"a": {}}, ["a"]), id="any"),
        pytest.param(
            "a: bool = True, b: float = 0.5",
            parameters({"a": {"type": "boolean", "default": True}, "b": {"type": "number", "default": 0.5}}, []),
            id="defaults",
        ),
        pytest.param(
            "a: list[int] = []",
            parameters({"a": {"type": "array", "items": INTEGER, "default": []}}, []),
            id="mutable_default",
        ),
        pytest.param(
            "a: Node",
            parameters(
                {"a": NODE},
                ["a"],
                **{
                    "$defs": {
                        "Node": {
                            "type": "object",
                            "properties": {"v": INTEGER, "kids": {"type": "array", "items": NODE, "default": []}},
                            "required": ["v"],
                        }
                    }
                },
            ),
            id="recursive",
        ),
    ],
)
@pytest.mark.parametrize("future", [False, True], ids=["evaluated", "postponed"])
def test_every_kind_of_parameter_has_the_schema_that_its_type_means(
    signature: str, expected: dict[str, Any], future: bool
) -> None:
    head = "from __future__ import annotations\n" if future else ""
    assert both(head + HEAD + tool(signature)) == ToolSchema("Do it.", expected)


def test_a_function_without_a_docstring_has_no_text() -> None:
    assert both("def f(a: int): ...\n") == ToolSchema("", parameters({"a": INTEGER}, ["a"]))


@pytest.mark.parametrize("star", ["*args: str", "**kwargs: int"])
def test_stars_are_left_out_with_a_problem(star: str) -> None:
    schema = both(tool(f"a: int, {star}"))
    assert schema.parameters == parameters({"a": INTEGER}, ["a"])
    (problem,) = schema.problems
    assert (problem.parameter, problem.kind) == (star.partition(":")[0], "stars")


def test_a_hint_that_names_nothing_is_a_problem_and_no_exception() -> None:
    schema = both(tool("a: 'NoSuchType', b: int"))
    assert schema.parameters == parameters({"a": {}, "b": INTEGER}, ["a", "b"])
    (problem,) = schema.problems
    assert problem.parameter == "a"
    assert "NoSuchType" in problem.message


def _called(source: str, make: str) -> ToolSchema:
    with imported(HEAD + source) as module:
        schema = from_runtime(eval(make, vars(module)))
    jsonschema.Draft202012Validator.check_schema(schema.parameters)
    return schema


def _static(source: str, **filled: Any) -> ToolSchema:
    module = ast.parse(source)
    function = next(node for node in ast.walk(module) if isinstance(node, (ast.FunctionDef, ast.Lambda)))
    return from_ast(function, module, **filled)


@pytest.mark.parametrize("first", ["self", "this"])
def test_a_bound_method_shows_no_self(first: str) -> None:
    source = f"class Desk:\n    def find({first}, a: int):\n        '''Do it.'''\n"
    expected = ToolSchema("Do it.", parameters({"a": INTEGER}, ["a"]))
    assert _called(source, "Desk().find") == _static(source, filled=1) == expected


@pytest.mark.parametrize("make", ["functools.partial(f, b=3)", "functools.partial(functools.partial(f, b=2), b=3)"])
def test_a_partial_shows_what_it_leaves_to_fill(make: str) -> None:
    source = tool("a: int, *, b: int")
    expected = ToolSchema("Do it.", parameters({"a": INTEGER}, ["a"]))
    assert _called(source, make) == _static(source, named=["b"]) == expected


def test_a_callable_object_shows_the_signature_of_its_call() -> None:
    source = "class Greeter:\n    def __call__(self, a):\n        '''Do it.'''\n"
    assert _called(source, "Greeter()") == ToolSchema("Do it.", parameters({"a": {}}, ["a"]))


def test_a_lambda_shows_its_parameters() -> None:
    identity: Callable[[Any], Any] = lambda a: a  # noqa: E731
    assert from_runtime(identity) == _static("lambda a: a") == ToolSchema("", parameters({"a": {}}, ["a"]))
    assert from_runtime(functools.partial(identity, 1)) == ToolSchema("", parameters({}, []))
