"""The static schema equals the runtime schema, on generated signatures and docstrings."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.schema.reading import both

NAMES = ["a", "b", "schema", "json", "copy", "limit", "naïve", "args", "kwargs"]

literal_values = st.one_of(
    st.integers(-5, 5).map(repr), st.sampled_from(["'x'", "'yes'", '"ü"', "True", "False", "None", "''"])
)
numbers = st.integers(-3, 9)
fields = st.one_of(
    st.tuples(st.sampled_from(["ge", "gt", "le", "lt", "multiple_of", "max_length"]), numbers.map(abs)).map(
        lambda pair: f"{pair[0]}={pair[1] + 1}"
    ),
    st.sampled_from(
        ["description='of a Field'", "pattern='^a'", "alias='b'", "title='T'", "strict=True", "min_length=0"]
    ),
)


def _field(arguments: list[str]) -> str:
    by_name = {argument.partition("=")[0]: argument for argument in arguments}
    return f"Field({', '.join(by_name.values())})"


field_calls = st.lists(fields, max_size=3).map(_field)
field_defaults = st.tuples(
    st.lists(fields, max_size=2),
    st.sampled_from(
        ["default=3", "default=None", "default=...", "default_factory=list", "default='x'", "default=Color.RED"]
    ),
).map(lambda pair: _field([*pair[0], pair[1]]))
leaves = st.one_of(
    st.sampled_from(
        ["str", "int", "float", "bool", "None", "Any", "object", "t.Any", "list", "List", "dict", "Dict", "set"]
    ),
    st.sampled_from(
        [
            "tuple",
            "Sequence",
            "Path",
            "datetime",
            "Color",
            "Mode",
            "Thing",
            "NoSuch",
            "bytes",
            "typing.Text",
            "Place",
            "Box",
            "Order",
            "Tree",
            "Broken",
            "UserId",
            "Bounded",
            "Count",
            "Decimal",
            "pydantic.PositiveInt",
        ]
    ),
    st.lists(literal_values, min_size=1, max_size=4).map(lambda values: f"Literal[{', '.join(values)}]"),
)


def _deeper(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        inner.map("Optional[{}]".format),
        inner.map("list[{}]".format),
        inner.map("t.List[{}]".format),
        inner.map("Sequence[{}]".format),
        inner.map("tuple[{}, ...]".format),
        inner.map("Set[{}]".format),
        inner.map("Dict[str, {}]".format),
        inner.map("Annotated[{}, 'a text']".format),
        st.tuples(inner, field_calls).map(lambda pair: f"Annotated[{pair[0]}, {pair[1]}]"),
        st.tuples(inner, inner).map(lambda pair: f"dict[{pair[0]}, {pair[1]}]"),
        st.tuples(inner, inner).map(lambda pair: f"Union[{pair[0]}, {pair[1]}]"),
        st.tuples(inner, inner).map(lambda pair: f"{pair[0]} | {pair[1]}"),
        st.tuples(inner, inner).map(lambda pair: f"tuple[{pair[0]}, {pair[1]}]"),
    )


hints: st.SearchStrategy[str] = st.recursive(leaves, _deeper, max_leaves=5) | st.tuples(leaves, field_defaults).map(
    lambda pair: f"Annotated[{pair[0]}, {pair[1]}, 'a text']"
)
plain_defaults = st.sampled_from(
    [
        "None",
        "True",
        "0",
        "-1",
        "1.5",
        "'x'",
        "[]",
        "[1, (2, 3)]",
        "{}",
        "{'k': [None]}",
        "{1: 2}",
        "LIMIT",
        "LIMIT * 2",
        "b'x'",
        "Path('.')",
        "Path('a', 'b')",
        "Color.RED",
        "Color.RED.value",
        "Decimal('1.5')",
        "f'{LIMIT} x'",
        "object()",
    ]
)
defaults = st.one_of(plain_defaults, field_calls, field_defaults)
words = st.text(alphabet="abc äß:()*-\t'", max_size=12)


@st.composite
def parameters(draw: st.DrawFn) -> tuple[str, list[str]]:
    names = draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=5))
    split = draw(st.integers(0, len(names)))
    parts: list[str] = []
    must_default = False
    for index, name in enumerate(names):
        text = name
        if draw(st.booleans()):
            text += f": {draw(hints)}"
        keyword_only = index >= split
        if (must_default and not keyword_only) or draw(st.booleans()):
            text += f" = {draw(defaults)}"
            must_default = must_default or not keyword_only
        parts.append(text)
    head, tail = parts[:split], parts[split:]
    star = ["*" + draw(st.sampled_from(("", "rest", "many: int")))]
    if star == ["*"] and not tail:
        star = []
    slash: bool = draw(st.booleans())
    if head and slash:
        head.append("/")
    ends: list[list[str]] = [[], ["**more"], ["**opts: str"]]
    end = draw(st.sampled_from(ends))
    return ", ".join([*head, *star, *tail, *end]), names


@st.composite
def docstrings(draw: st.DrawFn, names: list[str]) -> str:
    lines = [draw(words)]
    for _ in range(draw(st.integers(0, 3))):
        section = draw(
            st.sampled_from(
                [
                    "Args:",
                    "Arguments:",
                    "Keyword Args:",
                    "Returns:",
                    "Raises:",
                    "Note:",
                    "free text",
                    "",
                    "Parameters\n    ----------",
                    "Other Parameters\n    ----------------",
                    "Returns\n    -------",
                ]
            )
        )
        lines.append("    " + section)
        for name in draw(st.lists(st.sampled_from([*names, "unknown"]), max_size=3)):
            entry = draw(
                st.sampled_from(
                    [
                        "{n}: {w}",
                        "{n} (int, optional): {w}",
                        "*{n}: {w}",
                        "{n}",
                        "- {n}: {w}",
                        ":param {n}: {w}",
                        ":param int {n}: {w}",
                        "@param {n}: {w}",
                        ":type {n}: int",
                        "{n} : int",
                        "{n}, {n} : str\n            {w}",
                        "`{n}`: {w}",
                    ]
                )
            )
            lines.append("        " + entry.format(n=name, w=draw(words)))
            lines.extend(
                draw(
                    st.sampled_from([[], [""], ["            more: text"], ["            - one", "            - two"]])
                )
            )
    lines.append(draw(st.sampled_from(["", "    "])))
    return "\n".join(lines)


@st.composite
def functions(draw: st.DrawFn) -> str:
    signature, names = draw(parameters())
    doc = draw(st.none() | docstrings(names))
    body = "    ...\n" if doc is None else f"    {doc!r}\n" if draw(st.booleans()) else f'    """{doc}\n    """\n'
    prefix = draw(st.sampled_from(["def", "async def"]))
    return (
        "from __future__ import annotations\n"
        "import enum, pydantic, typing, typing as t\n"
        "from dataclasses import dataclass, field\nfrom decimal import Decimal\nfrom pydantic import BaseModel, Field\n"
        "from datetime import datetime\n"
        "from pathlib import Path\n"
        "from typing import Annotated, Any, Dict, List, Literal, NewType, Optional\n"
        "from typing import Sequence, Set, TypedDict, TypeVar, Union\n"
        "class Color(enum.Enum):\n    RED = 'red'\n    BLUE = 'blue'\n"
        "class Thing: ...\n"
        "class Place(TypedDict):\n    x: int\n    near: 'Optional[Place]'\n"
        "@dataclass\nclass Box:\n    a: int\n    b: Color = Color.RED\n    c: list[str] = field(default_factory=list)\n"
        "class Order(BaseModel):\n    box: Box\n"
        "    name: Annotated[str, Field(max_length=3)] = Field('x', description='who')\n"
        "class Tree(BaseModel):\n    kids: list[Tree] = []\n"
        "class Broken(TypedDict):\n    order: Order\n    thing: Thing\n"
        "UserId = NewType('UserId', int)\nBounded = TypeVar('Bounded', bound=Color)\n"
        "Count = Annotated[int, Field(ge=0)]\n"
        "Mode = Literal['fast', 'slow']\n"
        "LIMIT = 5\n"
        f"{prefix} f({signature}):\n{body}"
    )


@given(functions())
@settings(max_examples=100, deadline=None)
def test_both_readers_give_the_same_schema(source: str) -> None:
    both(source)
