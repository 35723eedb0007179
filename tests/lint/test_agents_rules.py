"""ADAL7xx: what the text of `.adal/agents.py` already tells of a load, or of every run, that will fail."""

from __future__ import annotations

import inspect

import pytest

import adal_ls
from adal_ls.lint import Config, check_agents
from adal_ls.lint.agents_file import SIGNATURES
from adal_ls.sdk.agent import AgentRuntime
from tests.lint import marks

HEAD = "from adal_ls import create_runtime\n\nruntime = create_runtime()\n"


def only(text: str) -> str:
    """The message of the one finding."""
    [finding] = check_agents(text, Config())
    return finding.message


def codes(text: str) -> list[str]:
    return [finding.code for finding in check_agents(text, Config())]


@pytest.mark.parametrize("name", SIGNATURES)
def test_the_signatures_that_lint_knows_are_those_of_the_sdk(name: str) -> None:
    function = AgentRuntime.create_agent if name == "create_agent" else getattr(adal_ls, name)
    parameters = [each for each in inspect.signature(function).parameters.values() if each.name != "self"]
    known = SIGNATURES[name]
    assert [each.name for each in parameters if each.kind is not each.KEYWORD_ONLY] == list(known.positional)
    assert {each.name for each in parameters if each.kind is each.KEYWORD_ONLY} == set(known.keywords)
    assert [each.name for each in parameters if each.default is each.empty] == list(known.required)


def test_a_slip_of_syntax_is_told_and_the_rest_is_read() -> None:
    text = f'{HEAD}def f(:\n    pass\n\n\nAGENTS = [runtime.create_agent("a", modle="x")]\n'
    assert codes(text) == ["ADAL001", "ADAL705"]


def test_a_file_without_agents_is_told_on_its_last_line() -> None:
    [finding] = check_agents(f'{HEAD}    \nagents = [runtime.create_agent("a")]  \n\n', Config())
    assert (finding.code, finding.range.start, finding.range.end) == ("ADAL701", (4, 0), (4, 36))
    assert only("") == "This file defines no AGENTS: write AGENTS = [runtime.create_agent(...), ...]"
    assert "'agents' is not read" in only(f"{HEAD}agents = []\n")


@pytest.mark.parametrize(
    "text",
    [
        "from shared import *\n",
        "globals()['AGENTS'] = []\n",
        "AGENTS = []\n",
        "from shared import AGENTS\n",
        "AGENTS = (\n",
    ],
)
def test_a_list_that_may_be_there_is_not_missed(text: str) -> None:
    assert "ADAL701" not in codes(text)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("{}", "a dict"),
        ("'librarian'", "a string"),
        ("None", "None"),
        ("{runtime}", "a set"),
        ("(a for a in ())", "a generator"),
        ("runtime.create_agent('a')", "one agent"),
        ("lambda: []", "a lambda"),
    ],
)
def test_a_value_that_is_no_list_is_named(value: str, words: str) -> None:
    text = f"{HEAD}AGENTS = {value}\n"
    assert only(text) == f"AGENTS must be a list or tuple of agents, not {words}"


@pytest.mark.parametrize("value", ["[]", "()", "list(x)", "[a for a in made()]", "made()", "[*others]", "A + B"])
def test_a_list_made_at_run_time_is_left_to_the_load(value: str) -> None:
    assert codes(f"{HEAD}from shared import made, others, A, B, x\nAGENTS = {value}\n") == []


def test_entries_that_are_no_agents_are_marked_each() -> None:
    marks.check_agents(
        HEAD
        + """\
def build(): ...
class Librarian: ...
reader = runtime.create_agent("reader")
AGENTS = [reader, "writer", build, Librarian, runtime, raeder, build()]
#                 ^^^^^^^^ ADAL703
#                           ^^^^^ ADAL703
#                                  ^^^^^^^^^ ADAL703
#                                             ^^^^^^^ ADAL703
#                                                      ^^^^^^ ADAL703
"""
    )
    assert "did you mean 'reader'?" in only(f"{HEAD}reader = runtime.create_agent('a')\nAGENTS = [raeder]\n")


def test_an_id_used_twice_points_to_the_first() -> None:
    text = f'{HEAD}a = runtime.create_agent("reader")\nb = runtime.create_agent(id="reader")\nAGENTS = [a, b]\n'
    [finding] = check_agents(text, Config())
    assert (finding.code, finding.range.start, finding.range.end) == ("ADAL704", (4, 28), (4, 36))
    assert [place.start for place, _ in finding.related] == [(3, 25)]


def test_one_agent_listed_twice_and_two_runtimes_with_one_id_are_told_in_the_list() -> None:
    marks.check_agents(
        HEAD
        + """\
other = create_runtime()
one = runtime.create_agent("one")
two = other.create_agent("one")
AGENTS = [one, one, two]
#              ^^^ ADAL704
#                   ^^^ ADAL704
"""
    )


def test_ids_in_branches_and_loops_are_left_to_the_load() -> None:
    text = "import os\nif os.environ:\n    a = runtime.create_agent('x')\nelse:\n    a = runtime.create_agent('x')\n"
    assert codes(f"{HEAD}{text}AGENTS = [a]\n") == []


def test_arguments_that_are_not_taken_are_marked_with_the_nearest() -> None:
    marks.check_agents(
        """\
from adal_ls import create_runtime, create_tool_provider, mcp_tool_provider
runtime = create_runtime(modell="x", permission_mode="yolo")
#                        ^^^^^^ ADAL705
tools = create_tool_provider(gettools=print)
#                            ^^^^^^^^ ADAL705
#       ^^^^^^^^^^^^^^^^^^^^ ADAL705
mcp = mcp_tool_provider("library")
#                       ^^^^^^^^^ ADAL705
AGENTS = [runtime.create_agent(sytem_prompt="Hi"), runtime.create_agent("b", "c")]
#                              ^^^^^^^^^^^^ ADAL705
#         ^^^^^^^^^^^^^^^^^^^^ ADAL705
#                                                                            ^^^ ADAL705
"""
    )
    assert "did you mean 'system_prompt'?" in only(f"{HEAD}AGENTS = [runtime.create_agent('a', sytem_prompt='x')]\n")


@pytest.mark.parametrize(
    "head",
    [
        "import adal_ls\nruntime = adal_ls.create_runtime()\n",
        "import adal_ls as a\nruntime = a.create_runtime()\n",
        "from adal_ls.sdk import create_runtime as make\nruntime = make()\n",
    ],
)
def test_the_sdk_is_known_however_it_is_imported(head: str) -> None:
    assert codes(f"{head}AGENTS = [runtime.create_agent('a', what=1)]\n") == ["ADAL705"]


@pytest.mark.parametrize(
    "text",
    [
        "from shared import runtime\nAGENTS = [runtime.create_agent('a', what=1)]\n",
        "def create_runtime(what): ...\nAGENTS = []\ncreate_runtime(what=1)\n",
        f"{HEAD}given = dict(id='a')\nAGENTS = [runtime.create_agent(**given), runtime.create_agent(*['b'])]\n",
        f"{HEAD}def later(runtime):\n    runtime.create_agent('a', what=1)\nAGENTS = []\n",
    ],
)
def test_what_is_not_certain_is_not_told(text: str) -> None:
    assert codes(text) == []


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("runtime.create_agent('')", "An agent needs an id"),
        ("runtime.create_agent(7)", "An agent needs an id"),
        ("runtime.create_agent('a', stop_when=0)", "at least 1, not 0"),
        ("runtime.create_agent('a', stop_when=-2)", "at least 1, not -2"),
        ("runtime.create_agent('a', stop_when=True)", "at least 1, not True"),
        ("runtime.create_agent('a', model=4)", "model must be text, not 4"),
        ("create_runtime(permission_mode='all').create_agent('a')", "permission_mode must be one of default"),
        ("create_runtime(enabled_default_tools=['Bsh']).create_agent('a')", "did you mean 'Bash'?"),
        ("create_runtime(disabled_default_tools='Bash').create_agent('a')", "by a list of names or groups"),
        (
            "create_runtime(enabled_default_tools=['Bash'], disabled_default_tools=['Web']).create_agent('a')",
            "cannot be combined",
        ),
    ],
)
def test_values_that_nothing_takes_are_told(call: str, words: str) -> None:
    text = f"{HEAD}AGENTS = [{call}]\n"
    assert words in only(text)
    assert codes(text) == ["ADAL706"]


def test_tools_that_are_none_are_marked() -> None:
    marks.check_agents(
        HEAD
        + """\
class Shelf:
    def get_tools(self, ctx): ...
def read_note(): ...
AGENTS = [
    runtime.create_agent("a", tools=[read_note, reed_note, "read_note", {"function": reed_note}]),
    #                                           ^^^^^^^^^ ADAL707
    #                                                      ^^^^^^^^^^^ ADAL707
    #                                                                                ^^^^^^^^^ ADAL707
    runtime.create_agent("b", tools=Shelf),
    #                               ^^^^^ ADAL707
    runtime.create_agent("c", tools={"read": "read_note"}),
    #                                        ^^^^^^^^^^^ ADAL707
    runtime.create_agent("d", tools=Shelf()),
    runtime.create_agent("e", tools=None),
]
"""
    )
    assert "did you mean 'read_note'?" in only(
        f"{HEAD}def read_note(): ...\nAGENTS = [runtime.create_agent('a', tools=[reed_note])]\n"
    )


def test_findings_are_silenced_and_weighed_as_any_other() -> None:
    text = f"{HEAD}AGENTS = [runtime.create_agent('a', what=1)]  # adal: ignore[ADAL705]\n"
    assert codes(text) == []
    text = text.replace("  # adal: ignore[ADAL705]", "")
    assert check_agents(text, Config.parse({"ignore": ["ADAL7"]})) == []
    [finding] = check_agents(text, Config.parse({"severity": {"ADAL705": "hint"}}))
    assert finding.severity.value == "hint"


def test_what_holds_for_every_module_holds_here() -> None:
    secret = "sk-" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6"
    text = f"from .shared import x\n{HEAD}KEY = '{secret}'\nAGENTS = []\n"
    assert codes(text) == ["ADAL216", "ADAL606"]


CONTEXTS = """\
from typing import TypedDict
from pydantic import BaseModel
from adal_ls import ToolContext, create_runtime, create_tool_provider

class Shelf(BaseModel):
    {schema}

class Root(TypedDict):
    {read}

def tools_for(ctx: ToolContext[Root]): ...

class Provider:
    context_schema = Shelf
    def get_tools(self, ctx: ToolContext[Root], /): ...

tools = create_tool_provider(get_tools=tools_for, context_schema=Shelf)
AGENTS = [create_runtime().create_agent("a", tools=tools)]
"""


def test_p18_a_schema_with_other_fields_than_the_provider_reads_is_told_for_both_forms() -> None:
    found = check_agents(
        CONTEXTS.format(schema="name: str\n    depth: int = 3", read="name: str\n    root: str"), Config()
    )
    assert [one.code for one in found] == ["ADAL708", "ADAL708"]
    assert found[0].message == (
        "get_tools reads a Root; Shelf does not have 'root', and has 'depth', which that does not know"
    )


@pytest.mark.parametrize(
    ("schema", "read"),
    [("name: str", "name: str"), ("name: str = 'x'\n    depth: int = 3", "depth: int\n    name: str")],
)
def test_p18_the_same_fields_are_enough(schema: str, read: str) -> None:
    assert check_agents(CONTEXTS.format(schema=schema, read=read), Config()) == []


def test_p18_a_class_that_may_have_more_fields_is_not_judged() -> None:
    text = CONTEXTS.format(schema="name: str", read="root: str").replace("Shelf(BaseModel)", "Shelf(Base)")
    assert check_agents(f"from shared import Base\n{text}", Config()) == []
