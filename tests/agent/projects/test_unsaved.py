"""Tool files that an agent may have written are not imported before a person wants them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from adal_ls.protocol.runs import RunStartParams
from tests.agent.approvers import Desk
from tests.agent.bench import BUMP, ECHO, Bench, call

CANARY = "\nopen('canary', 'w').close()\n"

WRITER = '''
from pathlib import Path

def write(path: str) -> str:
    """Write code."""
    with Path(path).open("a") as file:
        file.write("\\nopen('canary', 'w').close()\\n")
    return "written"

CUSTOM_TOOLS = [{"function": write, "require_approval": False}]
'''


@pytest.mark.parametrize("path", [".adal/tools.py", ".adal/helper.py", "lib/imported.py"])
async def test_code_written_in_a_run_is_imported_only_when_a_person_wants_it(bench: Bench, path: str) -> None:
    (bench.root / "lib").mkdir()
    (bench.root / "lib" / "imported.py").touch()
    bench.tools("import sys\nsys.path.append('lib')\nimport imported\n" + WRITER)
    desk = Desk()
    runtime = bench.open(desk)
    model = bench.script(
        {"calls": [call("write", "c1", {"path": path})]}, {"calls": [call("bash", "c2", {"command": "true"})]}
    )
    run_id = runtime.start(RunStartParams(prompt="go", model=model))
    await desk.until(1)
    for _ in range(2):  # while the run is going on, and after it
        refused = await runtime.load(bench.root, unsaved=True)
        assert refused.state == "error"
        assert path in str(refused.error)
        assert [tool.name for tool in refused.tools] == ["write"]
        assert not (bench.root / "canary").exists()
        await runtime.cancel(run_id)
    assert (await runtime.load(bench.root)).state == "loaded"
    assert (bench.root / "canary").exists() == (path != ".adal/helper.py")
    assert (await runtime.load(bench.root, unsaved=True)).state == "loaded"


async def test_a_tools_file_that_appears_in_a_run_is_not_imported_by_itself(bench: Bench) -> None:
    desk = Desk()
    runtime = bench.open(desk)
    run_id = runtime.start(
        RunStartParams(prompt="go", model=bench.script({"calls": [call("bash", "c1", {"command": "true"})]}))
    )
    await desk.until(1)
    bench.tools(ECHO + CANARY)
    assert (await runtime.load(bench.root, unsaved=True)).state == "error"
    await runtime.cancel(run_id)
    assert not (bench.root / "canary").exists()


async def test_a_change_outside_of_runs_is_imported_as_ever(bench: Bench) -> None:
    bench.tools(ECHO)
    runtime = bench.open()
    await bench.run({"calls": [call("echo", "c1", {"text": "a"})]}, {"text": "done"})
    bench.tools(BUMP)
    loaded = await runtime.load(bench.root, unsaved=True)
    assert (loaded.state, [tool.name for tool in loaded.tools]) == ("loaded", ["bump"])


async def test_a_save_during_a_run_is_imported_and_what_follows_without_one_is_not(bench: Bench) -> None:
    bench.tools(ECHO)
    desk = Desk()
    runtime = bench.open(desk)
    run_id = runtime.start(
        RunStartParams(prompt="go", model=bench.script({"calls": [call("bash", "c1", {"command": "true"})]}))
    )
    await desk.until(1)
    bench.tools(BUMP)
    assert (await runtime.load(bench.root)).state == "loaded"
    assert (await runtime.load(bench.root, unsaved=True)).state == "loaded"
    bench.tools(BUMP + CANARY)
    assert (await runtime.load(bench.root, unsaved=True)).state == "error"
    await asyncio.wait_for(runtime.cancel(run_id), 10)
    assert not Path(bench.root / "canary").exists()
