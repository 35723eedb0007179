"""The static schema equals the runtime schema, on generated signatures and docstrings."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.schema.reading import both

NAMES = ["a", "b", "schema", "json", "copy", "limit", "naïve", "args", "kwargs"]

literal_values = st.one_of(
    st.integers(-5, 5).map(repr), st.sampled_from(["'x'", "'yes'", '"ü"', "True", "False", "None", "''"])
)
leaves = st.one_of(
    st.sampled_from(
        ["str", "int", "float", "bool", "None", "Any", "object", "t.Any", "list", "List", "dict", "Dict", "set"]
    ),
    st.sampled_from(
        ["tuple", "Sequence", "Path", "datetime", "Color", "Mode", "Thing", "NoSuch", "bytes", "typing.Text"]
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
        st.tuples(inner, inner).map(lambda pair: f"dict[{pair[0]}, {pair[1]}]"),
        st.tuples(inner, inner).map(lambda pair: f"Union[{pair[0]}, {pair[1]}]"),
        st.tuples(inner, inner).map(lambda pair: f"{pair[0]} | {pair[1]}"),
        st.tuples(inner, inner).map(lambda pair: f"tuple[{pair[0]}, {pair[1]}]"),
    )


hints: st.SearchStrategy[str] = st.recursive(leaves, _deeper, max_leaves=5)
defaults = st.sampled_from(
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
    ]
)
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
            st.sampled_from(["Args:", "Arguments:", "Keyword Args:", "Returns:", "Raises:", "Note:", "free text", ""])
        )
        lines.append("    " + section)
        for name in draw(st.lists(st.sampled_from([*names, "unknown"]), max_size=3)):
            entry = draw(st.sampled_from(["{n}: {w}", "{n} (int, optional): {w}", "*{n}: {w}", "{n}", "- {n}: {w}"]))
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
        "import enum, typing, typing as t\n"
        "from datetime import datetime\n"
        "from pathlib import Path\n"
        "from typing import Annotated, Any, Dict, List, Literal, Optional, Sequence, Set, Union\n"
        "class Color(enum.Enum):\n    RED = 'red'\n    BLUE = 'blue'\n"
        "class Thing: ...\n"
        "Mode = Literal['fast', 'slow']\n"
        "LIMIT = 5\n"
        f"{prefix} f({signature}):\n{body}"
    )


@given(functions())
@settings(max_examples=200, deadline=None)
def test_both_readers_give_the_same_schema(source: str) -> None:
    both(source)
