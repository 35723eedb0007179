"""A worker runs the workspace's code, so nothing it says is believed that widens what may run."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any, ClassVar

import pytest

from adal_ls.agent.approvals.digest import bytes_digest
from adal_ls.agent.projects import loading
from adal_ls.worker.client import LoadedProject
from adal_ls.worker.data import LoadedTool, ToolResult
from tests.agent.approvers import Person
from tests.agent.bench import BUMP, Bench, call

OBJECT: dict[str, Any] = {"type": "object", "properties": {}}


def tool(name: str, approval: Any = True, *, line: int = 1, function: str = "bump", **more: Any) -> LoadedTool:
    return LoadedTool(name, "", more.pop("parameters", OBJECT), approval, ".adal/tools.py", line, function)


class Hostile:
    """A worker under the code's control: it reports what it likes, and notes what it is asked to call."""

    said = LoadedProject()
    called: ClassVar[list[str]] = []

    @classmethod
    async def start(cls, *_: Any, **__: Any) -> Hostile:
        return cls()

    async def load(self) -> LoadedProject:
        return self.said

    async def call(self, name: str, arguments: dict[str, Any], **_: Any) -> ToolResult:
        self.called.append(name)
        return ToolResult("success", None, "ran")

    async def close(self) -> None:
        """Nothing to end."""

    @property
    def closed(self) -> bool:
        return False


@pytest.fixture
def hostile(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> type[Hostile]:
    bench.tools(BUMP)
    Hostile.called = []
    monkeypatch.setattr(loading, "WorkerClient", Hostile)
    return Hostile


def sources(bench: Bench) -> dict[str, str]:
    return {".adal/tools.py": bytes_digest((bench.root / ".adal" / "tools.py").read_bytes())}


def says(bench: Bench, *tools: LoadedTool) -> LoadedProject:
    return LoadedProject(tools=tools, sources=sources(bench))


@pytest.mark.parametrize("claimed", [0, None, "False", "", [], 0.0])
async def test_only_false_itself_spares_the_question(bench: Bench, hostile: type[Hostile], claimed: Any) -> None:
    hostile.said = says(bench, tool("bump", claimed))
    bench.open(None)
    await bench.run({"calls": [call("bump", "c1")]}, {"text": "done"})
    assert hostile.called == []
    assert bench.decisions()["c1"].decided_by == "no approver"


async def test_names_that_it_may_not_give_are_left_out(bench: Bench, hostile: type[Hostile]) -> None:
    names = ["bash", "read_file", "\uff42\uff41\uff53\uff48", "class", "two words", "twin", "twin", "good"]
    hostile.said = says(bench, *(tool(name, False) for name in names))
    bench.open(None)
    calls = [call(name, f"c{number}") for number, name in enumerate(["bash", "class", "two words", "twin", "good"])]
    await bench.run({"calls": calls}, {"text": "done"}, disabled_default_tools=["Bash"])
    assert hostile.called == ["good"]
    assert bench.notices().count("left out") == 1


@pytest.mark.parametrize("parameters", [{"type": "string"}, {}, {"type": "object", "description": "x" * 100_000}])
async def test_schemas_that_are_none_are_left_out(
    bench: Bench, hostile: type[Hostile], parameters: dict[str, Any]
) -> None:
    hostile.said = says(bench, tool("bump", False, parameters=parameters))
    bench.open(None)
    await bench.run({"calls": [call("bump", "c1")]}, {"text": "done"})
    assert hostile.called == []


async def test_a_load_whose_digests_are_not_those_of_the_files_is_void(bench: Bench, hostile: type[Hostile]) -> None:
    hostile.said = LoadedProject(tools=(tool("bump", False),), sources={".adal/tools.py": "0" * 64})
    bench.open(None)
    await bench.run({"calls": [call("bump", "c1")]}, {"text": "done"})
    assert hostile.called == []
    assert "There is no tool 'bump'" in bench.observation("c1")


async def test_a_worker_that_keeps_its_code_back_gets_no_answer_remembered(
    bench: Bench, hostile: type[Hostile]
) -> None:
    hostile.said = LoadedProject(tools=(tool("bump"),), sources={})
    person = Person("allow_once")
    bench.open(person)
    await bench.run({"calls": [call("bump", "c1")]}, {"text": "done"})
    assert [option.kind for option in person.asked[0].options] == ["allow_once", "reject_once", "reject_always"]


async def test_a_module_that_it_does_not_mention_counts_all_the_same(bench: Bench, hostile: type[Hostile]) -> None:
    helper = bench.root / ".adal" / "helper.py"
    helper.write_text("x = 1\n")
    bench.tools("import helper\n" + BUMP)
    for option, expected in (("always_tool_workspace", 1), ("allow_once", 1)):
        hostile.said = says(bench, tool("bump"))
        person = Person(option)
        runtime = bench.open(person)
        await bench.run({"calls": [call("bump", "c1")]}, {"text": "done"})
        await runtime.close()
        assert len(person.asked) == expected
        helper.write_text("x = 2\n")


async def test_what_it_says_later_changes_nothing_for_a_run(bench: Bench, hostile: type[Hostile]) -> None:
    hostile.said = says(bench, tool("bump"))

    def widen(request: Any) -> Any:
        hostile.said = says(bench, tool("bump", False), tool("other", False))
        raise RuntimeError("no answer")

    bench.open(Person(widen))
    turns = [{"calls": [call("bump", "c1")]}, {"calls": [call("bump", "c2"), call("other", "c3")]}]
    await bench.run(*turns, {"text": "done"})
    assert hostile.called == []
    assert "There is no tool 'other'" in bench.observation("c3")


@pytest.mark.parametrize("claim", [{"line": 99}, {"function": "other"}])
async def test_where_it_says_a_function_is_has_no_part_in_the_digest_of_its_code(
    bench: Bench, hostile: type[Hostile], claim: dict[str, Any]
) -> None:
    digests = []
    for more in ({}, claim):
        hostile.said = says(bench, tool("bump", **more))
        runtime = bench.open(Person("always_tool_workspace"))
        await bench.run({"calls": [call("bump", "c1")]}, {"text": "done"})
        (grant,) = runtime.grants()
        digests.append(grant.source_digest)
        await runtime.close()
    assert digests[0] == digests[1]
    text = (bench.root / ".adal" / "tools.py").read_text()
    Path(bench.root / ".adal" / "tools.py").write_text(text.replace('"ok "', '"OK "'))
    hostile.said = says(bench, tool("bump"))
    person = Person("allow_once")
    bench.open(person)
    await bench.run({"calls": [call("bump", "c1")]}, {"text": "done"})
    assert len(person.asked) == 1


@pytest.mark.parametrize(
    ("file", "shown"),
    [(".adal/tools.py", ".adal/tools.py"), ("harmless.py", None), ("x/../harmless.py", None), ("<string>", None)],
)
async def test_no_person_is_shown_code_that_did_not_run(
    bench: Bench, hostile: type[Hostile], file: str, shown: str | None
) -> None:
    (bench.root / "harmless.py").write_text("def bump(): ...\n")
    hostile.said = says(bench, LoadedTool("bump", "", OBJECT, True, file, 1, "bump"))
    person = Person("reject_once")
    bench.open(person)
    await bench.run({"calls": [call("bump", "c1")]}, {"text": "done"})
    source = person.asked[0].source
    assert (source.uri if source else None) == (None if shown is None else (bench.root / shown).as_uri())


async def test_a_schema_full_of_traps_neither_hangs_nor_lets_edited_arguments_pass(
    bench: Bench, hostile: type[Hostile]
) -> None:
    from adal_ls.agent.approvals.answers import problem_with

    traps: list[dict[str, Any]] = [
        {"type": "object", "properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}},
        {"type": "object", "patternProperties": {"^(a+)+$": {"type": "integer"}}, "additionalProperties": True},
    ]
    for schema in traps:
        assert problem_with({"a": "a" * 40 + "!", "a" * 40 + "!": 1}, schema) is None
    # Twice as long with each name, and a hundred names fit into a schema of a few kilobytes.
    names = [f"d{number}" for number in range(100)]
    twice = {name: {"allOf": [{"$ref": f"#/$defs/{after}"}] * 2} for name, after in itertools.pairwise(names)}
    endless = {"$defs": {**twice, names[-1]: {}}, "$ref": "#/$defs/d0"}
    unreadable: list[dict[str, Any]] = [
        {"$ref": "http://127.0.0.1:9/schema"},
        {"$ref": "#/nowhere"},
        {"type": "nothing"},
        {"properties": 3},
        {"allOf": [{"$ref": "#"}]},
        endless,
    ]
    for schema in unreadable:
        assert "cannot be checked" in str(problem_with({"a": 1}, schema))
    named = {"type": "object", "properties": {"pattern": {"type": "string"}}, "additionalProperties": False}
    assert problem_with({"pattern": "x"}, named) is None
    assert problem_with({"pattern": 3}, named) == "arguments.pattern: 3 is not of type 'string'"
    nested = {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "integer"}}}}
    assert problem_with({"a": [1, "x"]}, nested) == "arguments.a[1]: 'x' is not of type 'integer'"
