"""Calls that lack what their tool requires: nobody is asked about them."""

from __future__ import annotations

from adal_ls.protocol.runs import DecisionEvent
from tests.agent.bench import BUMP, Bench, call


async def test_a_call_that_lacks_an_argument_is_told_to_the_model_and_nobody_is_asked(bench: Bench) -> None:
    bench.tools(BUMP)
    bench.open(None)  # without anybody to ask, a question would be a refusal of another kind
    await bench.run({"calls": [call("bump", "c1", {"tug": "a"})]}, {"text": "done"})
    (result,) = bench.results()
    assert (result.status, result.observation) == (
        "error",
        "Missing for bump: 'tag' (it takes tag; given: tug). Nothing was executed.",
    )
    (decision,) = bench.events(DecisionEvent)
    assert (decision.decision, decision.decided_by) == ("deny", "policy")
    assert not (bench.root / "runs.txt").exists()


async def test_a_further_argument_is_for_the_tool_to_refuse(bench: Bench) -> None:
    bench.tools(BUMP)
    bench.open(None)
    await bench.run({"calls": [call("bump", "c1", {"tag": "a", "tug": "b"})]}, {"text": "done"}, permission_mode="yolo")
    (result,) = bench.results()
    assert "unknown argument 'tug'" in result.observation
    assert [decision.decision for decision in bench.events(DecisionEvent)] == ["allow"]
