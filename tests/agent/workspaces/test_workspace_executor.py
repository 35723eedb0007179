"""Workspaces under a policy of their own, and the pool of their executors.

Codes W1 to W10 are those of the workspace tools' checklist.
"""

from __future__ import annotations

import asyncio
import importlib
import os
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from adal_ls.agent.builtin import BuiltinContext, execute
from adal_ls.agent.runs.registry import RegisteredTool
from adal_ls.agent.sandbox import macos as sandbox_macos
from adal_ls.agent.sandbox import sandbox
from adal_ls.agent.sandbox.sandbox import Confinement, SandboxUnavailableError
from adal_ls.agent.workspaces.run_workspaces import RunWorkspaces
from adal_ls.agent.workspaces.workspace_executor import ExecutorPool, WorkspaceExecutor, is_unconfined
from adal_ls.agent.workspaces.workspace_policy import InvalidPolicyError, WorkspacePolicy
from adal_ls.sdk import InvalidConfigError, ToolContext, create_workspace_tool_provider
from adal_ls.sdk.hosted import WORKSPACE_TOOLS
from adal_ls.sdk.hosted import WorkspacePolicy as Keys


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ADAL_DATA_DIR", str(tmp_path / "data"))
    root = Path(os.path.realpath(tmp_path)) / "project"
    (root / "sub").mkdir(parents=True)
    return root


@pytest.fixture
async def pool() -> AsyncIterator[ExecutorPool]:
    pool = ExecutorPool()
    yield pool
    await pool.close()


def gone(executor: WorkspaceExecutor) -> bool:
    return executor.disposed


class Workspace:
    """A provider as a project makes one, served to one run."""

    def __init__(self, project: Path, pool: ExecutorPool, **policy: Any) -> None:
        self._project = project
        self._provider = create_workspace_tool_provider(**policy)
        self._held = RunWorkspaces(project, pool)

    def tool(self, name: str, context: Any = None) -> RegisteredTool:
        ctx = ToolContext("coder", "call", "scope", project_root=self._project, tool_provider_context=context)
        described: Any = self._provider.get_tools(ctx)
        return self._held.tool(described[name])

    def executor(self) -> WorkspaceExecutor:
        executor = self.tool("bash").executor
        assert executor is not None
        return executor

    async def call(self, name: str, context: Any = None, **arguments: Any) -> str:
        executor = self.tool(name, context).executor
        return (
            await execute(name, arguments, BuiltinContext(Path("/"), executor=executor), lambda _: None)
        ).observation

    async def release(self) -> None:
        await self._held.release()


async def test_w1_files_and_commands_share_one_folder(project: Path, pool: ExecutorPool) -> None:
    workspace = Workspace(project, pool, cwd="sub")
    await workspace.call("write_file", path="a.txt", content="hello\n")
    assert (project / "sub" / "a.txt").read_text() == "hello\n"
    assert await workspace.call("bash", command="pwd; cat a.txt") == f"{project}/sub\nhello\n[exit code 0]"


async def test_w2_the_folder_of_a_call_comes_before_both(project: Path, tmp_path: Path, pool: ExecutorPool) -> None:
    other = tmp_path / "other"
    other.mkdir()
    workspace = Workspace(project, pool, cwd="sub")
    context = {"cwd": str(other)}
    await workspace.call("write_file", context, path="a.txt", content="x")
    said = await workspace.call("bash", context, command="pwd; ls")
    assert said.startswith(f"{os.path.realpath(other)}\na.txt\n")
    assert list((project / "sub").iterdir()) == []


async def test_w4_the_describing_tool_tells_both(project: Path, pool: ExecutorPool) -> None:
    workspace = Workspace(project, pool, cwd="sub", deny_read=["sub/x"])
    said = await workspace.call("describe_workspace_env")
    assert f"files: relative paths start in {project}/sub" in said
    assert f"bash: starts in {project}/sub, in a sandbox, with no network, 30 seconds" in said


async def test_w5_the_same_policy_shares_an_executor_that_ends_with_its_last_user(
    project: Path, pool: ExecutorPool
) -> None:
    (project / "link").symlink_to("sub")
    one = Workspace(project, pool, allow_write=["sub", "sub/../sub"])
    two = Workspace(project, pool, allow_write=[str(project / "link")])
    shared = one.executor()
    assert two.executor() is shared
    assert one.executor() is shared
    await one.release()
    await one.release()
    assert not gone(shared)
    await two.release()
    assert gone(shared)
    again = pool.acquire(project, shared.policy)
    assert again is not shared


async def test_w5_another_policy_has_another_executor(project: Path, pool: ExecutorPool) -> None:
    base = WorkspacePolicy.of(project)
    others = [replace(base, bash_timeout_ms=1), replace(base, allow_env=("A",)), replace(base, allow_network=True)]
    assert len({id(pool.acquire(project, policy)) for policy in (base, *others)}) == 4


async def test_w6_other_roots_do_not_share(project: Path, pool: ExecutorPool) -> None:
    policy = WorkspacePolicy.of(project)
    assert pool.acquire(project, policy) is not pool.acquire(project / "sub", policy)


def test_w7_a_root_that_is_not_there_is_an_error(project: Path, pool: ExecutorPool) -> None:
    with pytest.raises(InvalidPolicyError, match="is not there"):
        pool.acquire(project / "nothing", WorkspacePolicy.of(project))
    with pytest.raises(InvalidConfigError, match=r"workspace tool 'bash': .* is not there"):
        Workspace(project, pool, cwd="nothing").tool("bash")


def test_w8_nobody_brings_an_executor_of_their_own() -> None:
    """Elsewhere an executor may stand in the place of a policy; here it is the host's alone."""
    with pytest.raises(InvalidConfigError, match="no workspace setting 'executor'"):
        create_workspace_tool_provider(allow_network=True, executor=object())  # type: ignore[call-arg]


async def test_w9_releasing_ends_what_runs(project: Path, pool: ExecutorPool) -> None:
    workspace = Workspace(project, pool)
    started = asyncio.Event()
    executor = workspace.executor()
    running = asyncio.ensure_future(executor.run("echo on; sleep 60", on_output=lambda _: started.set()))
    await asyncio.wait_for(started.wait(), 10)
    await workspace.release()
    with pytest.raises(SandboxUnavailableError, match="disposed"):
        await asyncio.wait_for(running, 5)
    with pytest.raises(SandboxUnavailableError, match="disposed"):
        await executor.run("touch ran")
    assert not (project / "ran").exists()


async def test_w10_the_pool_survives_the_reload_of_a_project(project: Path, pool: ExecutorPool) -> None:
    """A reload makes a new provider before the old one is disposed; the code that describes both is loaded anew."""
    outgoing = Workspace(project, pool, cwd="sub")
    executor = outgoing.executor()
    importlib.reload(importlib.import_module("adal_ls.sdk.workspace"))
    incoming = Workspace(project, pool, cwd="sub")
    assert incoming.executor() is executor
    await outgoing.release()
    assert not executor.disposed
    assert (await executor.run("echo alive")).output == b"alive\n"


async def test_disposing_the_pool_ends_everything(project: Path) -> None:
    pool = ExecutorPool()
    executor = pool.acquire(project, WorkspacePolicy.of(project))
    await pool.close()
    assert executor.disposed
    await pool.release(executor)


def test_the_host_takes_every_key_and_tool_that_the_sdk_gives(project: Path, pool: ExecutorPool) -> None:
    known = set(WorkspacePolicy.__dataclass_fields__)
    assert set(Keys.__annotations__) == known
    workspace = Workspace(project, pool)
    assert [workspace.tool(name).name for name in WORKSPACE_TOOLS] == list(WORKSPACE_TOOLS)


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ({"allow_wirte": []}, "unknown key allow_wirte"),
        ({"allow_write": "src"}, "list of texts"),
        ({"deny_read": ["**/.env"]}, "is a pattern"),
        ({"allow_network": "yes"}, "true or false"),
        ({"allow_env": 5}, "allow_env"),
        ({"backend": "asrt"}, "'asrt' is not there"),
        ({"allowed_urls": ["ftp://x"]}, "allowed_urls"),
        ({"cwd": 7}, "cwd must be a path"),
    ],
)
def test_a_policy_that_cannot_be_kept_is_refused(project: Path, keys: dict[str, Any], why: str) -> None:
    with pytest.raises(InvalidPolicyError, match=why):
        WorkspacePolicy.parse(keys, cwd=project)


async def run(project: Path, command: str, **keys: Any) -> str:
    executor = WorkspaceExecutor(project, WorkspacePolicy.parse(keys, cwd=project))
    return (await executor.run(command)).output.decode()


async def test_a_command_writes_where_the_policy_lets_it(project: Path, tmp_path: Path) -> None:
    beside = tmp_path / "beside"
    beside.mkdir()
    command = f"echo a > a; echo b > sub/b; echo c > {beside}/c"
    await run(project, command, allow_write=["sub", str(beside)])
    assert not (project / "a").exists()
    assert (project / "sub" / "b").exists()
    assert (beside / "c").exists()
    said = await run(project, "echo x > y; ls", allow_write=[])
    assert "Read-only file system" in said


async def test_a_command_neither_reads_nor_writes_what_is_denied(project: Path) -> None:
    (project / "secret").mkdir()
    (project / "secret" / "key").write_text("canary")
    (project / "one.txt").write_text("canary")
    (project / "kept.txt").write_text("kept")
    keys = {"deny_read": ["secret", "one.txt"], "deny_write": ["kept.txt"]}
    said = await run(
        project, "cat secret/key one.txt; echo bad > kept.txt; echo bad > secret/key; cat kept.txt", **keys
    )
    assert "canary" not in said
    assert said.endswith("kept")
    assert (project / "secret" / "key").read_text() == "canary"


async def test_a_denied_file_that_does_not_exist_yet_cannot_be_kept_away_so_nothing_runs(project: Path) -> None:
    with pytest.raises(SandboxUnavailableError, match="does not exist yet"):
        await run(project, "echo bad > later", deny_write=["later"])


async def test_a_command_has_the_network_only_where_the_policy_gives_it(project: Path) -> None:
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    command = f"exec 3<>/dev/tcp/127.0.0.1/{port} && echo connected"
    assert "connected" not in await run(project, command)
    assert "connected" not in await run(project, command, allow_network=False)
    assert "connected" in await run(project, command, allow_network=True)
    server.close()
    for domains in ({"allowed_domains": ["example.com"]}, {"denied_domains": ["example.com"]}):
        with pytest.raises(SandboxUnavailableError, match="filters domains"):
            await run(project, command, allow_network=True, **domains)


async def test_a_command_inherits_the_variables_the_policy_names(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("APP_ONE", "1")
    monkeypatch.setenv("APP_TWO", "2")
    monkeypatch.setenv("SECRET", "canary")
    command = "echo $APP_ONE-$APP_TWO-$SECRET"
    assert await run(project, command) == "--\n"
    assert await run(project, command, allow_env=["APP_*"]) == "1-2-\n"
    assert await run(project, command, allow_env=["APP_TWO"]) == "-2-\n"
    assert await run(project, command, allow_env=True) == "1-2-canary\n"


async def test_a_policy_that_hides_the_folder_itself_runs_nothing(project: Path) -> None:
    with pytest.raises(SandboxUnavailableError, match="does not let"):
        await run(project, "ls", allow_read=[], allow_write=[])


async def test_everything_may_be_readable(project: Path, tmp_path: Path) -> None:
    (tmp_path / "beside.txt").write_text("seen")
    assert await run(project, f"cat {tmp_path}/beside.txt", allow_read=["**"], allow_write=["."]) == "seen"
    assert await run(project, "echo x > $TMPDIR/y && cat $TMPDIR/y", allow_read=["**"], allow_write=["."]) == "x\n"
    with pytest.raises(SandboxUnavailableError, match="home folder"):
        await run(project, "ls", allow_write=["**"])


@pytest.mark.parametrize(("setting", "environ", "free"), [(True, {}, True), (False, {}, False)])
def test_only_the_person_lets_commands_run_without_a_sandbox(
    setting: bool, environ: dict[str, str], free: bool
) -> None:
    assert is_unconfined(setting, environ) is free
    assert is_unconfined(False, {"ADAL_ALLOW_UNSANDBOXED_BASH": "1"})
    assert not is_unconfined(False, {"ADAL_ALLOW_UNSANDBOXED_BASH": "0"})


async def test_without_a_sandbox_time_and_background_processes_have_an_end_too(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "canary")
    policy = WorkspacePolicy.parse({"bash_timeout_ms": 400}, cwd=project)
    executor = WorkspaceExecutor(project, policy, unconfined=True)
    finished = await executor.run("pwd; echo $SECRET; (sleep 61; touch late) & echo $! > pid")
    assert (finished.exit_code, finished.output) == (0, f"{project}\n\n".encode())
    slow = await executor.run("echo on; sleep 62")
    assert (slow.exit_code, slow.output) == (None, b"on\n")
    left = int((project / "pid").read_text())
    assert not psutil.pid_exists(left) or psutil.Process(left).status() == psutil.STATUS_ZOMBIE


async def test_on_macos_nothing_runs_without_its_sandbox(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    with pytest.raises(SandboxUnavailableError, match="sandbox-exec"):
        await sandbox.run("touch ran", project)
    assert not (project / "ran").exists()


def test_the_profile_for_macos_denies_what_the_policy_denies() -> None:
    reach = Confinement(
        cwd=Path("/ws"), writable=(Path('/ws/"a'),), readable=(Path("/ws"),), hidden=(Path("/ws/h"),), network=False
    )
    profile = sandbox_macos.profile(reach, [Path("/py")], [Path("/ws/.git")])
    assert profile.index("(deny default)") < profile.index("(allow file-read*")
    assert '(allow file-read* file-write* (subpath "/private/tmp") (subpath "/ws/\\"a"))' in profile
    assert profile.index('(deny file-write* (subpath "/py") (subpath "/ws/.git"))') > profile.index(
        "(allow file-read* file-w"
    )
    assert '(subpath "/ws/h")' in profile.splitlines()[-1]
    # A folder on the way to a denied one must stay where it is: rules are about paths.
    moved = sandbox_macos.profile(Confinement.of_workspace(Path("/ws")), [Path("/ws/e/py")], [Path("/ws/a/b/.git")])
    for folder in ("/ws", "/ws/a", "/ws/a/b", "/ws/e"):
        assert f'(deny file-write-unlink (literal "{folder}"))' in moved
    assert "network" not in profile
    assert "(allow network*)" in sandbox_macos.profile(replace(reach, network=True), [], [])


@pytest.mark.parametrize("keys", [{"allow_read": ["**"]}, {"allow_write": ["../data"]}, {"allow_write": ["../data/x"]}])
async def test_no_policy_reaches_trust_grants_and_transcripts(
    project: Path, pool: ExecutorPool, keys: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who writes there trusts in the person's name; who reads there has the key that grants are sealed with."""
    data = project.parent / "data"
    (data / "x").mkdir(parents=True)
    (data / "x" / "grants.key").write_text("key")
    monkeypatch.setenv("ADAL_DATA_DIR", str(data))
    workspace = Workspace(project, pool, **{"allow_read": [".."], **keys})
    path = str(data / "x" / "grants.key")
    assert "denied by the policy" in await workspace.call("read_file", path=path)
    assert "key" not in (await workspace.call("grep", pattern="key", path="..")).replace("grants.key", "")
    said = await workspace.call("write_file", path=str(data / "x" / "trusted"), content="x")
    assert "denied" in said or "outside" in said
    said = await workspace.call("bash", command=f"cat {path}; echo forged > {data}/x/trusted")
    assert "bash is refused" in said or "No such file" in said
    assert [file.name for file in (data / "x").iterdir()] == ["grants.key"]


async def test_a_project_that_is_the_home_folder_does_not_reach_trust_and_grants(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "share").mkdir()
    monkeypatch.setenv("ADAL_DATA_DIR", str(project / "share"))
    context = BuiltinContext(project)
    result = await execute("write_file", {"path": "share/trusted", "content": "x"}, context, lambda _: None)
    assert "denied by the policy" in result.observation
    assert list((project / "share").iterdir()) == []


def test_what_a_policy_gives_beyond_the_usual_is_told_to_the_person(project: Path, pool: ExecutorPool) -> None:
    keys: dict[str, Any] = {
        "allow_write": [".", "/srv"],
        "allow_read": ["**"],
        "allow_network": True,
        "allow_env": ["AWS_*"],
    }
    workspace = Workspace(project, pool, **keys, allow_private_network=True)
    assert workspace.tool("bash").risks == (
        "may write outside of the project: /srv",
        "may read outside of the project: /",
        "has the network, with what this machine itself serves",
        "gets environment variables: AWS_*",
    )
    assert workspace.tool("fetch_url").risks == ("may reach this machine and private networks: every address",)
    assert Workspace(project, pool).tool("bash").risks == ()
