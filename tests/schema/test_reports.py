"""What went wrong in public in other converters of functions to schemas, one test for each report."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest

from adal_ls.schema import ToolSchema
from adal_ls.worker.arguments import Signature
from tests.schema.reading import both, imported


def described(schema: ToolSchema) -> dict[str, str]:
    return {
        name: each["description"] for name, each in schema.parameters["properties"].items() if "description" in each
    }


def read(signature: str, doc: str = "", head: str = "from typing import *\n") -> ToolSchema:
    text = textwrap.indent(textwrap.dedent(doc).strip(), "    ").strip()
    return both(f'{head}def f({signature}):\n    r"""{text}\n    """\n')


def bound(source: str, arguments: dict[str, object]) -> dict[str, Any]:
    with imported(source) as module:
        return Signature("f", module.f).bind(arguments)[1]


def test_keyword_args_and_other_parameters_describe_parameters() -> None:
    # https://github.com/openai/openai-agents-python/issues/4985
    google = read(
        "query: str, *, limit: int = 10",
        """
        Search the wiki.

        Args:
            query: What to look for.

        Keyword Args:
            limit: How many hits.
        """,
    )
    numpy = read(
        "query: str, *, limit: int = 10",
        """
        Search the wiki.

        Parameters
        ----------
        query : str
            What to look for.

        Other Parameters
        ----------------
        limit : int, default 10
            How many hits.
        """,
    )
    assert described(google) == described(numpy) == {"query": "What to look for.", "limit": "How many hits."}
    assert google.description == numpy.description == "Search the wiki."


def test_a_docstring_may_start_with_args() -> None:
    # https://github.com/openai/openai-agents-python/pull/3795
    schema = read("city: str", "Args:\n    city: Where.\n\nReturns:\n    The weather.")
    assert (schema.description, described(schema)) == ("", {"city": "Where."})


def test_no_blank_line_is_needed_before_args() -> None:
    # https://github.com/openai/openai-agents-python/pull/3832
    schema = read("city: str", "Get the weather.\nArgs:\n    city: Where.\nReturns:\n    The weather.")
    assert (schema.description, described(schema)) == ("Get the weather.", {"city": "Where."})


def test_texts_of_several_lines_and_numpy_parameters_without_types_are_read_whole() -> None:
    # https://github.com/run-llama/llama_index/issues/22687
    schema = read(
        "mode: str, top: int = 5",
        """
        Make a digest.

        Args:
            mode (str): One of:
                - "brief": titles only
                - "full": whole text
            top: How many hits to show,
                counted per folder.
        """,
    )
    assert described(schema) == {
        "mode": 'One of:\n- "brief": titles only\n- "full": whole text',
        "top": "How many hits to show,\ncounted per folder.",
    }
    numpy = read(
        "mode: str, top: int = 5, *, deep: bool = False, wide: bool = False",
        """
        Make a digest.

        Parameters
        ----------
        mode
            One of brief or full.
        top : int, optional
            How many hits to show,
            counted per folder.

            Not more than 20.
        deep, wide : bool
            Where to look.
        """,
    )
    assert numpy.description == "Make a digest."
    assert described(numpy) == {
        "mode": "One of brief or full.",
        "top": "How many hits to show,\ncounted per folder.\n\nNot more than 20.",
        "deep": "Where to look.",
        "wide": "Where to look.",
    }


def test_types_in_the_docstring_are_no_part_of_the_text() -> None:
    # https://github.com/huggingface/smolagents/issues/1073
    schema = read(
        "a: int, b: str = 'x', c: dict = {}",
        """
        Do it.

        Args:
            a (`int`): first number
            b (str, *optional*, defaults to `"x"`): the label
            c (dict[str, tuple[int, ...]] (or None)): more
        """,
    )
    assert described(schema) == {"a": "first number", "b": "the label", "c": "more"}


def test_a_returns_section_after_typed_arguments_is_no_argument() -> None:
    # https://github.com/langchain-ai/langchain/issues/26430
    schema = read("a: int", "Do it.\n\nArgs:\n    a (int): first number\n\nReturns:\n    int: it")
    assert (schema.description, described(schema)) == ("Do it.", {"a": "first number"})


@pytest.mark.parametrize("hint", ["str", "str | None", "Optional[str]"])
@pytest.mark.parametrize("text", ['{"x": 1}', "[1, 2]", "123", "null", "true"])
def test_text_that_looks_like_json_stays_text(hint: str, text: str) -> None:
    # https://github.com/modelcontextprotocol/python-sdk/issues/1873, https://github.com/PrefectHQ/fastmcp/issues/251
    assert bound(f"from typing import *\ndef f(a: {hint} = ''): ...\n", {"a": text}) == {"a": text}


@pytest.mark.parametrize("hint", ["Optional[int]", "int | None", "Union[None, int]"])
def test_an_optional_number_is_a_number_and_not_text(hint: str) -> None:
    # https://github.com/awslabs/mcp/issues/2354
    schema = read(f"a: {hint} = None")
    assert schema.parameters["properties"]["a"] == {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None}


@pytest.mark.parametrize(
    "doc",
    [
        ":param a: first number\n:param b: the label",
        "Parameters\n----------\na : int\n    first number\nb : str\n    the label",
        "Args:\n    a: first number\n    b: the label",
    ],
)
def test_a_docstring_is_read_alike_whether_the_compiler_dedents_it_or_not(doc: str) -> None:
    # https://github.com/mkdocstrings/griffe/issues/329: Python 3.13 does
    expected = {"a": "first number", "b": "the label"}
    assert described(read("a: int, b: str", f"Do it.\n\n{doc}")) == expected
    flat = both(f'def f(a: int, b: str):\n  """Do it.\n\n{doc}\n"""\n')
    assert (flat.description, described(flat)) == ("Do it.", expected)


def test_stars_in_a_numpy_section_are_read_and_leak_nowhere() -> None:
    # https://github.com/mkdocstrings/griffe/issues/43
    schema = read(
        "a: int, *args: str, **kwargs: int",
        r"""
        Do it.

        Parameters
        ----------
        a : int
            first number
        *args : str
            more
        \**kwargs
            and more
        """,
    )
    assert (schema.description, described(schema)) == ("Do it.", {"a": "first number"})


def test_numbers_and_truth_values_sent_as_text_are_taken_for_what_they_are() -> None:
    # https://github.com/jgravelle/jcodemunch-mcp/pull/135
    source = "def f(top: int, deep: bool, part: float = 1.0): ...\n"
    assert bound(source, {"top": "5", "deep": "false", "part": "0.5"}) == {"top": 5, "deep": False, "part": 0.5}


@pytest.mark.parametrize("future", ["", "from __future__ import annotations\n"])
def test_a_default_inside_the_annotation_is_a_default(future: str) -> None:
    # https://github.com/homeassistant-ai/ha-mcp/pull/2328
    source = future + (
        "from typing import Annotated\nfrom pydantic import Field\n"
        "def f(top: Annotated[int, Field(default=0)], names: Annotated[list, Field(default_factory=list)]): ...\n"
    )
    schema = both(source)
    assert schema.parameters["required"] == []
    assert schema.parameters["properties"]["top"] == {"type": "integer", "default": 0}
    assert bound(source, {}) == {"top": 0, "names": []}


def test_stars_never_become_required() -> None:
    # https://github.com/run-llama/llama_index/issues/22134
    schema = read("query: str, *tags: str, **opts")
    assert list(schema.parameters["properties"]) == schema.parameters["required"] == ["query"]
    assert [problem.parameter for problem in schema.problems] == ["*tags", "**opts"]
    assert read("args: str, kwargs: str").parameters["required"] == ["args", "kwargs"]


def test_postponed_annotations_can_be_called() -> None:
    # https://github.com/crewAIInc/crewAI/issues/7623
    source = (
        "from __future__ import annotations\nfrom pathlib import Path\nfrom typing import Literal, Optional\n"
        "def f(mode: Literal['fast', 'slow'], limit: Optional[int] = None, where: Path = Path('.')): ...\n"
    )
    schema = both(source)
    assert schema.parameters["required"] == ["mode"]
    assert schema.parameters["properties"]["where"] == {"type": "string", "format": "path", "default": "."}
    assert bound(source, {"mode": "fast"}) == {"mode": "fast"}


def test_literals_enums_and_unions_keep_what_they_allow() -> None:
    # https://github.com/openonion/connectonion/issues/373
    source = (
        "from enum import Enum\nfrom typing import Literal, Union\n"
        "class Env(Enum):\n    DEV = 'dev'\n    PROD = 'prod'\n"
        "def f(env: Env, level: Literal[1, 2, 3], key: Union[str, int]): ...\n"
    )
    assert both(source).parameters["properties"] == {
        "env": {"type": "string", "enum": ["dev", "prod"]},
        "level": {"type": "integer", "enum": [1, 2, 3]},
        "key": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
    }
    with imported(source) as module:
        _, arguments = Signature("f", module.f).bind({"env": "prod", "level": 2, "key": "k"})
        assert arguments["env"] is module.Env.PROD


@pytest.mark.parametrize("hint", ["list", "List", "typing.List", "Optional[list]", "list[list]", "Sequence", "set"])
def test_every_array_says_what_it_holds(hint: str) -> None:
    # https://github.com/pydantic/pydantic-ai/pull/5570: providers answer 400 to an array without items
    def arrays(schema: Any) -> list[dict[str, Any]]:
        if isinstance(schema, list):
            return [found for item in schema for found in arrays(item)]
        if not isinstance(schema, dict):
            return []
        own = [schema] if schema.get("type") == "array" else []
        return own + [found for value in schema.values() for found in arrays(value)]

    found = arrays(read(f"a: {hint}", head="import typing\nfrom typing import *\n").parameters)
    assert found
    assert all("items" in array for array in found)


def test_names_of_model_attributes_are_plain_parameters() -> None:
    # https://github.com/PrefectHQ/prefect/issues/6031
    names = ["schema", "json", "copy", "validate", "model_config", "dict", "construct"]
    assert list(read(", ".join(f"{name}: str" for name in names)).parameters["properties"]) == names


def test_what_is_not_for_the_model_does_not_leak() -> None:
    # https://github.com/pab1it0/prometheus-mcp-server/pull/95
    schema = read("self, q: str")
    assert list(schema.parameters["properties"]) == ["q"]
    assert [problem.kind for problem in schema.problems] == ["self"]


def test_parameters_with_a_default_are_not_required() -> None:
    # https://github.com/ollama/ollama-python/pull/666
    schema = read("city: str, units: str = 'celsius'")
    assert schema.parameters["required"] == ["city"]
    assert schema.parameters["properties"]["units"]["default"] == "celsius"
