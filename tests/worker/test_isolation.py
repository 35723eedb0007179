"""What one call does is not felt by another: context variables, environment, and the loop's time."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from adal_ls.worker.client import Limits
from tests.worker.conftest import Loaded


async def test_context_variables_are_each_calls_own(loaded: Loaded) -> None:
    worker, _ = await loaded(
        """
        import asyncio, contextvars
        WHO = contextvars.ContextVar("who", default="nobody")

        def sync(name: str) -> list:
            before = WHO.get()
            WHO.set(name)
            return [before, WHO.get()]

        async def coroutine(name: str) -> list:
            before = WHO.get()
            WHO.set(name)
            await asyncio.sleep(0.01)
            return [before, WHO.get(), await asyncio.to_thread(WHO.get)]

        def generator(name: str):
            before = WHO.get()
            WHO.set(name)
            yield "one"
            yield [before, WHO.get()]

        CUSTOM_TOOLS = [sync, coroutine, generator]
        """
    )
    names = ["a", "b", "c"]
    for tool in ["sync", "coroutine", "generator"]:
        results = await asyncio.gather(*(worker.call(tool, {"name": name}) for name in names))
        assert [result.output[:2] for result in results] == [["nobody", name] for name in names]
    assert (await worker.call("coroutine", {"name": "d"})).output == ["nobody", "d", "d"]


async def test_a_call_finds_environment_folder_and_mask_as_after_loading(loaded: Loaded, tmp_path: Path) -> None:
    worker, _ = await loaded(
        """
        import os
        os.environ["ADAL_TEST_SET_BY_FILE"] = "file"
        os.environ["ADAL_TEST_KEPT"] = "kept"
        os.umask(0o027)

        def change() -> None:
            os.environ["ADAL_TEST_SET_BY_FILE"] = "call"
            os.environ["ADAL_TEST_SET_BY_CALL"] = "call"
            del os.environ["ADAL_TEST_KEPT"]
            os.chdir("/")
            os.umask(0)

        def look() -> list:
            mask = os.umask(0o027)
            os.umask(mask)
            names = ["ADAL_TEST_SET_BY_FILE", "ADAL_TEST_SET_BY_CALL", "ADAL_TEST_KEPT"]
            return [*(os.environ.get(name) for name in names), os.getcwd(), mask]

        CUSTOM_TOOLS = [change, look]
        """
    )
    await worker.call("change", {})
    assert (await worker.call("look", {})).output == ["file", None, "kept", str(tmp_path), 0o027]
    assert "ADAL_TEST_SET_BY_FILE" not in os.environ


async def test_calls_at_the_same_time_share_the_environment(loaded: Loaded) -> None:
    worker, _ = await loaded(
        """
        import asyncio, os
        SET, SEEN = asyncio.Event(), asyncio.Event()

        async def change() -> None:
            os.environ["ADAL_TEST_SHARED"] = "yes"
            SET.set()
            await SEEN.wait()

        async def look() -> str:
            await SET.wait()
            SEEN.set()
            return os.environ.get("ADAL_TEST_SHARED", "no")

        CUSTOM_TOOLS = [change, look]
        """
    )
    _, seen = await asyncio.gather(worker.call("change", {}), worker.call("look", {}))
    assert seen.observation == "yes"
    assert (await worker.call("look", {})).observation == "no"


async def test_slow_arguments_and_results_of_a_sync_tool_hold_up_nobody(loaded: Loaded) -> None:
    worker, _ = await loaded(
        """
        import threading
        from typing import Annotated
        from pydantic import AfterValidator
        HELD, GO = threading.Event(), threading.Event()

        def hold(value: int) -> int:
            HELD.set()
            GO.wait(10)
            return value

        class Slow:
            def __repr__(self) -> str:
                HELD.set()
                GO.wait(10)
                return "slow"

        def argument(a: Annotated[int, AfterValidator(hold)]) -> int:
            return a

        def result() -> object:
            return Slow()

        async def quick() -> str:
            import asyncio
            await asyncio.to_thread(HELD.wait, 10)
            HELD.clear()
            GO.set()
            return "quick"

        def again() -> None:
            GO.clear()

        CUSTOM_TOOLS = [argument, result, quick, again]
        """,
        limits=Limits(call=5),
    )
    for name, arguments, observation in [("argument", {"a": 1}, "1"), ("result", {}, "slow")]:
        slow, quick = await asyncio.gather(worker.call(name, arguments), worker.call("quick", {}))
        assert (slow.observation, quick.observation) == (observation, "quick")
        await worker.call("again", {})


async def test_the_loop_of_the_host_has_time_while_a_tool_floods_its_output(loaded: Loaded) -> None:
    worker, _ = await loaded(
        """
        import threading

        def flood() -> None:
            while True:
                print("x" * 4000)

        threading.Thread(target=flood, daemon=True).start()

        def quick() -> str:
            return "quick"

        CUSTOM_TOOLS = [quick]
        """
    )
    began = os.times()
    await asyncio.sleep(1)
    spent = os.times()
    assert spent.user + spent.system - began.user - began.system < 0.6
    assert (await worker.call("quick", {})).observation == "quick"
