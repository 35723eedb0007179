"""Connections to real MCP servers: the protocol package's own, and one by hand that does what no server should."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from adal_ls.agent.mcp import client as mcp_client
from adal_ls.agent.mcp import process as mcp_process
from adal_ls.agent.mcp import servers as mcp_servers
from adal_ls.agent.mcp.servers import McpServers
from adal_ls.agent.mcp.tools import ServedTools
from adal_ls.sdk import InvalidConfigError, McpServer, McpServerError
from tests.agent.mcp_bench import RAW, alive, called, over_http, pids, raw, real, until


@pytest.fixture
async def servers(tmp_path: Path) -> AsyncIterator[McpServers]:
    held = McpServers(tmp_path)
    yield held
    await held.close()


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with over_http(tmp_path_factory.mktemp("http")) as (url, _):
        yield url


async def one(servers: McpServers, server: McpServer) -> ServedTools:
    (served,) = await servers.serve([server])
    return served


def http(url: str, **settings: object) -> McpServer:
    return McpServer(name="library", url=url, **settings)  # type: ignore[arg-type]


# What a good server does.


async def test_m2_connect_list_and_call_over_stdio(servers: McpServers, tmp_path: Path) -> None:
    served = await one(servers, real(env={"LANG": "C.UTF-8"}))
    add = next(tool for tool in served.tools if tool.name == "add")
    assert (add.description, add.parameters["required"]) == ("Add two numbers.", ["a"])
    assert (await called(served, "add", a=4)).output == {"result": 5}
    picture = await called(served, "picture")
    assert picture.observation.splitlines()[:3] == ["a text", "[image image/png, 24 bytes]", "[resource book://moby]"]
    assert [part["type"] for part in picture.output] == ["text", "image", "resource", "resource_link"]
    failed = await called(served, "fails")
    assert (failed.status, failed.observation) == ("error", "no such book")
    wrong = await called(served, "add", a="four")
    assert wrong.status == "error"
    assert "integer" in wrong.observation


async def test_m2_connect_list_and_call_over_http(servers: McpServers, endpoint: str) -> None:
    served = await one(servers, http(endpoint))
    assert (await called(served, "add", a=4, b=2)).output == {"result": 6}
    assert (await called(served, "fails")).status == "error"


async def test_a_program_sees_its_folder_and_no_variable_that_was_not_declared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    monkeypatch.setenv("LIBRARY_TOKEN", "canary-token")
    servers = McpServers(tmp_path)
    served = await one(servers, real(env={"TOKEN": "${LIBRARY_TOKEN}"}))
    told = (await called(served, "surroundings")).output
    await servers.close()
    assert told["cwd"] == str(tmp_path.resolve())
    assert told["env"]["TOKEN"] == "canary-token"
    assert "OPENAI_API_KEY" not in told["env"]
    assert "LIBRARY_TOKEN" not in told["env"]


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_progress_comes_while_a_call_runs_and_a_cancelled_call_is_cancelled_at_the_server(
    servers: McpServers, endpoint: str, tmp_path: Path, transport: str
) -> None:
    served = await one(servers, real() if transport == "stdio" else http(endpoint))
    told: list[str] = []
    call = asyncio.ensure_future(called(served, "slow", told.append))
    await until(lambda: len(told) > 1)
    assert "/600 step" in told[0]
    began = time.monotonic()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert time.monotonic() - began < 1
    if transport == "stdio":
        await until((tmp_path / "cancelled.txt").exists)
    assert (await called(served, "add", a=1)).status == "success"


async def test_a_list_of_many_pages_is_read_to_its_end(servers: McpServers) -> None:
    served = await one(servers, raw("paged"))
    assert [tool.name for tool in served.tools] == [f"tool_{number}" for number in range(5)]


async def test_a_connection_is_made_once_and_kept_over_runs(servers: McpServers, tmp_path: Path) -> None:
    assert not pids(tmp_path)  # lazily: not before a run needs it
    first, second = await asyncio.gather(one(servers, raw()), one(servers, raw()))
    await one(servers, raw())
    assert len(pids(tmp_path)) == 1
    assert len(await servers.serve([raw(), raw()])) == 1  # the same words, the same server
    calls = await asyncio.gather(*(called(each, "echo", text="a") for each in (first, second) * 8))
    assert {result.observation for result in calls} == {"echo a"}


async def test_a_connection_that_failed_is_tried_again_by_the_next_run(servers: McpServers, tmp_path: Path) -> None:
    with pytest.raises(
        McpServerError, match=r"'raw' cannot be used: it ended \(exit code 1\); it said: no library here"
    ):
        await one(servers, raw("fail"))
    (tmp_path / "ready.txt").touch()
    assert (await called(await one(servers, raw("fail")), "echo", text="b")).observation == "echo b"


async def test_what_cannot_be_started_or_reached_says_so(servers: McpServers, unused_tcp_port: int) -> None:
    with pytest.raises(McpServerError, match="cannot be started: nowhere-server: there is no such program"):
        await one(servers, raw(command=["nowhere-server"]))
    with pytest.raises(McpServerError, match=r"cannot be started: .*/missing: No such file"):
        await one(servers, raw(command=["./missing"]))
    with pytest.raises(McpServerError, match="cannot be reached"):
        await one(servers, http(f"http://127.0.0.1:{unused_tcp_port}/mcp"))
    with pytest.raises(InvalidConfigError, match="NOT_SET"):
        await one(servers, raw(env={"A": "${NOT_SET}"}))


async def test_an_endpoint_that_is_no_mcp_server_says_so(servers: McpServers, endpoint: str) -> None:
    with pytest.raises(McpServerError, match="'library' cannot be used: it answered with an error: Not Found"):
        await one(servers, http(endpoint.replace("/mcp", "/other")))


# Its end.


@pytest.mark.parametrize("modes", [("child",), ("child", "stubborn")])
async def test_closing_ends_the_program_and_all_it_has_started(tmp_path: Path, modes: tuple[str, ...]) -> None:
    servers = McpServers(tmp_path)
    await one(servers, raw(*modes))
    started = pids(tmp_path) + [int(line) for line in (tmp_path / "children.txt").read_text().split()]
    assert len(started) == 3
    assert all(alive(pid) for pid in started)
    began = time.monotonic()
    await servers.close()
    await servers.close()
    assert time.monotonic() - began < 3
    assert not [pid for pid in started if alive(pid)]


async def test_of_many_connections_those_used_last_stay_and_the_others_open_again(
    servers: McpServers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_servers, "MOST_OPEN", 2)
    served = [await one(servers, raw(env={"SHELF": str(number)})) for number in range(4)]
    assert [alive(pid) for pid in pids(tmp_path)] == [False, True, True, True]
    assert {(await called(each, "echo", text="a")).observation for each in served} == {"echo a"}


async def test_the_end_of_a_providers_life_closes_its_connection(servers: McpServers, tmp_path: Path) -> None:
    server = raw()
    served = await one(servers, server)
    await server.lifetime.end()
    assert not alive(pids(tmp_path)[0])
    gone = await called(served, "echo", text="a")
    assert (gone.status, gone.observation) == ("error", "MCP server 'raw' was disposed with its project")


def test_a_loop_that_ends_without_a_word_leaves_no_program_behind(tmp_path: Path) -> None:
    program = (
        "import asyncio, sys\nfrom pathlib import Path\n"
        "from adal_ls.agent.mcp.servers import McpServers\nfrom tests.agent.mcp_bench import raw\n"
        f"asyncio.run(McpServers(Path({str(tmp_path)!r})).serve([raw('child', 'stubborn')]))\n"
    )
    root = RAW.parents[2]
    done = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    started = pids(tmp_path) + [int(line) for line in (tmp_path / "children.txt").read_text().split()]
    assert len(started) == 3
    assert not [pid for pid in started if alive(pid)]


# What a bad server does.


async def test_a_server_that_dies_in_a_call_is_a_readable_error_and_connected_to_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("LIBRARY_TOKEN", "canary-token")
    caplog.set_level(logging.DEBUG, "adal_ls")
    servers = McpServers(tmp_path)
    served = await one(servers, raw("crash", env={"LIBRARY_TOKEN": "${LIBRARY_TOKEN}"}))
    died = await called(served, "crash")
    assert died.status == "error"
    assert "'raw' crashed (signal SIGKILL); it said: the key is ***" in died.observation
    assert "what it did until then is not known" in died.observation
    assert (await called(served, "echo", text="again")).observation == "echo again"
    assert len(pids(tmp_path)) == 2
    await servers.close()
    assert "the key is ***" in caplog.text  # what it writes to stderr is in the log, without secrets
    assert "canary-token" not in caplog.text


async def test_a_server_that_changed_while_it_was_gone_runs_nothing_of_what_was_allowed(
    servers: McpServers, tmp_path: Path
) -> None:
    served = await one(servers, raw("crash"))
    (tmp_path / "about.txt").write_text("Something else.")
    await called(served, "crash")
    changed = await called(served, "echo", text="a")
    assert (changed.status, "Nothing was executed" in changed.observation) == ("error", True)
    assert "echo" not in (tmp_path / "calls.txt").read_text()
    assert (await one(servers, raw("crash"))).tools[0].description == "Something else."


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_a_tool_that_changes_in_a_run_is_not_run_any_more_and_new_in_the_next(
    servers: McpServers, tmp_path: Path, transport: str
) -> None:
    with over_http(tmp_path) as (url, _):
        server = real() if transport == "stdio" else http(url)
        served = await one(servers, server)
        assert (await called(served, "note", text="a")).status == "success"
        await called(served, "change")
        refused: list[str] = []

        async def refuses() -> bool:
            result = await called(served, "note", text="b")
            refused.append(result.observation)
            return result.status == "error"

        while not await refuses():  # the notice of it may come a moment after the answer
            await asyncio.sleep(0.01)
        assert "its server has changed it since this run began" in refused[-1]
        assert (await called(served, "add", a=1)).status == "success"
        after = await one(servers, server)
        note = next(tool for tool in after.tools if tool.name == "note")
        assert note.description == "Something else now."
        before = next(tool for tool in served.tools if tool.name == "note")
        assert note.source_digest != before.source_digest  # what was allowed for it is asked about again
        await servers.close()


async def test_a_script_of_the_project_that_a_command_names_is_part_of_what_was_allowed(tmp_path: Path) -> None:
    script = tmp_path / "server.py"
    script.write_bytes(RAW.read_bytes())
    digests = []
    for _ in range(2):
        servers = McpServers(tmp_path)
        served = await one(servers, raw(command=[sys.executable, "server.py"]))
        digests.append(served.tools[0].source_digest)
        await servers.close()
        script.write_bytes(RAW.read_bytes() + b"\n# changed\n")
    assert digests[0] != digests[1]


async def test_another_version_of_a_server_is_asked_about_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digests = set()
    for version in ("1", "2", "2"):
        monkeypatch.setenv("V", version)
        servers = McpServers(tmp_path)
        digests.add((await one(servers, raw(env={"RAW_VERSION": "${V}"}))).tools[0].source_digest)
        await servers.close()
    assert len(digests) == 2


@pytest.mark.parametrize(
    ("mode", "told"),
    [
        ("mute", "did not answer within 0.5 seconds"),
        ("unlisted", "did not list its tools within 0.5 seconds"),
        ("many", "lists more than 1000 tools"),
        ("endless", "lists its tools without an end"),
        ("circle", "lists its tools without an end"),
        ("notify", "sends thousands of messages that nobody asked for"),
        ("array", r"not what the protocol says \(tools.1.inputSchema.type: Input should be 'object'\)"),
        ("line", "sent a message of more than 1,000,000 bytes"),
    ],
)
async def test_a_server_that_never_gives_a_list_costs_its_time_and_no_more(
    servers: McpServers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str, told: str
) -> None:
    monkeypatch.setattr(mcp_process, "MAX_MESSAGE", 1_000_000)
    assert mcp_client  # imported: that takes its time, and is not what this is about
    quick = mode in ("mute", "unlisted")
    longest, since = 0.0, time.monotonic()

    async def tick() -> None:
        nonlocal longest, since
        while True:
            since = time.monotonic()
            await asyncio.sleep(0.01)
            longest = max(longest, time.monotonic() - since)

    ticking = asyncio.ensure_future(tick())
    with pytest.raises(McpServerError, match=told):
        await one(servers, raw(mode, timeout_ms=500 if quick else 20_000))
    ticking.cancel()
    assert longest < 1  # nothing else was held up
    await servers.close()
    assert not alive(pids(tmp_path)[0])


async def test_what_is_no_message_is_passed_over_and_logged(
    servers: McpServers, caplog: pytest.LogCaptureFixture
) -> None:
    served = await one(servers, raw("garbage"))
    assert (await called(served, "echo", text="a")).observation == "echo a"
    assert "Welcome to the library!" in caplog.text
    assert "\\u{1b}[31m{not json" in caplog.text
    assert "\x1b" not in caplog.text


async def test_a_call_that_is_never_answered_ends_in_time_and_the_server_is_told(
    servers: McpServers, tmp_path: Path
) -> None:
    served = await one(servers, raw("stall", timeout_ms=1500))
    result = await called(served, "stall")
    assert result.status == "error"
    assert "'raw' did not answer the call of stall within 1.5 seconds, and was told to stop" in result.observation
    await until((tmp_path / "cancelled.txt").exists)
    assert (await called(served, "echo", text="a")).observation == "echo a"


async def test_a_cancel_ends_also_with_a_server_that_does_not_listen(servers: McpServers, tmp_path: Path) -> None:
    served = await one(servers, raw("deaf"))
    call = asyncio.ensure_future(called(served, "echo", text="x" * 1_000_000))
    await asyncio.sleep(0.3)
    began = time.monotonic()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert time.monotonic() - began < 1.5
    await until(lambda: not alive(pids(tmp_path)[0]))


async def test_an_answer_that_is_none_is_an_error_that_says_so(servers: McpServers) -> None:
    result = await called(await one(servers, raw("cut")), "cut")
    assert result.status == "error"
    assert "its answer is not what the protocol says (" in result.observation


async def test_a_servers_own_regular_expressions_hold_nothing_up(servers: McpServers) -> None:
    served = await one(servers, raw("odd"))
    assert [tool.name for tool in served.tools] == ["good", "with-dash/and.dot", "hidden", "regex"]
    assert len(served.left_out) == 5
    result = await asyncio.wait_for(called(served, "regex"), 5)
    assert result.output == {"a": "a" * 40 + "!"}


async def test_progress_without_end_is_cut(servers: McpServers) -> None:
    told: list[str] = []
    assert (await called(await one(servers, raw("flood")), "flood", told.append)).observation == "done"
    assert sum(map(len, told)) < 80_000
    assert told[-1].startswith("…")


async def test_what_a_server_wants_of_us_is_declined(servers: McpServers, tmp_path: Path) -> None:
    assert (await called(await one(servers, raw("ask")), "ask")).observation == "asked"
    await until((tmp_path / "declined.txt").exists)


def test_nothing_of_the_protocol_is_imported_before_a_server_is_used() -> None:
    program = (
        "import sys\nimport adal_ls.agent.host, adal_ls.agent.inprocess.agents, adal_ls.agent.mcp.servers\n"
        "print(sorted({'mcp', 'mcp_types', 'httpx2'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
