"""One table: a parameter as it is written, and the JSON Schema that both readers must give."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from adal_ls.schema import from_runtime
from tests.schema.reading import both, live, statically

HEAD = """
import datetime, decimal, enum, pathlib, typing, typing as t, collections.abc, uuid
from typing import *
from typing import Optional as Maybe
from collections.abc import Sequence as Seq
class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"
class Level(enum.IntEnum):
    LOW = 1
class Thing: ...
Mode = Literal["fast", "slow"]
LIMIT = 5
MINUTES: int = 60 * 24
"""

NULL = {"type": "null"}


@pytest.mark.parametrize(
    ("parameter", "expected"),
    [
        ("a: str", {"type": "string"}),
        ("a: int", {"type": "integer"}),
        ("a: float", {"type": "number"}),
        ("a: bool", {"type": "boolean"}),
        ("a: None", NULL),
        ("a", {}),
        ("a: Any", {}),
        ("a: t.Any", {}),
        ("a: object", {}),
        ("a: Optional[int]", {"anyOf": [{"type": "integer"}, NULL]}),
        ("a: Maybe[int]", {"anyOf": [{"type": "integer"}, NULL]}),
        ("a: typing.Optional[int]", {"anyOf": [{"type": "integer"}, NULL]}),
        ("a: int | None", {"anyOf": [{"type": "integer"}, NULL]}),
        ("a: None | int", {"anyOf": [{"type": "integer"}, NULL]}),
        ("a: 'int | None'", {"anyOf": [{"type": "integer"}, NULL]}),
        ("a: Union[int, str]", {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        ("a: Union[int, Optional[str]]", {"anyOf": [{"type": "integer"}, {"type": "string"}, NULL]}),
        ("a: int | str | int", {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        ("a: Union[int, Any]", {}),
        ("a: Optional[Union[Literal[0, 1], Literal[1, 0]]]", {"anyOf": [{"type": "integer", "enum": [0, 1]}, NULL]}),
        (
            "a: Literal[1] | Literal[True]",
            {"anyOf": [{"type": "integer", "enum": [1]}, {"type": "boolean", "enum": [True]}]},
        ),
        ("a: list", {"type": "array", "items": {}}),
        ("a: List", {"type": "array", "items": {}}),
        ("a: list[str]", {"type": "array", "items": {"type": "string"}}),
        ("a: typing.List[int]", {"type": "array", "items": {"type": "integer"}}),
        ("a: List['int']", {"type": "array", "items": {"type": "integer"}}),
        ("a: list['int']", {"type": "array", "items": {"type": "integer"}}),
        ("a: Sequence[int]", {"type": "array", "items": {"type": "integer"}}),
        ("a: Seq[int]", {"type": "array", "items": {"type": "integer"}}),
        ("a: collections.abc.Iterable", {"type": "array", "items": {}}),
        ("a: dict", {"type": "object", "additionalProperties": {}}),
        ("a: Dict[str, int]", {"type": "object", "additionalProperties": {"type": "integer"}}),
        (
            "a: Mapping[str, list[int]]",
            {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "integer"}}},
        ),
        ("a: set[str]", {"type": "array", "items": {"type": "string"}, "uniqueItems": True}),
        ("a: FrozenSet[str]", {"type": "array", "items": {"type": "string"}, "uniqueItems": True}),
        ("a: tuple", {"type": "array", "items": {}}),
        ("a: Tuple", {"type": "array", "items": {}}),
        ("a: tuple[()]", {"type": "array", "items": {}}),
        ("a: tuple[int, ...]", {"type": "array", "items": {"type": "integer"}}),
        (
            "a: Tuple[int, str]",
            {
                "type": "array",
                "items": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
                "minItems": 2,
                "maxItems": 2,
            },
        ),
        ("a: Literal['y', 'x']", {"type": "string", "enum": ["y", "x"]}),
        ("a: Literal[1, 2]", {"type": "integer", "enum": [1, 2]}),
        ("a: Literal[-1, +1]", {"type": "integer", "enum": [-1, 1]}),
        ("a: Literal[True]", {"type": "boolean", "enum": [True]}),
        ("a: Literal[1, True, 'x', 1]", {"enum": [1, True, "x"]}),
        ("a: Literal['x', None]", {"anyOf": [{"type": "string", "enum": ["x"]}, NULL]}),
        ("a: Literal[None]", NULL),
        ("a: Literal['x', Literal['z']]", {"type": "string", "enum": ["x", "z"]}),
        ("a: Optional[t.Literal['x']]", {"anyOf": [{"type": "string", "enum": ["x"]}, NULL]}),
        ("a: Mode", {"type": "string", "enum": ["fast", "slow"]}),
        ("a: 'Optional[Mode]'", {"anyOf": [{"type": "string", "enum": ["fast", "slow"]}, NULL]}),
        ("a: Color", {"type": "string", "enum": ["red", "blue"]}),
        ("a: Level", {"type": "integer", "enum": [1]}),
        ("a: Annotated[int, 'a count']", {"type": "integer", "description": "a count"}),
        ("a: Optional[Annotated[int, 'a count']]", {"anyOf": [{"type": "integer", "description": "a count"}, NULL]}),
        ("a: datetime.datetime", {"type": "string", "format": "date-time"}),
        ("a: pathlib.Path", {"type": "string", "format": "path"}),
        ("a: uuid.UUID", {"type": "string", "format": "uuid"}),
        ("a: decimal.Decimal", {"type": "string", "format": "decimal"}),
        ("a='x'", {"default": "x"}),
        ("a: bool = True", {"type": "boolean", "default": True}),
        ("a: float = 0.5", {"type": "number", "default": 0.5}),
        ("a: int = -3", {"type": "integer", "default": -3}),
        ("a: int = LIMIT", {"type": "integer", "default": 5}),
        ("a: int = MINUTES * 2", {"type": "integer", "default": 2880}),
        ("a: str = 'x' + 'y'", {"type": "string", "default": "xy"}),
        ("a: list[int] = []", {"type": "array", "items": {"type": "integer"}, "default": []}),
        ("a: tuple[int, ...] = (1, 2)", {"type": "array", "items": {"type": "integer"}, "default": [1, 2]}),
        (
            "a: dict[str, int] = {'x': 1}",
            {"type": "object", "additionalProperties": {"type": "integer"}, "default": {"x": 1}},
        ),
        ("a: dict = {1: 2}", {"type": "object", "additionalProperties": {}}),
        ("a: set[int] = {1}", {"type": "array", "items": {"type": "integer"}, "uniqueItems": True}),
        ("a: bytes = b'x'", {"type": "string"}),
        ("a: float = float('inf')", {"type": "number"}),
        ("a: pathlib.Path = pathlib.Path('.')", {"type": "string", "format": "path", "default": "."}),
        ("a: Color = Color.RED", {"type": "string", "enum": ["red", "blue"], "default": "red"}),
        ("a: str = Color.RED.value", {"type": "string", "default": "red"}),
        ("a: Optional[int] = None", {"anyOf": [{"type": "integer"}, NULL], "default": None}),
        ("a: int = None", {"anyOf": [{"type": "integer"}, NULL], "default": None}),
        ("a: Literal[1, 2] = 1", {"type": "integer", "enum": [1, 2], "default": 1}),
        ("a=None", {"default": None}),
    ],
)
@pytest.mark.parametrize("future", [False, True], ids=["evaluated", "postponed"])
def test_a_parameter_has_the_same_schema_read_from_source_and_from_the_live_function(
    parameter: str, expected: dict[str, Any], future: bool
) -> None:
    source = ("from __future__ import annotations\n" if future else "") + HEAD + f"def f({parameter}): ...\n"
    schema = both(source)
    assert schema.parameters["properties"]["a"] == expected
    assert schema.parameters["required"] == ([] if "=" in parameter.partition(":")[2] or "=" in parameter else ["a"])
    assert schema.problems == ()
    jsonschema.Draft202012Validator.check_schema(schema.parameters)
    json.dumps(schema.parameters, allow_nan=False)


@pytest.mark.parametrize(
    "annotation",
    [
        "NoSuchType",
        "Thing",
        "list[Thing]",
        "Optional['NoSuchType']",
        "list[int, str]",
        "'not python ('",
        "Callable[[int], str]",
        "dict[Thing, int]",
        "Literal[b'x']",
        "typing.NoSuchName",
    ],
)
def test_an_unknown_type_becomes_any_type_with_a_located_problem(annotation: str) -> None:
    source = f"from __future__ import annotations\n{HEAD}def f(ok: int, bad: {annotation}, also: str = 'x'): ...\n"
    schema = both(source)
    assert schema.parameters == {
        "type": "object",
        "properties": {"ok": {"type": "integer"}, "bad": {}, "also": {"type": "string", "default": "x"}},
        "required": ["ok", "bad"],
    }
    (problem,) = schema.problems
    assert problem.parameter == "bad"
    assert "no JSON Schema" in problem.message


def test_names_imported_for_type_checking_only_do_not_exist_at_run_time() -> None:
    schema = both(
        "from __future__ import annotations\nfrom typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from typing import Optional\n"
        "def f(a: Optional[int], b: int): ...\n"
    )
    assert schema.parameters["properties"] == {"a": {}, "b": {"type": "integer"}}


def test_a_typing_import_in_a_try_statement_is_found() -> None:
    schema = both(
        "try:\n    from typing import Literal\nexcept ImportError:\n    from typing_extensions import Literal\n"
        "def f(a: Literal['x']): ...\n"
    )
    assert schema.parameters["properties"]["a"] == {"type": "string", "enum": ["x"]}


def test_stars_are_never_parameters_but_plain_args_and_kwargs_are() -> None:
    # https://github.com/run-llama/llama_index/issues/22134
    schema = both("def search(query: str, *tags: str, **opts): ...\n")
    assert schema.parameters["properties"] == {"query": {"type": "string"}}
    assert schema.parameters["required"] == ["query"]
    assert [(problem.parameter, problem.kind) for problem in schema.problems] == [
        ("*tags", "stars"),
        ("**opts", "stars"),
    ]
    plain = both("def f(args: list[str], kwargs: dict[str, int]): ...\n")
    assert plain.parameters["required"] == ["args", "kwargs"]
    assert plain.problems == ()


def test_positional_only_and_keyword_only_parameters_keep_the_order_of_the_signature() -> None:
    schema = both("def f(a: int, /, b: int, c: int = 1, *, d: int, e: int = 2): ...\n")
    assert list(schema.parameters["properties"]) == ["a", "b", "c", "d", "e"]
    assert schema.parameters["required"] == ["a", "b", "d"]


def test_parameters_named_like_attributes_of_models_keep_their_names() -> None:
    # https://github.com/PrefectHQ/prefect/issues/6031
    names = ["schema", "copy", "json", "validate", "model_config"]
    schema = both(f"def export({', '.join(f'{name}: str' for name in names)}): ...\n")
    assert list(schema.parameters["properties"]) == names


def test_no_parameters_give_an_empty_object_with_an_empty_required_list() -> None:
    assert both("async def f(): ...\n").parameters == {"type": "object", "properties": {}, "required": []}


def test_the_text_in_the_annotation_wins_over_the_docstring() -> None:
    schema = both(
        'from typing import Annotated\ndef f(a: Annotated[int, "from the hint"], b: int):\n'
        '    """Do it.\n\n    Args:\n        a: from the text\n        b: second\n    """\n'
    )
    assert schema.parameters["properties"]["a"]["description"] == "from the hint"
    assert schema.parameters["properties"]["b"]["description"] == "second"


def test_the_first_parameter_of_an_unbound_method_is_left_out_with_a_problem() -> None:
    # https://github.com/pab1it0/prometheus-mcp-server/pull/95
    source = "def lookup(self, q: str):\n    '''Look up a person.'''\n"
    schema = both(source)
    assert list(schema.parameters["properties"]) == ["q"]
    assert [problem.kind for problem in schema.problems] == ["self"]


def test_a_bound_method_has_no_self_and_no_problem() -> None:
    class Desk:
        def find(self, q: str) -> str:
            """Find a room."""
            return q

    schema = from_runtime(Desk().find)
    assert list(schema.parameters["properties"]) == ["q"]
    assert schema.description == "Find a room."
    assert schema.problems == ()


def test_a_wrapper_that_keeps_the_signature_shows_the_inner_function() -> None:
    source = (
        "import functools\n"
        "def twice(inner):\n"
        "    @functools.wraps(inner)\n"
        "    def outer(*args, **kwargs):\n        return inner(*args, **kwargs)\n"
        "    return outer\n"
        "@twice\n"
        "def f(a: 'int', b: str = 'x'):\n    '''Do it.'''\n"
    )
    schema = both(source, "f")
    assert schema.parameters["required"] == ["a"]
    assert schema.description == "Do it."


def test_partials_and_callable_objects_show_what_is_left_to_fill() -> None:
    import functools

    def scale(name: str, factor: int = 2) -> str:
        """Scale it."""
        return name * factor

    class Greeter:
        def __call__(self, name: str) -> str:
            """Greet."""
            return name

    assert from_runtime(functools.partial(scale, "x")).parameters["properties"] == {
        "factor": {"type": "integer", "default": 2}
    }
    assert from_runtime(functools.partial(scale, "x")).description == "Scale it."
    assert from_runtime(Greeter()).parameters["required"] == ["name"]
    assert from_runtime(Greeter()).description == "Greet."


@pytest.mark.parametrize(
    "source",
    [
        "A = 'A'\ndef f(x: A = 1): ...\n",
        "A = B\nB = A\ndef f(x: A = A): ...\n",
        "def f(x: ''): ...\n",
        "def f(x: list[()]): ...\n",
        "def f(x=10 ** 10 ** 10): ...\n",
        "A = 2 ** 64\nB = A ** 64\nC = B ** 64\ndef f(x: int = C): ...\n",
        "def f(x=1 // 0): ...\n",
        "A0 = [1]\n" + "".join(f"A{n} = [A{n - 1}, A{n - 1}]\n" for n in range(1, 60)) + "def f(x=A59): ...\n",
        "A0 = 'x'\n" + "".join(f"A{n} = f'{{A{n - 1}}}{{A{n - 1}}}'\n" for n in range(1, 60)) + "def f(x=A39): ...\n",
        "A0 = int\n" + "".join(f"A{n} = dict[A{n - 1}, A{n - 1}]\n" for n in range(1, 60)) + "def f(x: A29): ...\n",
        "class C0: ...\n"
        + "".join(f"class C{n}(C{n - 1}, C{n - 1}): ...\n" for n in range(1, 60))
        + "def f(x: C59): ...\n",
        "class A(B): ...\nclass B(A): ...\ndef f(x: A): ...\n",
        "import enum\nclass A(A, enum.Enum):\n    X = A.X\ndef f(x: A = A.X): ...\n",
        "from pydantic import *\nclass A(BaseModel):\n    x: 'B'\n"
        "class B(A):\n    y: int = Field(A.x.y)\ndef f(x: B): ...\n",
        "def f(x: Annotated): ...\ndef g(x: Annotated[()]): ...\n",
        "def f(x: 1 + 2): ...\n",
        "def f(x: (lambda: 1)): ...\n",
        "def f(x: " + "list[" * 60 + "int" + "]" * 60 + "): ...\n",
    ],
)
def test_reading_source_never_raises(source: str) -> None:
    schema = statically(source)
    json.dumps(schema.parameters)


def test_an_annotation_that_raises_anything_at_run_time_loses_only_itself() -> None:
    schema = live("from __future__ import annotations\ndef f(a: 1 / 0, b: int): ...\n")
    assert schema.parameters["properties"] == {"a": {}, "b": {"type": "integer"}}


def test_names_that_come_with_a_star_from_known_modules_are_known() -> None:
    schema = both(
        "from dataclasses import *\nfrom datetime import *\nfrom decimal import *\nfrom enum import *\n"
        "from pathlib import *\nfrom uuid import *\nfrom pydantic import *\n"
        "class Color(Enum):\n    RED = 'red'\nclass Level(IntEnum):\n    LOW = auto()\n"
        "@dataclass\nclass Box:\n    a: int = field(default=1)\nclass Order(BaseModel):\n    n: int = Field(ge=1)\n"
        "def f(a: datetime, b: date, c: timedelta, d: Path, e: UUID, g: Decimal, h: Color, i: Level, j: Box, k: Order):"
        " ...\n"
    )
    assert schema.problems == ()
    shown = schema.parameters["properties"]
    assert [shown[name]["format"] for name in "abcdeg"] == ["date-time", "date", "duration", "path", "uuid", "decimal"]
    assert (shown["h"]["enum"], shown["i"]["enum"]) == (["red"], [1])
    assert shown["k"]["properties"]["n"] == {"type": "integer", "minimum": 1}
