"""Without the gate nothing runs: taken away, replaced or passed by, there is no other way to a tool."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import adal_ls.agent
from adal_ls.agent import executor, gate
from adal_ls.protocol.runs import DecisionEvent
from tests.agent.bench import BUMP, Bench, call

PACKAGE = Path(adal_ls.agent.__file__).parent


async def test_a_run_without_its_gate_runs_no_tool(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.tools(BUMP)
    bench.open(None)
    monkeypatch.delattr(gate, "execute")
    calls = [call("bump", "c1", {"tag": "a"}), call("write_file", "c2", {"path": "a.txt", "content": "x"})]
    finished = await bench.run({"calls": calls}, {"text": "done"}, permission_mode="yolo")
    assert finished.stop_reason == "error"
    assert {result.status for result in bench.results()} <= {"error", "cancelled"}
    assert not (bench.root / "runs.txt").exists()
    assert not (bench.root / "a.txt").exists()


def test_no_module_gets_at_a_tool_when_the_gate_cannot_be_imported() -> None:
    """A process in which the gate does not exist: what still imports never reaches the executor."""
    names = sorted(
        ".".join(("adal_ls.agent", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
        for path in PACKAGE.rglob("*.py")
        if path.name != "__main__.py"
    )
    program = (
        "import importlib, sys\n"
        "sys.modules['adal_ls.agent.gate'] = None\n"
        f"for name in {[name for name in names if name != 'adal_ls.agent.gate']!r}:\n"
        "    if name == 'adal_ls.agent.executor': continue\n"
        "    try: importlib.import_module(name)\n"
        "    except ImportError as fault: print('refused', name)\n"
        "print('reached', 'adal_ls.agent.executor' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "reached False" in done.stdout
    for name in ("runs.loop", "runs.runtime", "host", "runs.trying"):
        assert f"refused adal_ls.agent.{name}" in done.stdout


async def test_the_executor_gets_nothing_that_no_decision_stands_before(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []
    real = executor.run

    async def run(execution: executor.Execution) -> executor.Outcome:
        decided = [event.tool for event in bench.events(DecisionEvent) if event.decision == "allow"]
        assert execution.tool.name in decided
        ran.append(execution.tool.name)
        return await real(execution)

    monkeypatch.setattr(executor, "run", run)
    bench.tools(BUMP)
    bench.open(None)
    calls = [call("bump", "c1", {"tag": "a"}), call("read_file", "c2", {"path": "script.yaml"})]
    await bench.run({"calls": calls}, {"text": "done"}, permission_mode="yolo")
    assert sorted(ran) == ["bump", "read_file"]
    assert [result.status for result in bench.results()] == ["success", "success"]
