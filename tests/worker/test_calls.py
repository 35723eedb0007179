"""Calling tools: every kind of function, every kind of end, and what is printed meanwhile."""

from __future__ import annotations

import asyncio
import json
import time

import pytest

from adal_ls.worker.client import Limits, WorkerDiedError
from tests.worker.conftest import Loaded

KINDS = """
    import asyncio

    def plain(a: int) -> int:
        return a + 1

    async def coroutine(a: int) -> int:
        await asyncio.sleep(0)
        return a + 1

    def generator(a: int):
        yield "one"
        yield "two"
        yield a + 1

    async def async_generator(a: int):
        yield "one"
        yield "two"
        yield a + 1

    def returning(a: int):
        yield "one"
        return a + 1

    async def late_generator(a: int):
        return generator(a)

    async def twice_late(a: int):
        return coroutine(a)

    def stopping(a: int):
        raise StopIteration("no more")

    def late_coroutine(a: int):
        return coroutine(a)

    def empty(a: int):
        if a is None:
            yield

    def breaking(a: int):
        yield "one"
        yield "two"
        raise ValueError("after two")

    async def async_breaking(a: int):
        yield "one"
        yield "two"
        raise ValueError("after two")

    CUSTOM_TOOLS = [plain, coroutine, generator, async_generator, returning, late_generator, late_coroutine, empty,
                    breaking, async_breaking, twice_late, stopping]
"""


@pytest.mark.parametrize(
    ("name", "progress", "observation"),
    [
        ("plain", [], "5"),
        ("coroutine", [], "5"),
        ("generator", ["one", "two", "5"], "5"),
        ("async_generator", ["one", "two", "5"], "5"),
        ("returning", ["one"], "5"),
        ("late_generator", ["one", "two", "5"], "5"),
        ("late_coroutine", [], "5"),
        ("twice_late", [], "5"),
        ("stopping", [], "StopIteration: no more"),
        ("empty", [], "(the tool returned no value)"),
        ("breaking", ["one", "two"], "ValueError: after two"),
        ("async_breaking", ["one", "two"], "ValueError: after two"),
    ],
)
async def test_s7_t1_t2_t3_every_kind_of_function_runs_and_yields_are_progress(
    loaded: Loaded, name: str, progress: list[str], observation: str
) -> None:
    worker, _ = await loaded(KINDS)
    heard: list[str] = []
    result = await worker.call(name, {"a": 4}, on_progress=heard.append)
    assert (heard, result.observation) == (progress, observation)
    assert result.status == ("error" if name in ("breaking", "async_breaking", "stopping") else "success")


async def test_s8_a_plain_value_is_wrapped_and_a_tool_output_is_taken_as_it_is(loaded: Loaded) -> None:
    worker, _ = await loaded(
        """
        from adal_ls import ToolOutput

        def value() -> dict:
            return {"n": 1, "text": "é"}

        def text() -> str:
            return "as it is"

        def nothing() -> None: ...

        def output():
            return ToolOutput({"k": 1}, "seen by the model", "seen by the person", status="error")

        def unsaid():
            return ToolOutput(output=[1, 2])

        CUSTOM_TOOLS = [value, text, nothing, output, unsaid]
        """
    )
    value = await worker.call("value", {})
    assert (value.output, value.observation, value.status) == (
        {"n": 1, "text": "é"},
        '{"n": 1, "text": "é"}',
        "success",
    )
    assert (await worker.call("text", {})).observation == "as it is"
    assert (await worker.call("nothing", {})).observation == "(the tool returned no value)"
    output = await worker.call("output", {})
    assert (output.output, output.observation, output.display, output.status) == (
        {"k": 1},
        "seen by the model",
        "seen by the person",
        "error",
    )
    assert (await worker.call("unsaid", {})).observation == "[1, 2]"


async def test_s9_an_exception_is_an_error_with_the_message_for_the_model_and_the_trace_for_the_person(
    loaded: Loaded,
) -> None:
    worker, _ = await loaded(
        """
        import json
        import helpers

        def risky(target: str) -> str:
            secret = "hunter2"
            return helpers.check(target)

        def library(text: str) -> str:
            return json.loads(text)

        CUSTOM_TOOLS = [risky, library]
        """,
        {"helpers.py": "def check(target):\n    raise ValueError(f'Something went wrong with {target}')\n"},
    )
    result = await worker.call("risky", {"target": "x"})
    assert (result.status, result.observation) == ("error", "ValueError: Something went wrong with x")
    assert result.trace is not None
    assert [line.split(", ")[1:] for line in result.trace.splitlines() if "File" in line] == [
        ["line 7", "in risky"],
        ["line 2", "in check"],
    ]
    assert "hunter2" not in result.trace.replace('secret = "hunter2"', "")
    library = await worker.call("library", {"text": "{"})
    assert library.trace is not None
    assert "decoder.py" not in library.trace
    assert "JSONDecodeError" in library.observation
    assert (await worker.call("library", {"text": "[1]"})).observation == "[1]"


async def test_a_tool_that_exits_is_an_error_and_the_worker_lives(loaded: Loaded) -> None:
    worker, _ = await loaded(
        """
        import sys

        def leave() -> None:
            sys.exit(3)

        async def leave_async() -> None:
            raise SystemExit("bye")

        async def interrupt() -> None:
            raise KeyboardInterrupt

        CUSTOM_TOOLS = [leave, leave_async, interrupt]
        """
    )
    assert "exit code 3" in (await worker.call("leave", {})).observation
    assert "(exit code 1: bye)" in (await worker.call("leave_async", {})).observation
    assert (await worker.call("interrupt", {})).observation == "KeyboardInterrupt"
    assert (await worker.call("leave", {})).status == "error"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("print('last words')\n    os._exit(3)", "exit code 3"),
        ("print('last words')\n    os.kill(os.getpid(), signal.SIGSEGV)", "crashed (signal SIGSEGV)"),
        ("print('last words')\n    os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"),
    ],
)
async def test_a_tool_that_ends_the_process_is_an_error_and_later_calls_say_that_the_worker_is_gone(
    loaded: Loaded, body: str, text: str
) -> None:
    worker, _ = await loaded(f"import os, signal\n\ndef end():\n    {body}\n\nCUSTOM_TOOLS = [end]\n")
    result = await worker.call("end", {})
    assert result.status == "error"
    assert text in result.observation
    assert result.printed == "last words\n"
    assert worker.closed
    with pytest.raises(WorkerDiedError, match="start a new one"):
        await worker.call("end", {})


async def test_sync_tools_overlap_and_do_not_hold_up_async_ones(loaded: Loaded) -> None:
    # https://github.com/openai/openai-agents-python/pull/2387
    worker, _ = await loaded(
        """
        import threading

        MET = threading.Barrier(8)

        def meet() -> str:
            MET.wait(10)
            return "met"

        async def quick() -> str:
            return "quick"

        CUSTOM_TOOLS = [meet, quick]
        """
    )
    meeting = [asyncio.ensure_future(worker.call("meet", {})) for _ in range(7)]
    assert (await worker.call("quick", {})).observation == "quick"
    meeting.append(asyncio.ensure_future(worker.call("meet", {})))
    assert [result.observation for result in await asyncio.gather(*meeting)] == ["met"] * 8


async def test_sync_tools_may_run_a_loop_of_their_own(loaded: Loaded) -> None:
    worker, _ = await loaded(
        "import asyncio\nasync def inner():\n    return 'in'\n"
        "def f():\n    return asyncio.run(inner())\nCUSTOM_TOOLS = [f]\n"
    )
    assert (await worker.call("f", {})).observation == "in"


async def test_printed_text_of_calls_at_once_goes_to_its_call(loaded: Loaded) -> None:
    worker, _ = await loaded(
        """
        import asyncio, logging, sys, threading
        logging.basicConfig(level="INFO", format="%(message)s")
        MET = threading.Barrier(3)

        def sync(tag: str) -> str:
            MET.wait(10)
            for index in range(50):
                print(tag, index)
            MET.wait(10)
            return tag

        async def coroutine(tag: str) -> str:
            await asyncio.to_thread(MET.wait, 10)
            for index in range(50):
                logging.info("%s %s", tag, index)
                await asyncio.sleep(0)
            await asyncio.to_thread(MET.wait, 10)
            sys.stdout.buffer.write("é\\n".encode())
            return tag

        CUSTOM_TOOLS = [sync, coroutine]
        """
    )
    first, second, third = await asyncio.gather(
        worker.call("sync", {"tag": "a"}), worker.call("sync", {"tag": "b"}), worker.call("coroutine", {"tag": "c"})
    )
    assert first.printed == "".join(f"a {index}\n" for index in range(50))
    assert second.printed == "".join(f"b {index}\n" for index in range(50))
    assert third.printed == "".join(f"c {index}\n" for index in range(50)) + "é\n"


async def test_text_of_child_processes_and_raw_descriptors_is_printed_text_in_order(loaded: Loaded) -> None:
    worker, _ = await loaded(
        """
        import os, subprocess, sys, threading

        def talk() -> str:
            print("python")
            subprocess.run([sys.executable, "-c", "import sys; print('child'); print('child error', file=sys.stderr)"])
            os.write(1, b"raw\\n")
            os.system("echo shell")
            thread = threading.Thread(target=print, args=("thread",))
            thread.start()
            thread.join()
            return "done"

        CUSTOM_TOOLS = [talk]
        """
    )
    heard: list[str] = []
    result = await worker.call("talk", {}, on_print=heard.append)
    assert result.printed == "python\nchild\nchild error\nraw\nshell\nthread\n"
    assert "".join(heard) == result.printed
    assert result.observation == "done"


async def test_printed_text_over_the_limit_is_dropped_with_a_notice(loaded: Loaded) -> None:
    worker, _ = await loaded(
        "def f():\n    for _ in range(200):\n        print('x' * 999)\n    return 'ok'\nCUSTOM_TOOLS = [f]\n",
        limits=Limits(printed=50_000),
    )
    result = await worker.call("f", {})
    assert result.observation == "ok"
    assert 50_000 <= len(result.printed) < 50_200
    assert "50000 bytes is not kept" in result.printed


async def test_a_result_of_twenty_megabytes_arrives_whole_and_a_larger_one_is_cut_with_a_notice(loaded: Loaded) -> None:
    worker, _ = await loaded("def f(n: int) -> str:\n    return 'x' * n\nCUSTOM_TOOLS = [f]\n")
    size = 20 * 1024 * 1024
    assert len((await worker.call("f", {"n": size})).observation) == size
    cut = (await worker.call("f", {"n": size + 1})).observation
    assert "[cut:" in cut[size:]


async def test_a_result_too_large_for_the_pipe_is_an_error_not_a_dead_worker(loaded: Loaded) -> None:
    worker, _ = await loaded("def f(c: str, n: int) -> str:\n    return c * n\nCUSTOM_TOOLS = [f]\n")
    wide = await worker.call("f", {"c": "é", "n": 10 * 1024 * 1024})
    assert len(wide.observation) == 10 * 1024 * 1024
    control = await worker.call("f", {"c": "\x01", "n": 20 * 1024 * 1024})
    assert control.observation.startswith("\x01" * 1024 * 1024)
    assert "[cut:" in control.observation[-200:]
    assert (await worker.call("f", {"c": "é", "n": 1})).observation == "é"


async def test_values_that_json_cannot_hold_become_readable_text(loaded: Loaded) -> None:
    # https://github.com/theexperiencecompany/gaia/issues/917
    worker, _ = await loaded(
        """
        from datetime import datetime
        from decimal import Decimal
        from pathlib import Path

        def facts() -> dict:
            return {"at": datetime(2026, 1, 2), "sum": Decimal("1.50"), "where": Path("/tmp")}

        CUSTOM_TOOLS = [facts]
        """
    )
    result = await worker.call("facts", {})
    assert result.output == {"at": "2026-01-02T00:00:00", "sum": "1.50", "where": "/tmp"}
    assert json.loads(result.observation) == result.output


async def test_arguments_are_converted_and_bad_ones_told_by_name(loaded: Loaded) -> None:
    worker, _ = await loaded(
        """
        from __future__ import annotations
        from enum import Enum
        from pathlib import Path
        from typing import Literal, Optional

        class Env(Enum):
            DEV = "dev"

        def pick(mode: Literal["fast", "slow"], limit: Optional[int] = None, where: Path = Path("."),
                 env: Env = Env.DEV):
            return f"{mode} {limit!r} {where} {env}"

        CUSTOM_TOOLS = [pick]
        """
    )
    assert (await worker.call("pick", {"mode": "fast"})).observation == "fast None . Env.DEV"
    arguments = {"mode": "slow", "limit": "5", "where": "/tmp", "env": "dev"}
    assert (await worker.call("pick", arguments)).observation == "slow 5 /tmp Env.DEV"
    bad = await worker.call("pick", {"limit": "many", "colour": "red"})
    assert bad.status == "error"
    for text in ("'limit'", "'many'", "missing argument 'mode'", "unknown argument 'colour'"):
        assert text in bad.observation


async def test_the_time_a_call_took_is_told(loaded: Loaded) -> None:
    worker, _ = await loaded("import time\ndef f():\n    time.sleep(0.05)\nCUSTOM_TOOLS = [f]\n")
    started = time.perf_counter()
    result = await worker.call("f", {})
    assert 50 <= result.duration_ms <= (time.perf_counter() - started) * 1000


CLOSERS = """
    import os
    import sys
    import subprocess

    def say(text: str) -> str:
        print(text, flush=True)
        print(text, file=sys.stderr, flush=True)
        subprocess.run([sys.executable, "-c", "print('child')"])
        return text

    def close_objects() -> None:
        sys.stdout.close()
        sys.stderr.close()

    def close_descriptors() -> None:
        os.close(1)
        os.close(2)

    def lead_away() -> None:
        elsewhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(elsewhere, 1)
        os.dup2(elsewhere, 2)

    def replace() -> None:
        sys.stdout = sys.stderr = sys.stdin = None

    CUSTOM_TOOLS = [say, close_objects, close_descriptors, lead_away, replace]
"""


@pytest.mark.parametrize("name", ["close_objects", "close_descriptors", "lead_away", "replace"])
async def test_what_a_call_does_to_the_streams_is_undone_for_the_next_one(loaded: Loaded, name: str) -> None:
    worker, _ = await loaded(CLOSERS)
    await worker.call(name, {})
    result = await worker.call("say", {"text": "heard"})
    assert (result.status, result.observation) == ("success", "heard")
    assert sorted(result.printed.split()) == ["child", "heard", "heard"]
