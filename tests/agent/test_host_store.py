"""The run store as windows have it: real host processes over one workspace, and what disks and kills do to them."""

from __future__ import annotations

import asyncio
import json
import os
import random
import sqlite3
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from adal_ls.agent.files.paths import workspace_dir
from adal_ls.agent.runs.export import as_markdown
from adal_ls.agent.store.store import Store
from adal_ls.protocol import methods
from adal_ls.protocol.runs import DecisionEvent, PromptEvent, Run, TextEvent, ToolCallEvent, ToolResultEvent
from adal_ls.wire.peer import RpcError
from tests.agent.bench import BUMP, call
from tests.agent.host_client import Server

Open = Callable[..., Awaitable[Server]]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ADAL_DATA_DIR", str(tmp_path / "data"))
    folder = tmp_path / "work"
    (folder / ".adal").mkdir(parents=True)
    (folder / ".adal" / "tools.py").write_text(BUMP)
    return folder


@pytest.fixture
async def window(root: Path) -> AsyncIterator[Open]:
    """Opens a window on the workspace: a greeted host. `wrapped` is a command that starts it."""
    opened: list[Server] = []

    async def open_window(*wrapped: str) -> Server:
        process = await asyncio.create_subprocess_exec(
            *(*wrapped, sys.executable, "-I", "-m", "adal_ls.agent"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=os.environ,
        )
        opened.append(Server(process))
        await opened[-1].initialize(root)
        return opened[-1]

    yield open_window
    for server in opened:
        assert server.process.stdin is not None
        server.process.stdin.close()
        await asyncio.wait_for(server.process.wait(), 5)
        await server.reading


def script(root: Path, *turns: dict[str, Any]) -> str:
    (root / "script.yaml").write_text(json.dumps(list(turns)))
    return "script:script.yaml"


async def start(window: Server, model: str) -> str:
    return str((await window.request(methods.RUN_START, {"prompt": "go", "model": model}))["runId"])


async def listed(window: Server) -> dict[str, str]:
    runs = (await window.request(methods.RUN_LIST, {}))["runs"]
    return {run["runId"]: run["state"] for run in runs}


async def test_a_long_run_comes_in_pages_that_each_fit_a_message(window: Open, root: Path) -> None:
    store = Store.open(root)
    store.create(Run(run_id="long", title="t", model="offline", state="running", created="c", updated="u"))
    texts = [f"{number} {'ä' * (number % 97)}" for number in range(3000)]
    for text in texts:
        store.append("long", TextEvent(delta=text))
    store.append(
        "long", ToolResultEvent(call_id="c", tool="t", status="error", observation="x" * 390_000, duration_ms=1)
    )
    store.append("long", PromptEvent(text="last"))
    store.close()
    host = await window()
    pages: list[dict[str, Any]] = []
    while not pages or pages[-1].get("more"):
        asked = {"runId": "long", "fromSeq": pages[-1]["events"][-1]["seq"] + 1} if pages else {"runId": "long"}
        pages.append(await host.request(methods.RUN_GET, asked))
    assert len(pages) > 3
    assert all(len(json.dumps(page)) < 1_000_000 for page in pages)
    assert [page.get("more") for page in pages] == [*[True] * (len(pages) - 1), None]
    events = [update for page in pages for update in page["events"]]
    assert [update["seq"] for update in events] == list(range(1, 3003))
    assert [update["event"]["delta"] for update in events[:3000]] == texts
    assert events[-1]["event"]["text"] == "last"
    parts = [await host.request(methods.RUN_EXPORT, {"runId": "long"})]
    while (offset := parts[-1].get("next")) is not None:
        parts.append(await host.request(methods.RUN_EXPORT, {"runId": "long", "offset": offset}))
    assert len(parts) > 3
    assert all(len(json.dumps(part)) < 1_000_000 for part in parts)
    store = Store.open(root)
    assert "".join(part["text"] for part in parts) == as_markdown(store.get("long"))
    store.close()
    beyond = await host.request(methods.RUN_GET, {"runId": "long", "fromSeq": 4000})
    assert (beyond["events"], beyond.get("more")) == ([], None)


async def test_the_decision_log_fits_a_message_whatever_was_decided_about(window: Open, root: Path) -> None:
    store = Store.open(root)
    store.create(Run(run_id="r", title="t", model="offline", state="running", created="c", updated="u"))
    for number in range(8):
        made = ToolCallEvent(
            call_id=f"c{number}", tool="t", arguments={"text": f"{number}" * 150_000}, status="pending"
        )
        store.append("r", made)
        store.append(
            "r", DecisionEvent(call_id=f"c{number}", tool="t", args_digest="d", decision="allow", decided_by="person")
        )
    store.close()
    host = await window()
    answer = await host.request(methods.DECISIONS_LIST, {})
    assert len(json.dumps(answer)) < 1_000_000
    assert [one["callId"] for one in answer["decisions"]] == [f"c{number}" for number in reversed(range(8))]
    assert ["arguments" in one for one in answer["decisions"]] == [True, True, *[False] * 6]


async def test_two_windows_on_one_workspace_do_not_disturb_each_other(window: Open, root: Path) -> None:
    model = script(root, {"calls": [call("bump", "c1", {"tag": "a"})]}, {"text": "done"})
    one, two = await window(), await window()
    for each in (one, two):
        each.approval_gate.clear()
    first, second = await start(one, model), await start(two, model)
    for each in (one, two):
        await each.until(methods.APPROVAL_REQUEST)
    for each in (one, two):
        assert await listed(each) == {first: "waiting_approval", second: "waiting_approval"}
    for stranger, run_id in ((one, second), (two, first)):
        with pytest.raises(RpcError, match="another window"):
            await stranger.request(methods.RUN_RESUME, {"runId": run_id})
        with pytest.raises(RpcError, match="going on"):
            await stranger.request(methods.RUN_DELETE, {"runId": run_id})
    assert not (root / "runs.txt").exists()
    for each in (one, two):
        each.approval_gate.set()
        await each.until(methods.RUN_UPDATE, type="finished", answer="done")
    assert await listed(one) == {first: "finished", second: "finished"}
    assert (root / "runs.txt").read_text() == "a\na\n"
    told = (await one.request(methods.RUN_GET, {"runId": second}))["events"]
    assert [update["event"] for update in told] == [
        update["event"] for method, update in two.told if method == methods.RUN_UPDATE
    ]


async def test_a_window_that_is_killed_leaves_its_run_to_the_other_which_asks_again(window: Open, root: Path) -> None:
    model = script(root, {"calls": [call("bump", "c1", {"tag": "a"})]}, {"text": "done"})
    one, two = await window(), await window()
    one.approval_gate.clear()
    run_id = await start(one, model)
    asked = await one.until(methods.APPROVAL_REQUEST)
    one.process.kill()
    await one.process.wait()
    assert await listed(two) == {run_id: "interrupted"}
    await two.request(methods.RUN_RESUME, {"runId": run_id})
    again = await two.until(methods.APPROVAL_REQUEST)
    assert (again["callId"], again["arguments"]) == (asked["callId"], asked["arguments"])
    assert again["approvalId"] != asked["approvalId"]
    await two.until(methods.RUN_UPDATE, type="finished")
    events = [update["event"] for update in (await two.request(methods.RUN_GET, {"runId": run_id}))["events"]]
    results = {event["callId"]: event["status"] for event in events if event["type"] == "toolResult"}
    assert results == {"c1": "success"}
    assert (root / "runs.txt").read_text() == "a\n"


@pytest.mark.skipif(os.name == "nt", reason="kill -9 is POSIX's")
async def test_a_host_that_is_killed_at_any_moment_loses_nothing_that_was_told(window: Open, root: Path) -> None:
    turns = [{"text": f"{n}", "calls": [call("bump", f"c{n}", {"tag": str(n)})]} for n in range(90)]
    model, chance = script(root, *turns), random.Random(5)
    for _ in range(int(os.environ.get("ADAL_KILLS", "3"))):
        host = await window()
        run_id = await start(host, model)
        await host.until(methods.RUN_UPDATE, type="toolResult")
        await asyncio.sleep(chance.random() * 0.05)  # far less than the run takes on any machine
        host.process.kill()
        await host.process.wait()
        await host.reading
        told = [update for method, update in host.told if method == methods.RUN_UPDATE]
        store = Store.open(root)
        got = store.get(run_id)
        store.close()
        stored = [update.wire() for update in got.events]
        assert got.run.state == "interrupted"
        assert stored[: len(told)] == told
        begun = {event["event"]["callId"] for event in stored if event["event"].get("status") == "in_progress"}
        ran = {f"c{line}" for line in (root / "runs.txt").read_text().split()}
        assert ran <= begun, "nothing runs of which the transcript does not know"
        (root / "runs.txt").unlink()
    database = sqlite3.connect(workspace_dir(root) / "runs.db")
    assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    database.close()


@pytest.mark.skipif(os.name == "nt", reason="ulimit is POSIX's")
async def test_a_full_disk_ends_the_run_with_its_reason_and_the_host_goes_on(window: Open, root: Path) -> None:
    long = {"text": "x" * 60_000}
    model = script(root, *({**long, "calls": [call("bump", f"c{n}", {"tag": str(n)})]} for n in range(19)), long)
    host = await window("bash", "-c", 'ulimit -f 600; exec "$@"', "host")  # KiB of one file
    run_id = await start(host, model)
    await host.until(methods.RUN_UPDATE, type="finished", stopReason="error")
    error = await host.until(methods.RUN_UPDATE, type="error")
    assert error["code"] == "store"
    assert str(workspace_dir(root) / "runs.db") in error["message"]
    assert "full" in error["message"]
    told = [update["event"] for method, update in host.told if method == methods.RUN_UPDATE]
    begun = [event for event in told if event["type"] == "toolCall" and event["status"] == "in_progress"]
    ran = (root / "runs.txt").read_text().split()
    assert 0 < len(ran) <= len(begun) < 19
    for each in (host, await window()):
        assert (await listed(each))[run_id] in ("finished", "interrupted"), "as its end could be written or not"
    assert (await host.request(methods.HOST_LOAD, {"projectRoot": str(root)}))["project"]["state"] == "loaded"
