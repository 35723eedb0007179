"""Answers as bytes on the pipe of a real host: whatever comes, only an exact answer to a question runs its call."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adal_ls.protocol import methods
from adal_ls.wire.framing import with_headers
from adal_ls.wire.peer import Json
from tests.agent.host_client import Server


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def exact(request: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "approvalId": request["approvalId"],
        "argsDigest": request["argsDigest"],
        "outcome": "selected",
        "optionId": "allow_once",
        **more,
    }


def without(request: dict[str, Any], field: str) -> dict[str, Any]:
    return {key: value for key, value in exact(request).items() if key != field}


ODD: tuple[Json, ...] = (None, 0, True, [], {}, "x")


def wrong_answers(request: dict[str, Any], other: dict[str, Any]) -> list[Json]:
    return [
        None, True, 1, "allow_once", [], [exact(request)], {}, {"result": exact(request)},
        *(without(request, field) for field in exact(request)),
        *({**exact(request), field: value} for field in exact(request) for value in ODD),
        {**exact(request), "argsDigest": other["argsDigest"]}, {**exact(request), "approvalId": other["approvalId"]},
        exact(other), exact(request, optionId="ALLOW_ONCE"), exact(request, optionId=" allow_once"),
        exact(request, outcome="allow"), exact(request, outcome="cancelled"), exact(request, optionId="reject_once"),
        exact(request, argsDigest=request["argsDigest"].upper()), exact(request, optionId="x" * 500_000),
        exact(request, updatedInput=[]), exact(request, updatedInput="touch"), exact(request, updatedInput={"path": 1}),
        exact(request, updatedInput={"path": "edited.txt", "content": "\ud800"}),
        exact(request, updatedInput={"path": "edited.txt", "content": "x" * 2_000_000}),
        exact(request, updatedInput={"path": "edited.txt", "content": "x", "mode": "yolo"}),
        exact(request, feedback=7), exact(request, option_id="allow_once", optionId=None),
    ]  # fmt: skip


async def test_no_answer_on_the_wire_runs_a_call_but_its_own_exact_one(server: Server, root: Path) -> None:
    count = len(wrong_answers({"approvalId": "a", "argsDigest": "b"}, {"approvalId": "c", "argsDigest": "d"})) + 1
    calls = [{"name": "write_file", "arguments": {"path": f"{n}.txt", "content": "x"}} for n in range(count)]
    script = root.parent / "script.yaml"
    script.write_text(json.dumps({"turns": [{"calls": calls}, {"text": "done"}]}))
    asked: list[dict[str, Any]] = []

    async def answer(params: Json) -> Json:
        asked.append(params)
        number = int(params["arguments"]["path"].removesuffix(".txt"))
        if number == 0:
            return exact(params)
        return wrong_answers(params, asked[0] if asked[0] is not params else asked[-1])[number - 1]

    server.answer_approvals(answer)
    await server.initialize(root)
    stdin = server.process.stdin
    assert stdin is not None
    # To questions that were never asked.
    for number in (0, 1, 2, 10_000, "x"):
        stray = {"jsonrpc": "2.0", "id": number, "result": {"optionId": "allow_once", "outcome": "selected"}}
        stdin.write(with_headers(json.dumps(stray).encode()))
    await server.request(methods.RUN_START, {"prompt": "go", "model": f"script:{script}"})
    finished = await server.until(methods.RUN_UPDATE, type="finished")
    # And once more to all that were, now that nothing waits.
    for number in range(count + 5):
        late = {"jsonrpc": "2.0", "id": number, "result": exact(asked[number % count])}
        stdin.write(with_headers(json.dumps(late).encode()))
    assert (await server.request(methods.APPROVAL_PENDING, {})) == {"approvals": []}
    assert finished["answer"] == "done"
    # Edited arguments that do not fit are asked about again, under the same id.
    assert len({request["approvalId"] for request in asked}) == count
    assert sorted(path.name for path in root.iterdir()) == ["0.txt"]
