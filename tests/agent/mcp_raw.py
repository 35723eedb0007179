"""An MCP server by hand, on the standard library alone, that does what its arguments say: `python mcp_raw.py hang`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

MODES = set(sys.argv[1:])
CALLS: list[Any] = []
PLAIN = {"type": "object", "properties": {"text": {"type": "string"}}}


def send(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def answer(asked: dict[str, Any], result: Any) -> None:
    send({"id": asked["id"], "result": result})


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": words}], **more}


def deep(levels: int) -> Any:
    return {"type": "object", "properties": {"a": deep(levels - 1)}} if levels else {"type": "string"}


def named(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "description": f"The tool {name}.", "inputSchema": PLAIN, **more}


def tools() -> list[dict[str, Any]]:
    if "odd" in MODES:
        regex = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}}
        return [
            named("good", annotations={"readOnlyHint": True}),
            named("with-dash/and.dot"),
            named("hidden", description="Plain\u200b\U000e0041 words."),
            named("bad name\u202e"),
            named("twice"),
            named("twice"),
            named("deep", inputSchema=deep(80)),
            named("huge", description="x" * 70_000),
            named("wrong", inputSchema={"type": "object", "properties": {"a": {"type": "text"}}}),
            named("regex", outputSchema=regex),
        ]
    if "array" in MODES:
        return [named("good"), named("list", inputSchema={"type": "array"})]
    if "many" in MODES:
        return [named(f"tool_{number}") for number in range(5000)]
    about = Path("about.txt").read_text(encoding="utf-8") if Path("about.txt").exists() else "The tool echo."
    listed = [named("echo", description=about), *(named(mode[5:]) for mode in MODES if mode.startswith("tool="))]
    return [*listed, *(named(name) for name in ("cut", "crash", "stall", "ask", "flood", "regex") if name in MODES)]


def page(asked: dict[str, Any]) -> dict[str, Any]:
    if "endless" in MODES:
        at = int(asked.get("params", {}).get("cursor") or 0)
        return {"tools": [named(f"tool_{at}")], "nextCursor": str(at + 1)}
    if "circle" in MODES:
        return {"tools": [named("echo")], "nextCursor": "again"}
    if "paged" in MODES:
        at = int(asked.get("params", {}).get("cursor") or 0)
        return {"tools": [named(f"tool_{at}")], **({"nextCursor": str(at + 1)} if at < 4 else {})}
    return {"tools": tools()}


def call(asked: dict[str, Any]) -> None:
    name, arguments = asked["params"]["name"], asked["params"].get("arguments") or {}
    note("calls.txt", json.dumps([name, arguments]))
    if name == "crash":
        sys.stderr.write("the key is " + os.environ.get("LIBRARY_TOKEN", "none") + "\n")
        sys.stderr.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    if name == "stall":
        return
    if name == "regex":
        answer(asked, text("", structuredContent={"a": "a" * 40 + "!"}))
    elif name == "flood":
        token = asked["params"].get("_meta", {}).get("progressToken")
        for at in range(2_000):
            told = {"progressToken": token, "progress": at, "message": "x" * 1000}
            send({"method": "notifications/progress", "params": told})
        answer(asked, text("done"))
    elif name == "cut":
        answer(asked, {"content": "no list"})
    elif name == "ask":
        send({"id": "s1", "method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 5}})
        answer(asked, text("asked"))
    else:
        answer(asked, text(f"echo {arguments.get('text', '')}"))


def handle(asked: dict[str, Any]) -> None:
    method = asked.get("method")
    if method == "initialize":
        if "mute" in MODES:
            return
        info = {"name": "raw", "version": os.environ.get("RAW_VERSION", "1")}
        able = {"tools": {"listChanged": True}}
        answer(asked, {"protocolVersion": "2025-06-18", "capabilities": able, "serverInfo": info})
    elif method == "tools/list":
        if "unlisted" in MODES:
            return
        answer(asked, page(asked))
    elif method == "tools/call":
        call(asked)
    elif method == "notifications/cancelled":
        Path("cancelled.txt").write_text(json.dumps(asked["params"]), encoding="utf-8")
    elif "id" in asked and method is not None:
        send({"id": asked["id"], "error": {"code": -32601, "message": "Method not found"}})
    elif "id" in asked:
        Path("declined.txt").write_text(json.dumps(asked.get("error")), encoding="utf-8")


def note(file: str, text: object) -> None:
    with Path(file).open("a", encoding="utf-8") as to:
        to.write(f"{text}\n")


def main() -> None:
    note("pids.txt", os.getpid())
    if "child" in MODES:
        for session in (False, True):
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=session)
            note("children.txt", child.pid)
    if "stubborn" in MODES:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "fail" in MODES and not Path("ready.txt").exists():
        sys.exit("no library here")
    if "garbage" in MODES:
        sys.stdout.write("Welcome to the library!\n\x1b[31m{not json\n\n[1, 2]\n")
    if "line" in MODES:
        while True:
            sys.stdout.write("x" * 1_000_000)
    if "notify" in MODES:
        while True:
            send({"method": "notifications/message", "params": {"level": "info", "data": "noise"}})
    for line in sys.stdin:
        handle(json.loads(line))
        if "deaf" in MODES and '"tools/list"' in line:
            time.sleep(600)
    if "stubborn" in MODES:
        time.sleep(600)


main()
