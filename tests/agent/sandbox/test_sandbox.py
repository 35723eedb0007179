"""What a sandboxed command cannot do, tried out. bubblewrap must work here: a sandbox nobody tested is none."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from adal_ls.agent.projects.interpreters import choose_interpreter
from adal_ls.agent.sandbox import sandbox
from adal_ls.agent.sandbox.sandbox import Confinement, Finished, SandboxLimits, SandboxUnavailableError


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ADAL_DATA_DIR", str(tmp_path / "data"))
    folder = tmp_path / "ws"
    folder.mkdir()
    return folder


async def text_of(command: str, workspace: Path) -> str:
    finished = await sandbox.run(command, workspace)
    return finished.output.decode()


async def test_a_command_runs_in_the_workspace_and_may_write_there(workspace: Path) -> None:
    finished = await sandbox.run("pwd; echo made > file; cat file", workspace)
    assert finished.exit_code == 0
    assert finished.output.decode() == f"{os.path.realpath(workspace)}\nmade\n"
    assert (workspace / "file").read_text() == "made\n"


async def test_an_exit_code_is_data_and_errors_are_in_the_output(workspace: Path) -> None:
    finished = await sandbox.run("echo out; echo err >&2; exit 7", workspace)
    assert (finished.exit_code, finished.output) == (7, b"out\nerr\n")


async def test_a_command_that_kills_itself_gives_the_shells_code(workspace: Path) -> None:
    assert (await sandbox.run("kill -9 $$", workspace)).exit_code == 137


async def test_nothing_outside_can_be_changed(workspace: Path, tmp_path: Path) -> None:
    beside = tmp_path / "beside"
    beside.mkdir()
    for place in (beside / "x", Path("/usr/x-adal"), Path("/etc/x-adal"), Path("/x-adal"), Path.home() / "x-adal"):
        await sandbox.run(f"mkdir -p '{place.parent}'; echo broken > '{place}'", workspace)
        assert not place.exists()
    await sandbox.run("echo lost > /tmp/x-adal", workspace)
    assert not Path("/tmp/x-adal").exists()


async def test_nothing_outside_can_be_read(workspace: Path, tmp_path: Path) -> None:
    secret = tmp_path / "keys" / "id_ed25519"
    secret.parent.mkdir()
    secret.write_text("canary-7f31")
    (workspace / "link").symlink_to(secret)
    output = await text_of(f"cat '{secret}' link ../keys/id_ed25519; ls -A '{Path.home()}' /home /root", workspace)
    assert "canary" not in output
    assert "No such file" in output
    for private in ("/etc/shadow", "/var", "/proc/1/root/etc/shadow"):
        assert (await sandbox.run(f"cat {private} || ls {private}", workspace)).exit_code != 0


async def test_memory_and_open_files_of_the_machine_are_not_shared(workspace: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("canary-4711")
    with secret.open() as file:
        os.set_inheritable(file.fileno(), True)
        name = f"adal-{os.getpid()}"
        command = (
            f"for n in /proc/self/fd/*; do cat $n 2>&1; done; cat <&{file.fileno()}; echo x > /dev/shm/{name}; ls /dev"
        )
        said = await text_of(command, workspace)
    assert "canary-4711" not in said
    assert not Path("/dev/shm", name).exists()
    assert not {"sda", "mem", "kmem", "kmsg", "fuse"} & set(said.split())


async def test_there_is_no_network(workspace: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        finished = await sandbox.run(f"exec 3<>/dev/tcp/127.0.0.1/{port} && echo connected", workspace)
        assert b"connected" not in finished.output
        assert finished.exit_code != 0
        server.settimeout(0)
        with pytest.raises(BlockingIOError):
            server.accept()


async def test_nothing_is_inherited_from_the_environment(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    monkeypatch.setenv("LANG", "C.UTF-8")
    variables = {line.split("=")[0] for line in (await text_of("env", workspace)).splitlines()}
    assert "LANG" in variables
    assert variables <= {"LANG", "LC_ALL", "LC_CTYPE", "TZ", "PATH", "HOME", "TMPDIR", "TERM", "PWD", "SHLVL", "_"}
    assert "sk-canary" not in await text_of("cat /proc/*/environ /proc/*/cmdline | tr '\\0' '\\n'", workspace)


async def test_standard_input_is_empty(workspace: Path) -> None:
    finished = await sandbox.run("cat; echo end", workspace)
    assert finished.output == b"end\n"


async def test_other_processes_cannot_be_seen(workspace: Path) -> None:
    seen = (await text_of("ls /proc | grep -c '^[0-9]'", workspace)).strip()
    assert int(seen) < 8
    assert os.getpid() > 8


async def test_protected_paths_are_read_only(workspace: Path) -> None:
    for name in (".git/hooks/pre-commit", ".adal/tools.py", ".vscode/tasks.json", ".env", ".env.local", "a/.adal/x.py"):
        path = workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("good")
        finished = await sandbox.run(f"cat {name}; echo bad > {name} || rm -f {name} || mv {name} x", workspace)
        assert path.read_text() == "good"
        assert finished.output.startswith(b"good")
        assert b"Read-only file system" in finished.output


@pytest.mark.parametrize("around", ["a", "a/b/c"])
async def test_a_protected_path_is_not_got_round_by_moving_the_folder_around_it(workspace: Path, around: str) -> None:
    """A mount goes along with the folder that is moved, and another one could stand in its place."""
    protected = workspace / around / ".vscode" / "tasks.json"
    environment = workspace / around / "env"
    environment.mkdir(parents=True)
    protected.parent.mkdir()
    protected.write_text("good")
    command = (
        f'mv {around} gone; mv a node_modules; python3 -c \'import os; os.rename("a", "b")\';'
        f"mkdir -p {around}/.vscode; echo bad > {around}/.vscode/tasks.json; echo free > {around}/free.txt"
    )
    finished = await sandbox.run(command, workspace, readable=[environment])
    assert protected.read_text() == "good"
    assert environment.is_dir()
    assert b"busy" in finished.output
    # What a command may read it may copy; a copy is told.
    copies = {path.relative_to(os.path.realpath(workspace)).as_posix() for path in finished.new_protected}
    assert copies == ({"gone/.vscode"} if (workspace / "gone").exists() else set())
    # What lies beside it can be changed as before.
    assert (workspace / around / "free.txt").read_text() == "free\n"


async def test_a_python_that_we_run_is_not_got_round_by_moving_the_folder_around_it(workspace: Path) -> None:
    python = workspace / "tools" / "env" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("good")
    command = "mv tools gone; mkdir -p tools/env/bin; echo bad > tools/env/bin/python"
    await sandbox.run(command, workspace, readable=[workspace / "tools" / "env"])
    assert python.read_text() == "good"


async def test_no_command_plants_the_python_that_runs_the_tools(workspace: Path) -> None:
    """That one runs outside of the sandbox, at the next load."""
    for folder in (".venv", "venv"):
        await sandbox.run(f"mkdir -p {folder}/bin; cp /bin/true {folder}/bin/python; mv x {folder}", workspace)
    assert choose_interpreter(None, workspace, "ours") == "ours"


@pytest.mark.parametrize("name", [".venv", ".git", ".env"])
async def test_a_protected_link_is_put_back_where_a_command_put_something_else(workspace: Path, name: str) -> None:
    """Nothing can be mounted over a link."""
    (workspace / "real").mkdir()
    (workspace / name).symlink_to("real")
    for command in (f"rm {name}; mkdir {name}; echo bad > {name}/x", f"rm {name}; ln -s /nowhere {name}", f"rm {name}"):
        await sandbox.run(command, workspace)
        assert (workspace / name).readlink() == Path("real")
    assert [path.read_text() for path in workspace.glob("changed-*/x")] == ["bad\n"]
    task = asyncio.ensure_future(sandbox.run(f"rm {name}; sleep 60", workspace))
    while os.path.lexists(workspace / name):
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (workspace / name).readlink() == Path("real")


async def test_what_git_takes_for_a_repository_is_read_only_under_any_name(workspace: Path) -> None:
    subprocess.run(["git", "init", "-q", "--bare", str(workspace / "deep" / "store")], check=True)
    subprocess.run(["git", "init", "-q", f"--separate-git-dir={workspace}/apart", str(workspace / "work")], check=True)
    for folder in ("deep/store", "apart"):
        config = (workspace / folder / "config").read_text()
        finished = await sandbox.run(f"echo '[core] fsmonitor=x' > {folder}/config; mv {folder} x", workspace)
        assert finished.exit_code != 0
        assert (workspace / folder / "config").read_text() == config
    finished = await sandbox.run("git init -q --bare fresh", workspace)
    assert [path.name for path in finished.new_protected] == ["fresh"]


@pytest.mark.parametrize("how", ["sh -c", "unshare -Urm sh -c"])
async def test_no_command_undoes_the_mounts_that_keep_it(workspace: Path, how: str) -> None:
    """Nor does one in a user namespace of its own, where it has every right."""
    (workspace / ".git").mkdir()
    (workspace / ".git" / "config").write_text("good")
    command = (
        f"{how} 'umount .git; mount -o remount,rw,bind .git; mount --bind . /tmp; echo bad > .git/config;"
        "echo bad > /tmp/.git/config; mv .git x; rm -rf .git'"
    )
    await sandbox.run(command, workspace)
    assert (workspace / ".git" / "config").read_text() == "good"


async def test_protected_folders_that_do_not_exist_cannot_be_made(workspace: Path) -> None:
    for name in (".git", ".adal", ".vscode", ".venv", "venv"):
        finished = await sandbox.run(f"mkdir -p {name}/x; echo bad > {name}/config; rmdir {name}", workspace)
        assert finished.exit_code != 0
        assert b"Read-only file system" in finished.output
    assert list(workspace.iterdir()) == []


async def test_protected_files_that_appear_are_reported(workspace: Path) -> None:
    finished = await sandbox.run("mkdir -p sub/.adal; touch sub/.adal/tools.py .env.new ordinary", workspace)
    assert sorted(path.relative_to(os.path.realpath(workspace)).as_posix() for path in finished.new_protected) == [
        ".env.new",
        "sub/.adal",
    ]


async def test_commands_at_once_share_the_placeholders_of_protected_folders(workspace: Path) -> None:
    slow = asyncio.ensure_future(sandbox.run("sleep 0.3; mkdir .git/hooks", workspace))
    while not (workspace / ".git").exists():
        await asyncio.sleep(0.005)
    await sandbox.run("true", workspace)
    assert (workspace / ".git").exists()
    assert (await slow).exit_code != 0
    assert list(workspace.iterdir()) == []


async def test_a_python_environment_of_the_workspace_is_read_only(workspace: Path) -> None:
    site = workspace / "env" / "lib"
    site.mkdir(parents=True)
    (workspace / "env" / "pyvenv.cfg").touch()
    finished = await sandbox.run("echo 'import os' > env/lib/evil.pth", workspace)
    assert finished.exit_code != 0
    assert list(site.iterdir()) == []


async def test_the_time_limit_ends_a_command_and_keeps_its_output(workspace: Path) -> None:
    finished = await sandbox.run("echo first; sleep 60", workspace, limits=SandboxLimits(seconds=0.5))
    assert finished.exit_code is None
    assert finished.output == b"first\n"
    assert finished.seconds < 5


async def test_output_over_the_limit_is_counted_and_dropped(workspace: Path) -> None:
    limits = SandboxLimits(output_bytes=1000)
    finished = await sandbox.run("head -c 300000 /dev/zero | tr '\\0' x", workspace, limits=limits)
    assert finished.output == b"x" * 1000
    assert finished.dropped == 299_000
    assert finished.exit_code == 0


async def test_a_cancelled_command_is_gone_with_its_children_within_half_a_second(workspace: Path) -> None:
    command = "(setsid sleep 1234 & sleep 1234) & echo started > file; sleep 1234"
    task = asyncio.ensure_future(sandbox.run(command, workspace))
    while not (workspace / "file").exists() or len(sleepers("1234")) < 3:
        await asyncio.sleep(0.01)
    started = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    while sleepers("1234"):
        await asyncio.sleep(0.01)
    assert time.monotonic() - started < 0.5


async def test_what_runs_on_in_the_background_ends_with_the_command(workspace: Path) -> None:
    started = time.monotonic()
    finished = await sandbox.run("sleep 4321 & echo done", workspace)
    assert finished.output == b"done\n"
    assert time.monotonic() - started < 5
    assert sleepers("4321") == []


def test_a_command_ends_with_the_process_that_started_it(workspace: Path) -> None:
    code = (
        "import asyncio, pathlib; from adal_ls.agent.sandbox import sandbox; "
        f"asyncio.run(sandbox.run('sleep 2345', pathlib.Path({str(workspace)!r})))"
    )
    process = subprocess.Popen([sys.executable, "-c", code])
    while not sleepers("2345"):
        assert process.poll() is None
        time.sleep(0.02)
    process.kill()
    process.wait()
    deadline = time.monotonic() + 2
    while sleepers("2345") and time.monotonic() < deadline:
        time.sleep(0.02)
    assert sleepers("2345") == []


def sleepers(seconds: str) -> list[int]:
    """Ids of `sleep SECONDS` processes."""
    running = psutil.process_iter(["cmdline"])
    return [process.pid for process in running if process.info["cmdline"] == ["sleep", seconds]]


@pytest.fixture
def forget_probe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "_working", set())


async def test_without_bubblewrap_nothing_runs_and_the_way_out_is_told(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxUnavailableError, match="apt install bubblewrap"):
        await sandbox.run("touch ran", workspace)
    assert list(workspace.iterdir()) == []


async def test_a_bubblewrap_that_does_not_work_is_told_from_a_command_that_fails(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forget_probe: None
) -> None:
    fake = tmp_path / "bin" / "bwrap"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\necho 'No permissions to create new namespace' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(fake.parent))
    with pytest.raises(SandboxUnavailableError, match=r"No permissions to create new namespace.*user namespaces"):
        await sandbox.run("touch ran", workspace)
    assert list(workspace.iterdir()) == []


async def test_a_bubblewrap_that_the_workspace_brings_is_never_used(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, forget_probe: None
) -> None:
    planted = workspace / "node_modules" / ".bin" / "bwrap"
    planted.parent.mkdir(parents=True)
    planted.write_text(f"#!/bin/sh\ntouch '{workspace}/escaped'\n")
    planted.chmod(0o755)
    monkeypatch.setenv("PATH", f"{planted.parent}:.:{os.environ['PATH']}")
    monkeypatch.chdir(planted.parent)
    assert (await sandbox.run("true", workspace)).exit_code == 0
    assert not (workspace / "escaped").exists()


async def test_a_workspace_that_holds_the_home_folder_is_refused(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(workspace / "home"))
    with pytest.raises(SandboxUnavailableError, match="home folder"):
        await sandbox.run("touch ran", workspace)
    assert list(workspace.iterdir()) == []


async def test_a_workspace_that_holds_trust_and_transcripts_is_refused(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADAL_DATA_DIR", str(workspace / "data"))
    with pytest.raises(SandboxUnavailableError, match="ADAL_DATA_DIR"):
        await sandbox.run("touch ran", workspace)


async def test_a_workspace_in_the_folder_of_trust_and_transcripts_is_refused(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADAL_DATA_DIR", str(workspace.parent))
    with pytest.raises(SandboxUnavailableError, match="ADAL_DATA_DIR"):
        await sandbox.run("touch ran", workspace)
    assert list(workspace.iterdir()) == []


async def test_a_workspace_that_holds_the_system_is_refused(workspace: Path) -> None:
    with pytest.raises(SandboxUnavailableError, match="system folders"):
        await sandbox.run("true", workspace, confinement=Confinement.of_workspace(Path("/usr")))


async def test_a_workspace_with_more_protected_paths_than_can_be_kept_is_refused(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "_MOST_PROTECTED", 5)
    for number in range(6):
        (workspace / f".env.{number}").touch()
    with pytest.raises(SandboxUnavailableError, match="more than 5 protected files"):
        await sandbox.run("touch ran", workspace)
    assert not (workspace / "ran").exists()


async def test_other_platforms_are_refused(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "win32")
    with pytest.raises(SandboxUnavailableError, match="win32"):
        await sandbox.run("touch ran", workspace)


async def test_a_command_with_a_nul_character_is_refused(workspace: Path) -> None:
    with pytest.raises(ValueError, match="NUL"):
        await sandbox.run("echo \0", workspace)


async def test_git_works_read_only_in_the_sandbox(workspace: Path) -> None:
    git = shutil.which("git")
    assert git is not None
    subprocess.run([git, "init", "-q", str(workspace)], check=True)
    finished: Finished = await sandbox.run("git status --short; touch new; git status --short", workspace)
    assert finished.output == b"?? new\n"


def test_commands_run_from_a_thread_that_is_not_the_main_one(workspace: Path) -> None:
    out: list[Finished] = []
    thread = threading.Thread(target=lambda: out.append(asyncio.run(sandbox.run("echo hi", workspace))))
    thread.start()
    thread.join(20)
    assert out[0].output == b"hi\n"


async def test_a_cancel_at_any_moment_of_the_start_ends_everything_at_once(workspace: Path) -> None:
    for number in range(60):
        running = asyncio.ensure_future(sandbox.run("sleep 61.25", workspace))
        await asyncio.sleep(number * 0.0005)
        running.cancel()
        began = time.monotonic()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert time.monotonic() - began < 4, f"cancelled after {number * 0.5} ms"
    left = [one for one in psutil.process_iter(["cmdline"]) if "sleep 61.25" in " ".join(one.info["cmdline"] or ())]
    assert left == []
