"""How calls and workers end: cancelled, out of time, attacked, or left alone by their host."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from adal_ls.worker.client import Limits, WorkerClient, WorkerDiedError
from tests.worker.conftest import Loaded

SLOW = """
    import asyncio, subprocess, time
    from pathlib import Path

    def sleep() -> str:
        print("started")
        time.sleep(60)
        return "late"

    def child() -> str:
        running = subprocess.Popen(["sh", "-c", "sleep 60; echo late > late.txt"])
        print("started")
        running.wait()
        return "late"

    async def async_child() -> str:
        running = await asyncio.create_subprocess_exec("sleep", "60")
        print("started")
        await running.wait()
        return "late"

    async def polite() -> str:
        print("started")
        try:
            await asyncio.sleep(60)
        finally:
            Path("cleaned.txt").write_text("yes")
        return "late"

    async def stubborn() -> str:
        print("started")
        while True:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                pass

    def busy() -> str:
        print("started")
        while True:
            pass

    def quick() -> str:
        return "quick"

    CUSTOM_TOOLS = [sleep, child, async_child, polite, stubborn, busy, quick]
"""


async def begun(worker: WorkerClient, name: str) -> asyncio.Task[object]:
    """A call whose tool has begun to run."""
    started = asyncio.Event()
    task: asyncio.Task[object] = asyncio.ensure_future(worker.call(name, {}, on_print=lambda _: started.set()))
    await asyncio.wait_for(started.wait(), 10)
    return task


def family(worker: WorkerClient) -> list[psutil.Process]:
    process = psutil.Process(worker.pid)
    return [process, *process.children(recursive=True)]


def alive(processes: list[psutil.Process]) -> list[psutil.Process]:
    return [process for process in processes if process.is_running() and process.status() != psutil.STATUS_ZOMBIE]


async def until_gone(processes: list[psutil.Process], seconds: float) -> None:
    end = time.monotonic() + seconds
    while alive(processes) and time.monotonic() < end:
        await asyncio.sleep(0.01)
    assert alive(processes) == []


@pytest.mark.parametrize("name", ["sleep", "child", "async_child", "stubborn", "busy"])
async def test_a_cancelled_call_leaves_no_process_of_the_tool(loaded: Loaded, name: str, tmp_path: Path) -> None:
    # https://github.com/nesquena/hermes-webui/issues/241
    worker, _ = await loaded(SLOW)
    task = await begun(worker, name)
    processes = family(worker)
    assert len(processes) >= (2 if "child" in name else 1)
    started = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - started < 2
    await until_gone(processes, 1)
    assert not (tmp_path / "late.txt").exists()
    with pytest.raises(WorkerDiedError):
        await worker.call("quick", {})


async def test_calls_cancelled_together_leave_no_process_of_either(loaded: Loaded, tmp_path: Path) -> None:
    worker, _ = await loaded(SLOW)
    tasks = [await begun(worker, "child"), await begun(worker, "child")]
    processes = family(worker)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await until_gone(processes, 1)
    assert not (tmp_path / "late.txt").exists()


async def test_a_cancelled_async_tool_can_clean_up(loaded: Loaded, tmp_path: Path) -> None:
    worker, _ = await loaded(SLOW)
    task = await begun(worker, "polite")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (tmp_path / "cleaned.txt").read_text() == "yes"


async def test_cancelling_twice_still_ends_the_tool(loaded: Loaded) -> None:
    worker, _ = await loaded(SLOW)
    task = await begun(worker, "child")
    processes = family(worker)
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until_gone(processes, 2)


async def test_cancelling_one_call_lets_a_polite_neighbour_finish(loaded: Loaded) -> None:
    worker, _ = await loaded(
        """
        import asyncio

        async def wait(seconds: float) -> str:
            print("started")
            await asyncio.sleep(seconds)
            return "finished"

        CUSTOM_TOOLS = [wait]
        """
    )
    started = asyncio.Event()
    neighbour = asyncio.ensure_future(worker.call("wait", {"seconds": 0.3}, on_print=lambda _: started.set()))
    await started.wait()
    other = asyncio.ensure_future(worker.call("wait", {"seconds": 60}))
    await asyncio.sleep(0.05)
    other.cancel()
    assert (await neighbour).observation == "finished"
    with pytest.raises(asyncio.CancelledError):
        await other


async def test_cancelling_a_tool_that_cannot_be_stopped_ends_it_though_a_neighbour_runs(loaded: Loaded) -> None:
    worker, _ = await loaded(SLOW)
    neighbour = await begun(worker, "polite")
    task = await begun(worker, "busy")
    processes = family(worker)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until_gone(processes, 1)
    assert "a call was cancelled" in (await neighbour).observation  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["child", "polite"])
async def test_a_call_over_its_time_limit_is_an_error_and_is_ended(loaded: Loaded, name: str) -> None:
    worker, _ = await loaded(SLOW, limits=Limits(call=2))
    task = await begun(worker, name)
    processes = family(worker)
    result = await task
    assert result.status == "error"  # type: ignore[attr-defined]
    assert "2 s (the time limit)" in result.observation  # type: ignore[attr-defined]
    assert result.printed == "started\n"  # type: ignore[attr-defined]
    await until_gone(processes, 1)
    assert worker.closed


async def test_cancelling_a_load_ends_it(project: object, loaded: Loaded) -> None:
    task = asyncio.ensure_future(loaded("import time\ntime.sleep(60)\n"))
    await asyncio.sleep(0.3)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 2)


async def test_closing_ends_the_worker_and_what_its_tools_started(loaded: Loaded) -> None:
    worker, _ = await loaded(
        "import subprocess\ndef f():\n    subprocess.Popen(['sleep', '60'])\n    return 'ok'\nCUSTOM_TOOLS = [f]\n"
    )
    assert (await worker.call("f", {})).observation == "ok"
    processes = family(worker)
    assert len(processes) == 2
    await worker.close()
    await worker.close()
    await until_gone(processes, 1)


async def test_closing_ends_calls_in_flight_with_an_error_result(loaded: Loaded) -> None:
    worker, _ = await loaded(SLOW)
    task = await begun(worker, "sleep")
    await worker.close()
    result = await task
    assert result.status == "error"  # type: ignore[attr-defined]
    assert "was ended by adal-ls" in result.observation  # type: ignore[attr-defined]


@pytest.mark.parametrize("junk", ["b'garbage garbage'", "b'\\x00\\x00\\x00\\x02{}'", "b'\\x00\\x00\\x00\\x05hello'"])
async def test_a_tool_that_writes_to_every_descriptor_ends_in_an_error_result(loaded: Loaded, junk: str) -> None:
    worker, _ = await loaded(
        f"""
        import os, time

        def attack():
            for descriptor in range(3, 256):
                try:
                    os.write(descriptor, {junk})
                except OSError:
                    pass
            return "the tool's own result"

        CUSTOM_TOOLS = [attack]
        """
    )
    result = await worker.call("attack", {})
    assert result.status == "error"
    assert "private channel" in result.observation
    assert worker.closed


async def test_a_forged_answer_with_a_guessed_id_ends_the_worker(loaded: Loaded) -> None:
    worker, _ = await loaded(
        """
        import json, os, struct

        def forge():
            for key in [1, "1", "0" * 32]:
                body = json.dumps({"jsonrpc": "2.0", "id": key, "result": {"status": "success", "output": 1,
                                   "observation": "forged", "duration_ms": 1}}).encode()
                for descriptor in range(3, 1024):
                    try:
                        os.write(descriptor, struct.pack(">I", len(body)) + body)
                    except OSError:
                        pass

        CUSTOM_TOOLS = [forge]
        """
    )
    result = await worker.call("forge", {})
    assert (result.status, "forged" in result.observation) == ("error", False)
    assert "private channel" in result.observation


async def test_a_forked_child_of_a_tool_neither_answers_nor_keeps_a_dead_worker_alive(loaded: Loaded) -> None:
    worker, _ = await loaded(
        """
        import os, time

        def fork():
            if os.fork() == 0:
                time.sleep(60)
            return "parent"

        def fork_and_die():
            if os.fork() == 0:
                time.sleep(60)
            os._exit(5)

        CUSTOM_TOOLS = [fork, fork_and_die]
        """
    )
    assert (await worker.call("fork", {})).observation == "parent"
    processes = family(worker)
    result = await asyncio.wait_for(worker.call("fork_and_die", {}), 5)
    assert "exit code 5" in result.observation
    await until_gone(processes, 1)


async def test_a_tool_that_closes_all_descriptors_is_an_error(loaded: Loaded) -> None:
    worker, _ = await loaded("import os\ndef f():\n    os.closerange(0, 256)\nCUSTOM_TOOLS = [f]\n")
    result = await asyncio.wait_for(worker.call("f", {}), 5)
    assert result.status == "error"


HOST = """
import asyncio, os, sys
from pathlib import Path
from adal_ls.worker.client import WorkerClient

async def main():
    worker = await WorkerClient.start(sys.executable, Path(sys.argv[1]))
    await worker.load()
    started = asyncio.Event()
    call = asyncio.ensure_future(worker.call(sys.argv[2], {}, on_print=lambda _: started.set()))
    await started.wait()
    print(worker.pid, flush=True)
    await call

asyncio.run(main())
"""


@pytest.mark.parametrize("name", ["child", "busy", "stubborn"])
async def test_a_worker_whose_host_is_killed_ends_with_its_children(loaded: Loaded, tmp_path: Path, name: str) -> None:
    await loaded(SLOW)  # writes the project
    host = subprocess.Popen(
        [sys.executable, "-c", HOST, str(tmp_path), name], stdout=subprocess.PIPE, text=True, env=dict(os.environ)
    )
    assert host.stdout is not None
    with host, host.stdout:
        process = psutil.Process(int(await asyncio.to_thread(host.stdout.readline)))
        processes = [process, *process.children(recursive=True)]
        host.kill()
    await until_gone(processes, 2)


async def test_tools_have_no_way_to_the_descriptors_of_the_host(loaded: Loaded) -> None:
    worker, _ = await loaded(
        """
        import subprocess, sys

        def listing():
            code = "import os; print([fd for fd in range(3, 64) if os.path.exists(f'/dev/fd/{fd}')])"
            return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip()

        CUSTOM_TOOLS = [listing]
        """
    )
    inherited = os.open(os.devnull, os.O_RDONLY)
    os.set_inheritable(inherited, True)
    try:
        assert (await worker.call("listing", {})).observation in ("[]", "[3]")  # 3 is the listing of the folder itself
    finally:
        os.close(inherited)


async def test_a_tool_that_yields_without_end_holds_up_neither_the_host_nor_its_own_end(loaded: Loaded) -> None:
    worker, _ = await loaded(
        '''
        def count():
            """Count for ever."""
            number = 0
            while True:
                number += 1
                yield number

        CUSTOM_TOOLS = [count]
        ''',
        limits=Limits(printed=2000),
    )
    heard: list[str] = []
    call = asyncio.ensure_future(worker.call("count", {}, on_progress=heard.append))
    while not heard:
        await asyncio.sleep(0.01)
    longest = 0.0
    for _ in range(50):
        began = time.monotonic()
        await asyncio.sleep(0.02)
        longest = max(longest, time.monotonic() - began - 0.02)
    assert longest < 0.3
    assert len("".join(heard)) < 2100
    assert "is not kept" in heard[-1]
    assert psutil.Process(worker.pid).memory_info().rss < 200 * 1024 * 1024
    began = time.monotonic()
    call.cancel()
    await asyncio.wait({call})
    assert time.monotonic() - began < 1.5
    assert not psutil.pid_exists(worker.pid)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells such processes apart")
async def test_processes_that_left_the_group_end_with_the_call(loaded: Loaded) -> None:
    worker, _ = await loaded(
        '''
        import subprocess, time

        def leave() -> str:
            """Start processes that do not belong to us any more."""
            subprocess.Popen(["sleep", "61.5"], start_new_session=True)
            subprocess.Popen(["sh", "-c", "setsid sleep 61.5 & exit 0"]).wait()
            print("started")
            time.sleep(60)
            return "late"

        CUSTOM_TOOLS = [leave]
        '''
    )
    started = asyncio.Event()
    call = asyncio.ensure_future(worker.call("leave", {}, on_print=lambda _: started.set()))
    await asyncio.wait_for(started.wait(), 10)
    while len(_sleeping("61.5")) < 2:
        await asyncio.sleep(0.02)
    call.cancel()
    await asyncio.wait({call})
    assert _sleeping("61.5") == []


def _sleeping(seconds: str) -> list[int]:
    found = psutil.process_iter(["cmdline", "status"])
    return [p.pid for p in found if p.info["cmdline"] == ["sleep", seconds] and p.info["status"] != "zombie"]
