"""The agents file in the worker: loaded by the rules of the tools file; what it tells is read as from a stranger."""

from __future__ import annotations

import asyncio
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from adal_ls.sdk.errors import InvalidConfigError
from adal_ls.wire.peer import ProtocolViolationError
from adal_ls.worker.agent_data import read_agents, read_listings
from adal_ls.worker.client import LoadedProject, WorkerClient, WorkerDiedError
from adal_ls.worker.data import read_project
from adal_ls.worker.provided_data import ProviderError, read_outcome, read_provided
from tests.worker.conftest import Project, Workers

ONE = """
    from adal_ls import create_runtime
    AGENTS = [create_runtime().create_agent("one")]
"""


def write(root: Path, agents: str, **others: str) -> Path:
    folder = root / ".adal"
    folder.mkdir(exist_ok=True)
    for name, text in {"agents": agents, **others}.items():
        (folder / f"{name}.py").write_text(textwrap.dedent(text), encoding="utf-8")
    return root


async def load(workers: Workers, root: Path) -> tuple[WorkerClient, LoadedProject]:
    worker = await workers(root)
    return worker, await worker.load()


async def test_without_an_agents_file_there_are_no_agents_and_with_one_no_tools_are_needed(
    workers: Workers, project: Project, tmp_path: Path
) -> None:
    _, loaded = await load(workers, project("CUSTOM_TOOLS = []"))
    assert loaded.agents is None
    (tmp_path / ".adal" / "tools.py").unlink()
    _, loaded = await load(workers, write(tmp_path, ONE))
    assert loaded.agents is not None
    assert [agent.id for agent in loaded.agents] == ["one"]
    assert list(loaded.sources) == [".adal/agents.py"]
    assert loaded.error is None


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("AGENTS = [\n", 1, "syntax error"),
        ("\n\nimport no_such_package_here\n", 3, "no module named 'no_such_package_here'"),
        ("import sys\nsys.exit(3)\n", 2, "exit code 3"),
        ("x = 1\n", 0, "defines no AGENTS"),
        ("AGENTS = 7\n", 0, "AGENTS that is no list"),
        ("AGENTS = [7]\n", 0, "entry 0 of AGENTS is no agent but int"),
        ("from adal_ls import create_runtime\nr = create_runtime()\nr.create_agent('')\n", 3, "an agent needs an id"),
        ("from . import beside\n", 1, "agents.py is not part of a package"),
    ],
)
async def test_an_agents_file_that_fails_is_an_error_at_its_line_and_the_tools_are_there(
    workers: Workers, project: Project, text: str, line: int, said: str
) -> None:
    root = project("def tool() -> int:\n    '''One.'''\n    return 1\n\nCUSTOM_TOOLS = [tool]\n")
    _, loaded = await load(workers, write(root, text))
    error = loaded.agents_error
    assert error is not None
    assert (Path(error.file).name, error.line) == ("agents.py", line)
    assert said in error.message
    assert loaded.error is None
    assert [tool.name for tool in loaded.tools] == ["tool"]


@pytest.mark.parametrize("end", ["import os\nos._exit(3)\n", "import time\nwhile True: time.sleep(1)\n"])
async def test_an_agents_file_that_ends_or_holds_up_its_process_is_a_failed_load(
    workers: Workers, tmp_path: Path, end: str
) -> None:
    from adal_ls.worker.client import Limits

    worker = await workers(write(tmp_path, end), limits=Limits(load=1.5))
    loaded = await worker.load()
    assert loaded.error is not None
    assert loaded.error.kind in ("exit", "timeout")


async def test_modules_beside_it_are_found_and_none_shadows_a_standard_module(workers: Workers, tmp_path: Path) -> None:
    root = write(
        tmp_path,
        """
        import json
        from names import NAME
        from adal_ls import create_runtime
        AGENTS = [create_runtime().create_agent(NAME, description=json.dumps([__name__]))]
        """,
        names="NAME = 'from beside'",
        json="raise RuntimeError('shadowed')",
    )
    _, loaded = await load(workers, root)
    assert loaded.agents is not None
    (agent,) = loaded.agents
    assert (agent.id, agent.description) == ("from beside", '["adal_agents_1"]')
    assert sorted(loaded.sources) == [".adal/agents.py", ".adal/names.py"]


async def test_the_stand_in_serves_both_files_also_where_the_second_wants_more(
    workers: Workers, project: Project
) -> None:
    root = project("from adalflow.core.types import ToolOutput\nCUSTOM_TOOLS = []\n")
    both = "from adalflow.core.types import ToolOutput\n" + textwrap.dedent(ONE)
    _, loaded = await load(workers, write(root, both))
    assert (loaded.agents_error, loaded.error) == (None, None)
    _, loaded = await load(workers, write(root, "from adalflow.core import Component\n" + textwrap.dedent(ONE)))
    assert loaded.agents_error is not None
    assert "adalflow is not installed" in loaded.agents_error.message


async def test_a_held_worker_outlives_a_cancelled_call_and_no_longer(workers: Workers, project: Project) -> None:
    worker, _ = await load(
        workers,
        project("""
            import asyncio

            async def wait() -> str:
                '''Wait.'''
                await asyncio.sleep(30)
                return "late"

            CUSTOM_TOOLS = [wait]
        """),
    )
    worker.hold()
    call = asyncio.ensure_future(worker.call("wait", {}))
    await asyncio.sleep(0.2)
    call.cancel()
    await asyncio.wait({call})
    assert (worker.closed, worker.alive) == (True, True)
    worker.let_go()
    assert not worker.alive


async def test_a_question_that_nobody_can_answer_ends_the_worker(workers: Workers, project: Project) -> None:
    worker, _ = await load(workers, project("CUSTOM_TOOLS = []"))  # it has no agents
    with pytest.raises(WorkerDiedError, match="unknown method"):
        await worker.ask("describe", {}, limit=5)
    assert not worker.alive
    with pytest.raises(WorkerDiedError):
        await worker.ask("describe", {}, limit=5)


AGENT: dict[str, Any] = {
    "id": "a",
    "description": None,
    "model": None,
    "system_prompt": None,
    "stop_when": 20,
    "takes_context": False,
    "has_providers": False,
    "has_tools": False,
    "enabled": None,
    "disabled": None,
}


@pytest.mark.parametrize(
    "agents",
    [
        7,
        [7],
        [{}],
        [AGENT, AGENT],
        [{**AGENT, "id": 7}],
        [{**AGENT, "stop_when": 0}],
        [{**AGENT, "stop_when": 10**12}],
        [{**AGENT, "enabled": "Bash"}],
        [{**AGENT, "enabled": [], "disabled": []}],
        [{**AGENT, "id": str(number)} for number in range(5000)],
    ],
)
def test_agents_of_another_shape_are_a_breach(agents: object) -> None:
    with pytest.raises(ProtocolViolationError):
        read_agents(agents)


def test_agents_without_the_digest_of_their_file_are_a_breach() -> None:
    project = {"tools": [], "problems": [], "sources": {}, "python": sys.executable, "agents": [AGENT]}
    with pytest.raises(ProtocolViolationError, match="digest"):
        read_project(project)


def deep(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


LISTING: dict[str, Any] = {
    "tools": [["a", "b"]],
    "complete": True,
    "form": {"declared": True, "fields": []},
    "problems": [],
}


@pytest.mark.parametrize(
    "change",
    [
        {"tools": 7},
        {"tools": [[7, "b"]]},
        {"tools": [["a"]]},
        {"complete": 1},
        {"form": []},
        {"form": {"fields": deep(200)}},
        {"form": {"declared": float("nan")}},
        {"problems": [7]},
    ],
)
def test_listings_of_another_shape_are_a_breach(change: dict[str, Any]) -> None:
    assert read_listings({"a": LISTING})["a"].complete
    with pytest.raises(ProtocolViolationError):
        read_listings({"a": {**LISTING, **change}})


def test_a_listing_without_end_is_cut() -> None:
    found = read_listings({"a": {**LISTING, "tools": [[f"t{number}", ""] for number in range(5000)]}})["a"]
    assert len(found.tools) == 1000


@pytest.mark.parametrize("outcome", [7, {"failure": 7}, {"failure": {"message": 7, "code": "x", "trace": None}}])
def test_outcomes_of_another_shape_are_a_breach(outcome: object) -> None:
    with pytest.raises(ProtocolViolationError):
        read_outcome(outcome)


def test_a_failure_keeps_its_code_and_words() -> None:
    with pytest.raises(ProviderError) as raised:
        read_outcome({"failure": {"message": "not here", "code": "NO_SHELF", "trace": "line 3"}})
    assert (raised.value.code, raised.value.message, raised.value.trace) == ("NO_SHELF", "not here", "line 3")


@pytest.mark.parametrize("provided", [7, {}, {"tools": [7], "notes": []}, {"tools": [{"tool": {}}], "notes": []}])
def test_tools_of_another_shape_are_a_breach(provided: object) -> None:
    with pytest.raises(ProtocolViolationError):
        read_provided(provided)


@pytest.mark.parametrize(
    "hosted", [7, {"kind": "x"}, {"kind": "workspace", "name": "rm"}, {"kind": "mcp", "a": deep(200)}]
)
def test_descriptors_of_another_shape_are_a_configuration_that_cannot_be(hosted: object) -> None:
    with pytest.raises(InvalidConfigError):
        read_provided({"tools": [{"hosted": hosted}], "notes": []})
