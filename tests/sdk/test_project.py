"""Checklist D: loading a project into a script, loading it again, and letting it go."""

from __future__ import annotations

import importlib
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from adal_ls.sdk import (
    InvalidConfigError,
    InvalidInputError,
    PermissionResult,
    Project,
    ProjectLoadError,
    UnknownAgentError,
    load_project,
)
from adal_ls.sdk.context_form import describe, sample
from tests.sdk.agents import Recorder, calls, events_of, said, script
from tests.sdk.test_runs import results

TOOLS = '''
from adalflow.core.types import ToolOutput
import words


def greet(name: str) -> ToolOutput:
    """Greet.

    Args:
        name: Whom.
    """
    return ToolOutput(output=name, observation=words.GREETING + name)


CUSTOM_TOOLS = [{"function": greet, "require_approval": False}]
'''

AGENTS = """
from adal_ls import ToolContext, create_runtime

LOG = []


class Counting:
    context_schema = {"type": "object", "properties": {"root": {"type": "string", "default": "GENERATION"}}}

    def __init__(self, name):
        self.name = name

    def get_tools(self, ctx: ToolContext):
        LOG.append(("get_tools", ctx.project_root))
        return []

    def dispose(self):
        LOG.append(("dispose", self.name))


shared = Counting("shared")
runtime = create_runtime(model="offline", permission_mode="yolo")
AGENTS = [runtime.create_agent("one", tools=shared), runtime.create_agent("two", tools=shared)]
"""


STAYING: list[Recorder] = []


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / ".adal").mkdir()
    return tmp_path.resolve()


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        (root / ".adal" / f"{name}.py").write_text(text, encoding="utf-8")


@pytest.fixture
async def project(root: Path) -> AsyncIterator[Project]:
    write(root, tools=TOOLS, words="GREETING = 'hello '\n", agents=AGENTS)
    async with load_project(root) as project:
        yield project


def log(project: Project) -> list[tuple[str, Any]]:
    """What the providers of the project's present generation have noted."""
    return type(project.agent("one").tools).get_tools.__globals__["LOG"]  # type: ignore[union-attr, no-any-return]


def asked(project: Project, prompt: str) -> Any:
    return project.agent("one").run(prompt)


async def test_agents_have_the_custom_tools_and_the_modules_beside_them(project: Project) -> None:
    assert list(project.agents) == ["one", "two"]
    assert results(await events_of(asked(project, "greet(name='Ada')"))) == ["hello Ada"]
    assert list(project.tools) == ["greet"]


async def test_d1_a_reload_swaps_the_agents_counts_and_keeps_conversations(root: Path, project: Project) -> None:
    handle = asked(project, "greet(name='Ada')")
    await handle.result
    memory = project.agent("one").runtime.runner._memory  # type: ignore[attr-defined]
    before = project.agent("one")
    write(root, words="GREETING = 'goodbye '\n")  # within one second, and of the same kind: no stale .pyc may win
    assert await project.reload()
    assert (project.generation, project.last_error) == (2, None)
    assert project.agent("one") is not before
    assert results(await events_of(asked(project, "greet(name='Ada')"))) == ["goodbye Ada"]
    assert project.agent("one").runtime.runner._memory is memory  # type: ignore[attr-defined]
    assert handle.memory_scope in memory._kept


@pytest.mark.parametrize(
    "broken", ["def (", "raise RuntimeError('no')", "import no_such_module", "raise SystemExit(3)"]
)
async def test_d2_a_failed_reload_changes_nothing_and_a_later_fix_recovers(
    root: Path, project: Project, broken: str
) -> None:
    before, noted = project.agent("one"), log(project)
    write(root, words=broken)
    assert not await project.reload()
    told: Any = project.last_error
    assert isinstance(told, ProjectLoadError)
    assert (told.code, told.file, told.line) == ("LOAD_FAILED", str(root / ".adal" / "words.py"), 1)
    assert (project.generation, project.agent("one")) == (1, before)
    assert results(await events_of(asked(project, "greet(name='Ada')"))) == ["hello Ada"]
    assert ("dispose", "shared") not in noted  # D4
    write(root, words="GREETING = 'hi '\n")
    assert await project.reload()
    assert (project.generation, project.last_error) == (2, None)
    assert results(await events_of(asked(project, "greet(name='Ada')"))) == ["hi Ada"]


async def test_d3_a_provider_that_two_agents_share_is_disposed_once_when_it_is_replaced(project: Project) -> None:
    noted = log(project)
    assert await project.reload()
    assert noted == [("dispose", "shared")]
    assert log(project) == []


async def test_d3_a_provider_that_stays_in_use_is_not_disposed(root: Path) -> None:
    provider = Recorder()
    agents = "from adal_ls import create_runtime\nimport tests.sdk.test_project as t\n" + (
        "AGENTS = [create_runtime().create_agent('one', tools=t.STAYING[0])]\n"
    )
    STAYING[:] = [provider]
    write(root, agents=agents)
    async with load_project(root) as project:
        assert await project.reload()
        assert (project.generation, provider.disposed) == (2, 0)
    assert provider.disposed == 1


async def test_d4_a_failed_reload_disposes_nothing(root: Path, project: Project) -> None:
    noted = log(project)
    write(root, agents="AGENTS = 7\n")
    assert not await project.reload()
    assert isinstance(project.last_error, InvalidConfigError)
    assert noted == []


async def test_d5_disposing_a_project_twice_disposes_its_providers_once(project: Project) -> None:
    noted = log(project)
    await project.dispose()
    await project.dispose()
    assert noted == [("dispose", "shared")]
    with pytest.raises(InvalidInputError, match="disposed"):
        await project.reload()


async def test_d7_the_defaults_of_a_schema_change_with_a_reload(root: Path, project: Project) -> None:
    assert sample(describe(None, project.agent("one").tools)) == {"root": "GENERATION"}
    write(root, agents=AGENTS.replace("GENERATION", "/second"))
    assert await project.reload()
    assert sample(describe(None, project.agent("one").tools)) == {"root": "/second"}


async def test_d8_the_project_root_is_in_the_context(root: Path, project: Project) -> None:
    await asked(project, "hello").result
    assert log(project) == [("get_tools", root)]


async def test_a_run_keeps_the_tools_it_started_with(root: Path, project: Project) -> None:
    model = script(root, calls("greet", name="Ada"), calls("greet", name="Ada"), said("ok"))
    agent = project.runtime.create_agent("scripted", model=model)
    handle = agent.run("go")
    async for _ in handle.events:
        write(root, words="GREETING = 'goodbye '\n")
        await project.reload()
        break
    assert results(await events_of(handle)) == ["hello Ada", "hello Ada"]


async def test_without_agents_py_there_is_the_default_agent_alone(root: Path) -> None:
    write(root, tools=TOOLS, words="GREETING = 'hello '\n")
    async with load_project(root, model="offline") as project:
        assert list(project.agents) == ["default"]
        assert results(await events_of(project.agent().run("greet(name='Ada')"))) == ["hello Ada"]
        with pytest.raises(UnknownAgentError, match="the agents there are: default"):
            project.agent("coder")


async def test_the_files_of_a_project_cannot_say_that_nothing_is_asked(root: Path) -> None:
    write(root, tools=TOOLS.replace("False", "True"), words="GREETING = ''\n", agents=AGENTS)  # permission_mode yolo
    async with load_project(root) as project:
        assert "nobody could be asked" in results(await events_of(asked(project, "greet(name='Ada')")))[0]
    names = []

    async def can_use_tool(name: str, arguments: dict[str, Any], ctx: object) -> PermissionResult:
        names.append(name)
        return PermissionResult.allow()

    async with load_project(root, can_use_tool=can_use_tool) as project:
        assert results(await events_of(asked(project, "greet(name='Ada')"))) == ["Ada"]
    assert names == ["greet"]


async def test_tools_that_break_a_rule_are_left_out_and_each_run_says_so(root: Path) -> None:
    write(
        root, tools=TOOLS.replace("CUSTOM_TOOLS = [", 'CUSTOM_TOOLS = [{"function": greet, "name": "bash"}, '), words=""
    )
    async with load_project(root, model="offline") as project:
        events = await events_of(project.agent().run("hello"))
    assert any("'bash' is the name of a built-in tool" in getattr(event, "text", "") for event in events)


@pytest.mark.parametrize(
    ("agents", "told"),
    [
        ("runtime = 7", "defines no AGENTS"),
        ("AGENTS = 7", "no list"),
        ("AGENTS = [7]", "entry 0 of AGENTS is no agent but int"),
        (
            "from adal_ls import create_runtime\n"
            "AGENTS = [create_runtime().create_agent('a'), create_runtime().create_agent('a')]",
            "two agents of AGENTS have the id 'a'",
        ),
    ],
)
def test_agents_that_are_none_are_refused_with_their_place(root: Path, agents: str, told: str) -> None:
    write(root, agents=agents)
    with pytest.raises(InvalidConfigError) as caught:
        load_project(root)
    assert told in str(caught.value)


def test_a_file_that_cannot_be_loaded_says_where_and_leaves_nothing_behind(root: Path) -> None:
    write(root, tools="\nimport words\n", words="\n\nboom()\n")
    finders = list(sys.meta_path)
    with pytest.raises(ProjectLoadError, match=r"words\.py:3: NameError") as caught:
        load_project(root)
    assert caught.value.line == 3
    assert sys.meta_path == finders
    assert "words" not in sys.modules


async def test_two_projects_do_not_get_each_others_modules(root: Path) -> None:
    projects = []
    for greeting in ("one ", "two "):
        folder = root / greeting.strip() / ".adal"
        folder.mkdir(parents=True)
        (folder / "tools.py").write_text(TOOLS)
        (folder / "words.py").write_text(f"GREETING = {greeting!r}\n")
        projects.append(load_project(folder.parent, model="offline"))
    assert await projects[0].reload()
    for project in projects:
        told = results(await events_of(project.agent().run("greet(name='Ada')")))
        assert told == [f"{project.root.name} Ada"]
    await projects[0].dispose()
    assert importlib.import_module("words").GREETING == "two "
    await projects[1].dispose()
    assert "words" not in sys.modules


async def test_a_project_that_is_loaded_twice_stays_loaded_while_one_of_them_is_used(root: Path) -> None:
    lazy = "def greet() -> str:\n    import words\n    return words.GREETING\n"
    tools = lazy + "CUSTOM_TOOLS = [{'function': greet, 'require_approval': False}]\n"
    write(root, tools=tools, words="GREETING = 'hi'")
    first, second = load_project(root, model="offline"), load_project(root, model="offline")
    await first.dispose()
    assert results(await events_of(second.agent().run("greet()"))) == ["hi"]
    await second.dispose()


async def test_files_of_a_project_shadow_no_other_module_and_leave_no_files(root: Path) -> None:
    write(root, tools="import json, pkg.inner\nCUSTOM_TOOLS = []\nassert json.dumps\n", json="raise RuntimeError\n")
    package = root / ".adal" / "pkg"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "inner.py").write_text("VALUE = 1\n")
    async with load_project(root):
        assert sys.modules["pkg.inner"].VALUE == 1
    assert "pkg" not in sys.modules
    assert not list(root.rglob("*.pyc"))


def test_a_folder_that_is_not_there_is_invalid_input(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="there is no folder"):
        load_project(tmp_path / "nowhere")


async def test_a_failing_dispose_is_told_after_the_new_files_are_in_use(root: Path) -> None:
    write(root, agents=AGENTS.replace('LOG.append(("dispose", self.name))', "raise ValueError('stuck')"))
    project = load_project(root)
    with pytest.raises(ValueError, match="stuck"):
        await project.reload()
    assert (project.generation, project.last_error) == (2, None)
    with pytest.raises(ValueError, match="stuck"):
        await project.dispose()
