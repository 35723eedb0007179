from __future__ import annotations

import pytest

from adal_ls.lint import Severity, check, read
from adal_ls.schema import from_runtime
from tests.lint.marks import check as check_marked
from tests.lint.marks import codes, fixed, marked, only
from tests.schema.reading import imported


def tool(parameters: str, head: str = "", body: str = "    return ''\n") -> str:
    return f"{head}def f({parameters}) -> str:\n    'Do f.'\n{body}\n\nCUSTOM_TOOLS = [f]\n"


def test_star_parameters_are_one_warning_on_the_first() -> None:
    # https://github.com/run-llama/llama_index/issues/22134
    [finding] = check_marked(
        """
def find_pages(query: str, *tags: str, **opts) -> str:
#                           ^^^^ ADAL301
    'Search the team wiki.'
    return query


CUSTOM_TOOLS = [find_pages]
"""
    )
    assert finding.severity is Severity.WARNING
    assert "'*tags' and '**opts'" in finding.message


def test_parameters_that_are_only_named_args_and_kwargs_are_fine() -> None:
    assert codes(tool("args: str, kwargs: str")) == []


def test_positional_only_parameters_are_a_hint_and_keyword_only_ones_are_fine() -> None:
    finding = only(tool("a: str, b: str, /, c: str"), "ADAL302")
    assert finding.severity is Severity.HINT
    assert "'a' and 'b'" in finding.message
    assert codes(tool("*, a: str")) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a: str, /, b: str", "a: str, b: str"),
        ("a: str, b: int = (1), /", None),
        ("a: str = 'x' ,\n      /,\n      *, b: str", "a: str = 'x',\n      *, b: str"),
        ("a: str, /", "a: str"),
        ("a: str, /, **rest", None),
    ],
)
def test_the_slash_can_be_taken_out(before: str, after: str | None) -> None:
    source = tool(before)
    fixes = only(source, "ADAL302").fixes
    assert [fixed(source, fix) for fix in fixes] == ([tool(after)] if after is not None else [])


def test_all_parameters_without_a_type_are_named_in_one_hint() -> None:
    source = tool("a, b: str, c, d=5")
    finding = only(source, "ADAL303")
    assert finding.severity is Severity.HINT
    assert marked(source, finding) == "a"
    assert "'a', 'c' and 'd'" in finding.message


def test_a_default_tells_the_type_to_write() -> None:
    source = tool("a='x', b = 5,\r\n      c=True, d=None, e=[]").replace("\n", "\r\n")
    finding = only(source, "ADAL303")
    assert "f(a: str = 'x', b: int = 5," in fixed(source, finding.fixes[0])
    assert "c: bool = True, d=None, e=[]" in fixed(source, finding.fixes[0])


@pytest.mark.parametrize(
    ("head", "hint", "advice"),
    [
        ("", "list", "list[str]"),
        ("", "dict", "dict[str, str]"),
        ("", "list | None", "list[str]"),
        ("from typing import Optional\n", "Optional[dict]", "dict[str, str]"),
        ("from typing import List\n", "List", "List[str]"),
        ("import typing as t\n", "t.Annotated[t.Dict, 'a text']", "Dict[str, str]"),
        ("", "'list'", "list[str]"),
    ],
)
def test_a_bare_container_is_asked_what_it_holds(head: str, hint: str, advice: str) -> None:
    # https://github.com/pydantic/pydantic-ai/pull/5570
    finding = only(tool(f"a: {hint}", head), "ADAL304")
    assert finding.severity is Severity.HINT
    assert finding.message == f"Say what 'a' holds, e.g. {advice}"


@pytest.mark.parametrize("hint", ["list[str]", "list[dict]", "dict[str, list]", "str", "Sequence"])
def test_containers_that_say_what_they_hold_are_fine(hint: str) -> None:
    assert "ADAL304" not in codes(tool(f"a: {hint}", "from collections.abc import Sequence\n"))


def test_a_name_that_the_file_gives_to_something_else_is_not_the_builtin() -> None:
    assert "ADAL304" not in codes(tool("a: list", "from pack import list\n"))


@pytest.mark.parametrize(
    ("head", "hint", "words"),
    [
        ("", "'NoSuchType'", "'NoSuchType' is not defined"),
        ("", "NoSuchType", "'NoSuchType' is not defined"),
        ("", "list['NoSuchType']", "'NoSuchType' is not defined"),
        ("", "'no such type'", "'no such type' is no type"),
        (
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from pack import Desk\n",
            "Desk",
            "under TYPE_CHECKING only",
        ),
    ],
)
def test_a_type_that_does_not_exist_at_run_time_is_a_warning_on_the_hint(head: str, hint: str, words: str) -> None:
    source = tool(f"a: {hint}", head)
    finding = only(source, "ADAL305")
    assert finding.severity is Severity.WARNING
    assert marked(source, finding) == hint
    assert words in finding.message
    assert "ADAL306" not in codes(source)


@pytest.mark.parametrize(
    ("head", "hint"),
    [
        ("from pack import Desk\n", "Desk"),
        ("from pack import *\n", "Desk"),
        ("from typing import Literal\n", "Literal['a b', 'c']"),
        ("from typing import Annotated\n", "Annotated[str, 'no type at all']"),
        ("try:\n    from a import Desk\nexcept ImportError:\n    Desk = dict\n", "Desk"),
        ("from __future__ import annotations\nimport pack\n", "pack.models.Desk | None"),
        ("class Desk:\n    x: int\n    def __init_subclass__(cls): ...\nclass Table(Desk): ...\n", "Table"),
        ("import dataclasses\n@dataclasses.dataclass\nclass Desk:\n    x: int\n", "Desk"),
        ("from datetime import datetime\nfrom pathlib import Path\n", "datetime | Path"),
    ],
)
def test_types_that_cannot_be_judged_from_here_are_left_alone(head: str, hint: str) -> None:
    assert not {"ADAL305", "ADAL306"} & set(codes(tool(f"a: {hint}", head)))


@pytest.mark.parametrize(
    ("head", "hint", "what"),
    [
        ("from collections.abc import Callable\n", "Callable[[str], str]", "Callable"),
        ("import typing\n", "typing.Iterator[str]", "typing.Iterator"),
        ("import logging\n", "logging.Logger", "logging.Logger"),
        ("import pandas as pd\n", "pd.DataFrame", "pd.DataFrame"),
        ("", "complex", "complex"),
        ("", "any", "typing.Any"),
        ("class Desk:\n    pass\n", "list[Desk]", "Desk"),
    ],
)
def test_a_type_that_json_cannot_hold_is_a_warning(head: str, hint: str, what: str) -> None:
    source = tool(f"a: {hint}", head)
    finding = only(source, "ADAL306")
    assert finding.severity is Severity.WARNING
    assert marked(source, finding) == hint
    assert what in finding.message


@pytest.mark.parametrize(
    ("head", "before", "after"),
    [
        ("", "a: str = None", "a: str | None = None"),
        ("", "a: list[str]=None", "a: list[str] | None=None"),
        ("from typing import Optional\nX: Optional[int] = 1\n", "a: str = None", "a: Optional[str] = None"),
        ("", "a: str = None, b: int = 1, c: dict[str, str] = None", "a: str | None = None, b: int = 1"),
    ],
)
def test_a_default_of_none_belongs_into_the_type(head: str, before: str, after: str) -> None:
    source = tool(before, head)
    finding = only(source, "ADAL307")
    assert finding.severity is Severity.HINT
    mended = fixed(source, finding.fixes[0])
    assert after in mended
    assert "ADAL307" not in codes(mended)
    assert [t.parameters for t in read(source).tools] == [t.parameters for t in read(mended).tools]


@pytest.mark.parametrize(
    "parameter",
    [
        "a: Optional[str] = None",
        "a: 'str | None' = None",
        "a: Any = None",
        "a: Annotated[str | None, 'x'] = None",
        "a: Literal['x', None] = None",
        "a: Unknown = None",
        "a=None",
        "a: str = ''",
    ],
)
def test_a_type_that_has_none_or_may_have_it_is_fine(parameter: str) -> None:
    head = "from typing import Annotated, Any, Literal, Optional\nfrom pack import Unknown\n"
    assert "ADAL307" not in codes(tool(parameter, head))


def test_a_real_signature_with_many_of_them_has_one_hint() -> None:
    # https://github.com/GongRzhe/Office-Word-MCP-Server/blob/568d8d8a1f/word_document_server/main.py
    source = (
        "def add_note(folder: str, color: str = None, tag: str = None):\n"
        '    """Put a note into a folder. Args: folder (str), color (str, optional)."""\n'
        "    return folder\n\n\nCUSTOM_TOOLS = [add_note]\n"
    )
    [finding] = check(read(source))
    assert (finding.code, finding.severity) == ("ADAL307", Severity.HINT)


@pytest.mark.parametrize("default", ["[]", "{}", "{1}", "list()", "[x for x in 'ab']"])
def test_a_mutable_default_is_a_hint(default: str) -> None:
    source = tool(f"a: list[str] = {default}")
    finding = only(source, "ADAL308")
    assert (finding.severity, marked(source, finding)) == (Severity.HINT, "a")


@pytest.mark.parametrize("default", ["()", "frozenset()", "Field(default=5)", "None"])
def test_other_defaults_are_not_mutable(default: str) -> None:
    assert "ADAL308" not in codes(tool(f"a: tuple[str, ...] | None = {default}", "from pydantic import Field\n"))


WITHOUT_SCHEMA = """\
import abc
import enum
from collections import namedtuple
from typing import Optional, Protocol, TypedDict


class Sized(Protocol):
    size: int


class Base(abc.ABC): ...


class Pair(enum.Enum):
    ONE = (1, 2)


class Empty(enum.Enum): ...


class Inner(TypedDict):
    base: Base


Point = namedtuple("Point", "x y")
"""


@pytest.mark.parametrize(
    ("hint", "words"),
    [
        ("Sized", "Sized"),
        ("Optional[Base]", "Base"),
        ("list[Pair]", "Pair, whose values JSON cannot hold"),
        ("Empty", "Empty, which has no values"),
        ("Inner", "Inner.base: Base"),
        ("Point", "namedtuple('Point', 'x y')"),
        ("5", "5"),
        ("[int]", "[int]"),
        ("(int, str)", "(int, str)"),
        ("list[5]", "5"),
        ("lambda: int", "lambda: int"),
    ],
)
def test_a_type_of_the_file_that_certainly_has_no_schema_is_told_where_it_stands(hint: str, words: str) -> None:
    source = tool(f"a: {hint}, b: int", WITHOUT_SCHEMA)
    finding = only(source, "ADAL306")
    assert marked(source, finding) == hint
    assert f"has no JSON Schema here ({words})" in finding.message
    with imported(source) as module:
        (problem,) = from_runtime(module.f).problems
    assert (problem.parameter, problem.kind) == ("a", "type")


@pytest.mark.parametrize(
    "head",
    [
        "from pack import Row\n",
        "from pack import Base\nclass Row(Base):\n    a: int\n",
        "from pack import model\n@model\nclass Row:\n    a: int\n",
        "from pack import Meta\nclass Row(metaclass=Meta):\n    a: int\n",
        "from pack import Part\nfrom typing import TypedDict\nclass Row(TypedDict):\n    part: Part\n",
        "from enum import Enum\nclass Row(Enum):\n    A = open('a').read()\n",
        "from pack import make\nRow = make()\n",
    ],
)
def test_a_type_that_may_have_a_schema_is_left_alone(head: str) -> None:
    assert "ADAL306" not in codes(tool("a: Row", head))


@pytest.mark.parametrize("parameter", ["ctx", "ctx: Context", "context", "context: Context", "ctx: dict"])
def test_a_context_object_as_the_first_parameter_is_a_warning(parameter: str) -> None:
    # https://github.com/pab1it0/prometheus-mcp-server/pull/95
    source = tool(f"{parameter}, q: str", "from mcp.server.fastmcp import Context\n")
    [finding] = check(read(source))
    assert (finding.code, finding.severity) == ("ADAL309", Severity.WARNING)
    assert "tool provider" in finding.message


@pytest.mark.parametrize("parameters", ["context: str", "context: list[str]", "q: str, ctx: str", "ctx_id: str"])
def test_data_with_a_similar_name_is_a_parameter_like_any_other(parameters: str) -> None:
    assert codes(tool(parameters)) == []


def test_the_signature_of_a_function_that_is_no_tool_does_not_matter() -> None:
    assert codes("def _helper(ctx, *a, b: Nowhere = None, c=[]): ...\n" + tool("a: str")) == []


def test_both_branches_of_a_conditional_definition_are_looked_at() -> None:
    source = (
        "try:\n    import fancy\n\n    def f(x: str) -> str:\n        'Do f.'\n        return x\n\n"
        "except ImportError:\n\n    def f(x: list) -> str:\n        'Do f.'\n        return ''\n\n\n"
        "CUSTOM_TOOLS = [f]\n"
    )
    assert codes(source) == ["ADAL304"]


def test_the_bound_method_of_an_object_is_looked_at_without_its_first_parameter() -> None:
    source = "class Desk:\n    def find(me, x: list) -> str:\n        'Find.'\n        return ''\n\n\n"
    [finding] = check(read(source + "desk = Desk()\nCUSTOM_TOOLS = [desk.find]\n"))
    assert (finding.code, finding.message) == ("ADAL304", "Say what 'x' holds, e.g. list[str]")
