"""A scripted stand-in for the agent host: `fake_host.py BEHAVIOUR RECORD`.

It stands in where a test is about order, malformed answers and sudden death, which the real host does not do on
demand; the real host is driven end to end in tests/e2e. RECORD gets every message it was sent, one a line.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

BEHAVIOUR, RECORD = sys.argv[1], Path(sys.argv[2])

DIGEST = "d1"
ARGUMENTS = {"name": "Ada\u202e", "nested": {"jsonrpc": "2.0", "method": "zz", "id": 4}, "class": 1, "b-c": 2}
OPTIONS: list[dict[str, str]] = [
    {"optionId": "once", "kind": "allow_once", "label": "Allow once"},
    {"optionId": "always", "kind": "allow_always", "label": "Always allow", "rule": "greet with these arguments"},
    {"optionId": "no", "kind": "reject_once", "label": "Reject"},
]

seq = 0
loads = 0
asked: dict[int, str] = {}


def send(message: dict[str, Any]) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    sys.stdout.buffer.flush()


def read() -> dict[str, Any]:
    size = 0
    while (line := sys.stdin.buffer.readline()) not in (b"\r\n", b""):
        size = int(line.split(b":")[1])
    if not size:
        sys.exit(0)
    message: dict[str, Any] = json.loads(sys.stdin.buffer.read(size))
    with RECORD.open("a") as record:
        record.write(json.dumps(message) + "\n")
    return message


def update(run: str, event: dict[str, Any]) -> None:
    global seq
    seq += 1
    send({"method": "adal/run/update", "params": {"runId": run, "seq": seq, "event": event}})


def approval(run: str) -> dict[str, Any]:
    request: dict[str, Any] = {
        "approvalId": f"a-{run}",
        "runId": run,
        "callId": "c1",
        "tool": "greet",
        "argsDigest": DIGEST,
        "options": OPTIONS,
        "preview": {"text": "greet", "command": "echo hi", "cwd": "/somewhere"},
        "risk": ["runs a shell command"],
    }
    if BEHAVIOUR == "large":
        request["argumentsSize"] = 2_000_000
    else:
        request["arguments"] = ARGUMENTS
    return request


def start_run(key: int) -> None:
    run = f"r{key}"
    send({"id": key, "result": {"runId": run}})
    update(run, {"type": "prompt", "text": "hi"})
    update(run, {"type": "state", "state": "running"})
    if BEHAVIOUR == "die in run":
        sys.exit(3)
    if BEHAVIOUR == "no approval":
        update(run, {"type": "finished", "stopReason": "end_turn", "answer": "done"})
        return
    if BEHAVIOUR == "wait":
        return
    number = 1000 + key
    asked[number] = run
    send({"id": number, "method": "adal/approval/request", "params": approval(run)})
    if BEHAVIOUR == "die while asking":
        time.sleep(0.2)
        os._exit(4)
    if BEHAVIOUR == "withdraw":
        send({"method": "$/cancelRequest", "params": {"id": number}})
        send({"method": "adal/approval/resolved", "params": {"approvalId": f"a-{run}", "reason": "cancelled"}})
        del asked[number]
        update(run, {"type": "finished", "stopReason": "cancelled"})


def take_answer(message: dict[str, Any]) -> None:
    run = asked.pop(message["id"], None)
    if run is None:
        return
    answer = message.get("result", {})
    option = {option["optionId"]: option for option in OPTIONS}.get(answer.get("optionId"), {})
    allowed = answer.get("outcome") == "selected" and option.get("kind", "").startswith("allow")
    text = "approved" if allowed else f"denied: {answer.get('feedback')}"
    update(run, {"type": "finished", "stopReason": "end_turn", "answer": text})


def handle(message: dict[str, Any]) -> None:
    global loads
    method, key = message.get("method"), message.get("id")
    params = message.get("params") or {}
    if method is None:
        take_answer(message)
    elif method == "adal/host/initialize":
        if BEHAVIOUR == "stubborn":
            child = subprocess.Popen(["sleep", "600"])
            RECORD.with_suffix(".pids").write_text(f"{os.getpid()} {child.pid}")
        version = 99 if BEHAVIOUR == "other protocol" else 1
        warnings = {"warnings": ["the run store was moved"]} if BEHAVIOUR == "warns" else {}
        greeting = {"protocolVersion": version, "version": "0.0.9", "python": "3.99.0", **warnings}
        send({"id": key, "result": greeting})
    elif method == "adal/host/load":
        loads += 1
        root = params["projectRoot"]
        tools = [
            {"name": "greet", "description": "As loaded.", "parameters": {"type": "object"}, "requireApproval": True,
             "kind": "custom"},
            {"name": "bash", "description": "Runs a command.", "parameters": {"type": "object"},
             "requireApproval": True, "kind": "builtin", "group": "Bash"},
        ]  # fmt: skip
        project = {
            "root": root,
            "file": f"{root}/.adal/tools.py",
            "state": "loaded",
            "generation": loads,
            "tools": tools,
        }
        send({"id": key, "result": {"project": project}})
    elif method == "adal/run/start" and key is not None:
        start_run(key)
    elif method == "adal/run/cancel":
        send({"id": key, "result": {}})
        update(params["runId"], {"type": "finished", "stopReason": "cancelled"})
    elif method == "adal/approval/arguments":
        send({"id": key, "result": {"arguments": ARGUMENTS}})
    elif method == "adal/run/list" and BEHAVIOUR == "slow":
        return
    elif method == "$/cancelRequest":
        send({"id": params["id"], "error": {"code": -32800, "message": "cancelled"}})
    elif key is not None:
        send({"id": key, "result": {"asked": method, "params": params}})


def main() -> None:
    if BEHAVIOUR == "die at start":
        sys.exit(7)
    while True:
        handle(read())


try:
    main()
except SystemExit:
    if BEHAVIOUR == "stubborn":
        time.sleep(600)
    raise
