"""The host process over its real pipes: what the server sends and gets."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from adal_ls.agent.files.paths import workspace_dir
from adal_ls.protocol import methods
from adal_ls.version import __version__
from adal_ls.wire.framing import with_headers
from adal_ls.wire.peer import INVALID_PARAMS, REQUEST_FAILED, Json, RpcError
from tests.agent.bench import BUMP
from tests.agent.host_client import Server

PRINTER = """
print("loading")

def loud() -> str:
    '''Print.'''
    import os, sys
    print("printed")
    os.write(1, b"raw\\n")
    return "quiet"

CUSTOM_TOOLS = [{"function": loud, "require_approval": False}]
"""

SLEEPER = """
import subprocess

def slow() -> str:
    '''Sleep.'''
    subprocess.run(["sleep", "60"])
    return "late"

CUSTOM_TOOLS = [{"function": slow, "require_approval": False}]
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    (folder / ".adal").mkdir(parents=True)
    (folder / ".adal" / "tools.py").write_text(BUMP)
    return folder


@pytest.fixture
def data_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], Path]:
    """Where the host keeps what it knows about a workspace."""
    monkeypatch.setenv("ADAL_DATA_DIR", str(tmp_path / "data"))
    return workspace_dir


async def test_the_greeting_tells_the_built_in_tools_with_those_the_settings_switch_off(
    server: Server, root: Path
) -> None:
    greeted = await server.initialize(root, disabledDefaultTools=["Bash"])
    told = {tool["name"]: tool for tool in greeted["tools"]}
    assert (told["bash"]["group"], told["bash"]["enabled"]) == ("Bash", False)
    assert (told["read_file"]["enabled"], told["read_file"]["requireApproval"]) == (True, False)
    assert all(tool["kind"] == "builtin" and tool["parameters"]["type"] == "object" for tool in greeted["tools"])


async def test_a_run_with_an_approval_goes_over_the_pipe(server: Server, root: Path) -> None:
    greeted = await server.initialize(root)
    assert (greeted["protocolVersion"], greeted["version"]) == (methods.PROTOCOL_VERSION, __version__)
    loaded = await server.request(methods.HOST_LOAD, {"projectRoot": str(root)})
    assert [tool["name"] for tool in loaded["project"]["tools"]] == ["bump"]
    assert loaded["project"]["tools"][0]["location"]["range"]["start"]["line"] == 4
    assert await server.until(methods.HOST_PROJECT) == {"project": loaded["project"]}

    server.approval_gate.clear()
    run_id = (await server.request(methods.RUN_START, {"prompt": "bump(tag='a')"}))["runId"]
    asked = await server.until(methods.APPROVAL_REQUEST)
    pending = await server.request(methods.APPROVAL_PENDING, {})
    assert pending == {"approvals": [asked]}
    assert (asked["tool"], asked["arguments"], asked["runId"]) == ("bump", {"tag": "a"}, run_id)
    assert await server.request(methods.APPROVAL_ARGUMENTS, {"approvalId": asked["approvalId"]}) == {
        "arguments": {"tag": "a"}
    }
    server.approval_gate.set()
    finished = await server.until(methods.RUN_UPDATE, type="finished")
    assert finished["stopReason"] == "end_turn"
    assert "ok a" in finished["answer"]
    assert await server.until(methods.APPROVAL_RESOLVED) == {"approvalId": asked["approvalId"], "reason": "answered"}
    assert (root / "runs.txt").read_text() == "a\n"

    (run,) = (await server.request(methods.RUN_LIST, {}))["runs"]
    assert (run["runId"], run["state"], run["model"]) == (run_id, "finished", "offline")
    replay = await server.request(methods.RUN_GET, {"runId": run_id, "fromSeq": 2})
    live = [params for method, params in server.told if method == methods.RUN_UPDATE]
    assert replay["events"] == live[1:]


async def test_an_answer_of_the_wrong_shape_denies(server: Server, root: Path) -> None:
    await server.initialize(root)
    server.answers = {"outcome": "approved", "optionId": "allow_once"}
    await server.request(methods.RUN_START, {"prompt": "bump(tag='a')"})
    result = await server.until(methods.RUN_UPDATE, type="toolResult")
    assert result["status"] == "cancelled"
    assert not (root / "runs.txt").exists()


async def test_grants_and_decisions_go_over_the_pipe(server: Server, root: Path) -> None:
    await server.initialize(root)
    server.answers = {"optionId": "always_arguments_workspace", "outcome": "selected"}
    await server.request(methods.RUN_START, {"prompt": "bump(tag='a')"})
    await server.until(methods.RUN_UPDATE, type="finished")
    (grant,) = (await server.request(methods.GRANTS_LIST, {}))["grants"]
    assert (grant["tool"], grant["covers"], grant["scope"], grant["arguments"]) == (
        "bump",
        "arguments",
        "workspace",
        '{"tag":"a"}',
    )
    assert (await server.request(methods.GRANTS_LIST, {"projectRoot": str(root)}))["grants"] == [grant]
    (decision,) = (await server.request(methods.DECISIONS_LIST, {}))["decisions"]
    assert (decision["decision"], decision["decidedBy"], decision["optionKind"]) == ("allow", "person", "allow_always")
    assert decision["rule"].startswith(grant["rule"])
    assert await server.request(methods.GRANTS_REVOKE, {"grantId": grant["grantId"]}) == {}
    assert await server.request(methods.GRANTS_LIST, {}) == {"grants": []}


async def test_edited_arguments_that_do_not_fit_come_back_with_the_place_under_the_same_id(
    server: Server, root: Path
) -> None:
    await server.initialize(root)
    server.answers = {"optionId": "allow_once", "outcome": "selected", "updatedInput": {"tag": 3}}
    run_id = (await server.request(methods.RUN_START, {"prompt": "bump(tag='a')"}))["runId"]
    first = await server.until(methods.APPROVAL_REQUEST)
    again = await server.until(methods.APPROVAL_REQUEST, problem="arguments.tag: 3 is not of type 'string'")
    assert again["approvalId"] == first["approvalId"]
    server.answers = {"optionId": "allow_once", "outcome": "selected", "updatedInput": {"tag": "mine"}}
    await server.until(methods.RUN_UPDATE, type="finished")
    assert (root / "runs.txt").read_text() == "mine\n"
    (decision,) = (await server.request(methods.DECISIONS_LIST, {"runId": run_id}))["decisions"]
    assert (decision["edited"], decision["arguments"]) == (True, {"tag": "mine"})


async def test_the_mode_of_a_run_is_switched_over_the_pipe_and_told(server: Server, root: Path) -> None:
    await server.initialize(root)
    server.approval_gate.clear()
    run_id = (await server.request(methods.RUN_START, {"prompt": "bump(tag='a')"}))["runId"]
    asked = await server.until(methods.APPROVAL_REQUEST)
    assert await server.request(methods.RUN_SET_MODE, {"runId": run_id, "mode": "yolo"}) == {}
    assert (await server.until(methods.RUN_UPDATE, type="mode"))["mode"] == "yolo"
    (waiting,) = (await server.request(methods.APPROVAL_PENDING, {}))["approvals"]
    assert waiting["approvalId"] == asked["approvalId"]
    assert not (root / "runs.txt").exists()
    server.approval_gate.set()
    await server.until(methods.RUN_UPDATE, type="finished")


async def test_what_tools_print_never_reaches_the_message_stream(server: Server, root: Path) -> None:
    (root / ".adal" / "tools.py").write_text(PRINTER)
    await server.initialize(root)
    await server.request(methods.RUN_START, {"prompt": "loud()"})
    result = await server.until(methods.RUN_UPDATE, type="toolResult")
    assert result["observation"] == "quiet"
    assert "printed" in result["printed"]
    await server.until(methods.RUN_UPDATE, type="finished")


async def test_an_untrusted_workspace_is_neither_loaded_nor_run_until_trust_is_granted(
    server: Server, root: Path
) -> None:
    await server.initialize(root, trusted=False)
    for method, params in (
        (methods.RUN_START, {"prompt": "bump(tag='a')"}),
        (methods.HOST_LOAD, {"projectRoot": str(root)}),
    ):
        with pytest.raises(RpcError, match="trust") as refused:
            await server.request(method, params)
        assert refused.value.code == REQUEST_FAILED
    assert await server.request(methods.RUN_LIST, {}) == {"runs": []}
    server.peer.notify(methods.TRUST_CHANGED, {"trusted": True})
    loaded = await server.request(methods.HOST_LOAD, {"projectRoot": str(root)})
    assert loaded["project"]["state"] == "loaded"


@pytest.mark.parametrize(
    ("method", "params", "message"),
    [
        (methods.RUN_START, {}, "prompt: Field required"),
        (methods.RUN_START, {"prompt": 3}, "prompt: Input should be a valid string"),
        (methods.RUN_START, {"prompt": "x", "permissionMode": "root"}, "permissionMode: Input should be"),
        (methods.RUN_START, {"prompt": "x", "agent": "nobody"}, "there is no agent 'nobody'"),
        (methods.RUN_GET, {"runId": "x", "fromSeq": "first"}, "fromSeq: Input should be a valid integer"),
        (methods.RUN_CANCEL, {}, "runId: Field required"),
        (methods.RUN_SET_MODE, {"runId": "x", "mode": "root"}, "mode: Input should be"),
        (methods.DECISIONS_LIST, {"limit": 0}, "limit: Input should be greater"),
    ],
)
async def test_params_that_do_not_fit_are_answered_readably(
    server: Server, root: Path, method: str, params: Json, message: str
) -> None:
    await server.initialize(root)
    with pytest.raises(RpcError) as refused:
        await server.request(method, params)
    assert message in refused.value.message
    assert refused.value.code == INVALID_PARAMS


async def test_requests_for_what_is_not_there_are_errors_with_the_id(server: Server, root: Path) -> None:
    with pytest.raises(RpcError, match="not initialized"):
        await server.request(methods.RUN_LIST, {})
    await server.initialize(root)
    for method, params in (
        (methods.RUN_GET, {"runId": "r1"}),
        (methods.RUN_CANCEL, {"runId": "r1"}),
        (methods.APPROVAL_ARGUMENTS, {"approvalId": "r1"}),
        (methods.RUN_SET_MODE, {"runId": "r1", "mode": "yolo"}),
        (methods.GRANTS_REVOKE, {"grantId": "r1"}),
    ):
        with pytest.raises(RpcError, match="r1") as refused:
            await server.request(method, params)
        assert refused.value.code == REQUEST_FAILED


async def test_another_protocol_version_is_refused_with_both_versions(server: Server) -> None:
    params = {"protocolVersion": 99, "version": "9.9.9", "trusted": True}
    with pytest.raises(RpcError, match=r"9\.9\.9.*99.*install the same version"):
        await server.request(methods.HOST_INITIALIZE, params)


async def test_cancel_is_answered_at_once_and_takes_the_question_back(server: Server, root: Path) -> None:
    await server.initialize(root)
    server.approval_gate.clear()
    run_id = (await server.request(methods.RUN_START, {"prompt": "bump(tag='a')"}))["runId"]
    asked = await server.until(methods.APPROVAL_REQUEST)
    assert await server.request(methods.RUN_CANCEL, {"runId": run_id}) == {}
    finished = await server.until(methods.RUN_UPDATE, type="finished")
    assert finished["stopReason"] == "cancelled"
    assert await server.until(methods.APPROVAL_RESOLVED) == {"approvalId": asked["approvalId"], "reason": "cancelled"}
    assert await server.request(methods.APPROVAL_PENDING, {}) == {"approvals": []}


async def test_when_the_server_goes_away_everything_ends_within_a_second(server: Server, root: Path) -> None:
    (root / ".adal" / "tools.py").write_text(SLEEPER)
    await server.initialize(root)
    await server.request(methods.RUN_START, {"prompt": "slow()"})
    await server.until(methods.RUN_UPDATE, type="toolCall", status="in_progress")
    host = psutil.Process(server.process.pid)
    while not any(child.name() == "sleep" for child in host.children(recursive=True)):
        await asyncio.sleep(0.02)
    children = host.children(recursive=True)
    assert server.process.stdin is not None
    began = time.monotonic()
    server.process.stdin.close()
    await asyncio.wait_for(server.process.wait(), 5)
    assert time.monotonic() - began < 1.5
    _, left = psutil.wait_procs(children, timeout=1)
    # A container's first process may never reap what it inherits; a zombie runs nothing.
    assert [process for process in left if process.status() != psutil.STATUS_ZOMBIE] == []


async def test_a_run_whose_editor_went_away_says_so_and_not_that_a_person_stopped_it(
    server: Server, root: Path
) -> None:
    await server.initialize(root)
    server.approval_gate.clear()
    await server.request(methods.RUN_START, {"prompt": "bump(tag='a')"})
    await server.until(methods.APPROVAL_REQUEST)
    assert server.process.stdin is not None
    server.process.stdin.close()
    notice = await server.until(methods.RUN_UPDATE, type="notice")
    assert notice["text"] == "Interrupted: the editor went away (its window was closed or reloaded)."
    finished = await server.until(methods.RUN_UPDATE, type="finished")
    assert (finished["stopReason"], finished["interrupted"]) == ("cancelled", True)


async def test_a_broken_message_is_answered_and_the_host_lives_on(server: Server, root: Path) -> None:
    assert server.process.stdin is not None
    server.process.stdin.write(with_headers(b"{not json"))
    server.process.stdin.write(with_headers(json.dumps({"jsonrpc": "2.0", "id": 7}).encode()))
    assert (await server.initialize(root))["version"] == __version__


async def test_a_damaged_run_store_is_told_at_the_greeting_and_the_rest_works(
    server: Server, root: Path, data_of: Callable[[Path], Path]
) -> None:
    folder = data_of(root)
    folder.mkdir(parents=True)
    (folder / "runs.db").write_bytes(b"no database, and long enough to be looked at as one" * 100)
    greeted = await server.initialize(root)
    (warning,) = greeted["warnings"]
    assert "moved to" in warning
    run_id = (await server.request(methods.RUN_START, {"prompt": "hello"}))["runId"]
    await server.until(methods.RUN_UPDATE, type="finished")
    assert [run["runId"] for run in (await server.request(methods.RUN_LIST, {}))["runs"]] == [run_id]


async def test_tools_work_where_the_run_store_cannot_be_used(
    server: Server, root: Path, data_of: Callable[[Path], Path]
) -> None:
    folder = data_of(root)
    folder.mkdir(parents=True)
    (folder / "runs.db").mkdir()
    greeted = await server.initialize(root)
    assert str(folder / "runs.db") in greeted["warnings"][0]
    assert (await server.request(methods.HOST_LOAD, {"projectRoot": str(root)}))["project"]["state"] == "loaded"
    tried = await server.request(methods.TOOLS_TRY, {"tool": "bump", "arguments": {"tag": "a"}})
    assert tried["observation"] == "ok a"
    with pytest.raises(RpcError, match=r"runs\.db cannot be used"):
        await server.request(methods.RUN_START, {"prompt": "hello"})


async def test_what_was_cut_of_a_call_can_be_asked_for_whole(server: Server, root: Path) -> None:
    text = "".join(f"{number} " for number in range(150_000))
    (root / ".adal" / "tools.py").write_text(
        "def dump(text: str) -> str:\n    '''Give back.'''\n    return text\n\n"
        "CUSTOM_TOOLS = [{'function': dump, 'require_approval': False}]\n"
    )
    turns = [{"calls": [{"name": "dump", "id": "c1", "arguments": {"text": text}}]}, {"text": "done"}]
    (root / "script.yaml").write_text(json.dumps(turns))
    await server.initialize(root)
    run_id = (await server.request(methods.RUN_START, {"prompt": "go", "model": "script:script.yaml"}))["runId"]
    await server.until(methods.RUN_UPDATE, type="finished")
    assert all(len(json.dumps(told)) < 1_000_000 for _, told in server.told)
    for of, whole in (("result", text), ("arguments", json.dumps({"text": text}))):
        parts = ""
        while True:
            asked = {"runId": run_id, "callId": "c1", "of": of, "offset": len(parts)}
            part = await server.request(methods.RUN_FULL_TEXT, asked)
            parts += part["text"]
            if len(parts) == part["total"]:
                break
        assert parts == whole
    with pytest.raises(RpcError, match="nothing was cut"):
        await server.request(methods.RUN_FULL_TEXT, {"runId": run_id, "callId": "c2"})
