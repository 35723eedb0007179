"""CUSTOM_TOOLS: which entries become tools, and what is said of the others."""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Iterator
from typing import Any

import pytest

from adal_ls.worker.data import LoadProblem
from adal_ls.worker.listing import ABSENT, ListedTool, read_custom_tools
from tests.worker.conftest import Loaded


def deploy(service: str) -> str:
    """Deploy a service."""
    return service


def other() -> None: ...


class Desk:
    def lookup(self, q: str) -> str:
        """Look up a person."""
        return q

    def __call__(self, q: str) -> str:
        """Ask the desk."""
        return q


def listed(value: object) -> tuple[dict[str, ListedTool], list[LoadProblem]]:
    tools, problems = read_custom_tools(value, "tools.py")
    return {tool.loaded.name: tool for tool in tools}, problems


def only_problem(value: object) -> LoadProblem:
    tools, problems = listed(value)
    assert tools == {}
    (problem,) = problems
    assert problem.left_out
    return problem


@pytest.mark.parametrize("value", ["text", {"function": deploy}, None, 5, deploy, {deploy}, frozenset({deploy})])
def test_s2_anything_but_a_list_or_tuple_gives_no_tools(value: object) -> None:
    assert "must be a list or a tuple" in only_problem(value).message


def test_s2_a_missing_list_is_told() -> None:
    assert "defines no CUSTOM_TOOLS" in only_problem(ABSENT).message


def test_s2_a_generator_is_told_and_not_consumed() -> None:
    def tools() -> Iterator[object]:
        yield deploy

    value = tools()
    assert "generator" in only_problem(value).message
    assert next(value) is deploy


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ("deploy", "must be a function or a dict"),
        (None, "must be a function or a dict, not None"),
        ({"name": "x"}, "no 'function' key"),
        ({"function": "deploy"}, "must be a function"),
        ({"function": None}, "must be a function or a dict, not None"),
        (Desk, "the class Desk"),
        ({"function": Desk, "name": "desk"}, "the class Desk"),
        (lambda x: x, "needs a name"),
        (functools.partial(deploy, "a"), "needs a name"),
        (Desk(), "needs a name"),
        ({"function": deploy, "name": 5}, "needs a name"),
        (Desk.lookup, "not bound to an object"),
    ],
)
def test_s2_an_entry_that_is_no_tool_is_left_out_and_the_others_stay(entry: object, text: str) -> None:
    tools, problems = listed((other, entry, deploy))
    assert list(tools) == ["other", "deploy"]
    (problem,) = problems
    assert text in problem.message
    assert problem.entry == 1


def test_s2_an_unknown_key_is_told_and_the_tool_stays() -> None:
    tools, problems = listed([{"function": deploy, "requires_approval": False}])
    assert tools["deploy"].loaded.require_approval is True
    assert "unknown key 'requires_approval'" in problems[0].message
    assert not problems[0].left_out


def test_s3_s5_name_and_description_can_be_overridden() -> None:
    tools, problems = listed([{"function": deploy, "name": "ship", "description": "Ship it."}, deploy])
    assert problems == []
    assert tools["ship"].loaded.description == "Ship it."
    assert tools["deploy"].loaded.description == "Deploy a service."
    assert tools["ship"].function is deploy


def test_a_description_that_is_no_text_falls_back_to_the_docstring() -> None:
    tools, problems = listed([{"function": deploy, "description": 5}])
    assert tools["deploy"].loaded.description == "Deploy a service."
    assert "description must be text" in problems[0].message


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("create-ticket", "ADAL101"),
        ("", "ADAL101"),
        ("1st", "ADAL101"),
        ("return", "ADAL102"),
        ("None", "ADAL102"),
        ("bash", "ADAL104"),
        ("read_file", "ADAL104"),
        ("\uff42ash", "ADAL104"),  # a wide b: the same name to Python
    ],
)
def test_s4_a_name_that_breaks_a_rule_is_left_out_with_its_code(name: str, code: str) -> None:
    problem = only_problem([{"function": deploy, "name": name}])
    assert (problem.code, problem.tool, problem.entry) == (code, name, 0)


def test_s4_every_entry_of_a_duplicated_name_is_left_out() -> None:
    tools, problems = listed([deploy, other, {"function": other, "name": "deploy"}])
    assert list(tools) == ["other"]
    assert [(problem.code, problem.entry, problem.left_out) for problem in problems] == [
        ("ADAL103", 0, True),
        ("ADAL103", 2, True),
    ]


def test_s4_names_that_differ_only_in_compatibility_form_are_duplicates() -> None:
    tools, problems = listed([{"function": deploy, "name": "ﬁle"}, {"function": other, "name": "file"}])
    assert tools == {}
    assert {problem.code for problem in problems} == {"ADAL103"}


def test_s4_the_same_entry_twice_counts_once() -> None:
    desk = Desk()
    tools, problems = listed([deploy, {"function": deploy}, desk.lookup, desk.lookup])
    assert list(tools) == ["deploy", "lookup"]
    assert [(problem.code, problem.entry, problem.left_out) for problem in problems] == [
        ("ADAL103", 1, False),
        ("ADAL103", 3, False),
    ]


def test_s4_the_same_function_with_other_settings_is_a_duplicate() -> None:
    tools, _ = listed([deploy, {"function": deploy, "require_approval": False}])
    assert tools == {}


@pytest.mark.parametrize("value", ["False", 0, None, "", [], 1.0])
def test_s6_only_the_literal_false_skips_the_question(value: object) -> None:
    # https://github.com/microsoft/vscode/issues/284980
    tools, problems = listed([{"function": deploy, "require_approval": value}])
    assert tools["deploy"].loaded.require_approval is True
    assert "require_approval must be True or False" in problems[0].message


def test_s11_false_skips_the_question() -> None:
    tools, problems = listed([{"function": deploy, "require_approval": False}])
    assert tools["deploy"].loaded.require_approval is False
    assert problems == []


def test_lambdas_partials_and_callable_objects_are_tools_under_a_given_name() -> None:
    entries: list[Any] = [lambda x: x, functools.partial(deploy, "a"), Desk(), Desk().lookup]
    tools, problems = listed([{"function": entry, "name": f"t{index}"} for index, entry in enumerate(entries)])
    assert problems == []
    assert list(tools) == ["t0", "t1", "t2", "t3"]
    assert tools["t2"].loaded.description == "Ask the desk."


def test_a_parameter_without_a_schema_is_told_and_the_tool_stays() -> None:
    def find(query: str, *tags: str, **opts: str) -> str:
        return query

    tools, problems = listed([find])
    assert list(tools["find"].loaded.parameters["properties"]) == ["query"]
    assert [problem.left_out for problem in problems] == [False, False]


def test_a_signature_that_cannot_be_read_leaves_only_that_tool_out() -> None:
    class Odd:
        @property
        def __signature__(self) -> object:
            raise RuntimeError("no")

        def __call__(self) -> None: ...

    tools, problems = listed([{"function": Odd(), "name": "odd"}, deploy])
    assert list(tools) == ["deploy"]
    assert "cannot be read" in problems[0].message


@pytest.mark.parametrize(
    "odd",
    [
        """
        class Meta(type):
            def __getattr__(cls, name): raise RuntimeError(name)
        class Odd(metaclass=Meta):
            def __call__(self) -> str: return "x"
            def __getattr__(self, name): raise RuntimeError(name)
        odd = Odd()
        """,
        """
        class Odd:
            @property
            def __name__(self): raise SystemExit(4)
            def __call__(self) -> str: return "x"
        odd = Odd()
        """,
        """
        class Key:
            def __repr__(self): raise RuntimeError("no text")
        odd = {"function": good, "name": "other", Key(): 1}
        """,
        """
        class Odd:
            @property
            def __class__(self): raise RuntimeError("no class")
            def __call__(self) -> str: return "x"
        odd = {"function": Odd(), "name": "other"}
        """,
    ],
)
async def test_an_entry_that_raises_when_looked_at_costs_only_itself(loaded: Loaded, odd: str) -> None:
    _, project = await loaded(
        "def good() -> str:\n    '''Good.'''\n    return 'x'\n" + textwrap.dedent(odd) + "CUSTOM_TOOLS = [odd, good]\n"
    )
    assert project.error is None
    assert [tool.name for tool in project.tools] == ["good"]
    (problem,) = [problem for problem in project.problems if problem.left_out]
    assert (problem.entry, "cannot be read" in problem.message) == (0, True)


async def test_an_entry_is_read_by_what_it_holds_not_by_what_its_class_says(loaded: Loaded) -> None:
    _, project = await loaded(
        """
        class Odd(dict):
            def __contains__(self, key): raise RuntimeError("in")
            def __getitem__(self, key): raise RuntimeError("get")

        class Tools(list):
            def __iter__(self):
                while True:
                    yield None

        def good() -> str:
            return "x"

        CUSTOM_TOOLS = Tools([Odd(function=good, name="named")])
        """
    )
    assert [tool.name for tool in project.tools] == ["named"]


async def test_a_name_is_judged_by_its_text_not_by_its_class(loaded: Loaded) -> None:
    _, project = await loaded(
        """
        class Name(str):
            def isidentifier(self): return True
        def good() -> str: return "x"
        CUSTOM_TOOLS = [{"function": good, "name": Name("a b")}]
        """
    )
    assert project.tools == ()
    assert [problem.code for problem in project.problems] == ["ADAL101"]


async def test_functions_that_refuse_to_be_compared_are_not_the_same(loaded: Loaded) -> None:
    _, project = await loaded(
        """
        class Odd:
            def __eq__(self, other): raise RuntimeError("eq")
            def __hash__(self): return 1
            def __call__(self) -> str: return "x"
        def good() -> str: return "x"
        CUSTOM_TOOLS = [{"function": Odd(), "name": "same"}, {"function": Odd(), "name": "same"}, good]
        """
    )
    assert [tool.name for tool in project.tools] == ["good"]
    assert {problem.code for problem in project.problems} == {"ADAL103"}
