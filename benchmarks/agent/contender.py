"""`python contender.py NAME URL TURNS RUNS`: one agent library against the scripted server; prints one JSON line.

Runs in the environment of that library, so it imports nothing of ours. Each run is a loop of TURNS tool calls and an
answer, streamed; what is measured is the library and its HTTP client, the tool itself gives its text back.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

PROMPT = "go"
MODEL = "scripted"

Run = Callable[[], Awaitable[str]]


def bare_litellm(url: str, turns: int) -> Run:
    """What everything over litellm pays: the request, its deltas put together, the tool called.

    It sends what our own runtime sends (`REQUEST`, a file): the same system prompt and the same tools.
    """
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    import litellm

    litellm.suppress_debug_info = True
    request = json.loads(Path(os.environ["REQUEST"]).read_text())
    tools = request["tools"]

    async def run() -> str:
        messages: list[dict[str, Any]] = [
            request["messages"][0],
            {"role": "user", "content": PROMPT},
        ]
        for _ in range(turns + 1):
            text, call = "", {"id": "", "name": "", "arguments": ""}
            stream = await litellm.acompletion(
                model=f"openai/{MODEL}",
                api_base=url,
                api_key="x",
                messages=messages,
                tools=tools,
                stream=True,
                stream_options={"include_usage": True},
            )
            async for chunk in stream:
                for choice in chunk.choices:
                    text += choice.delta.content or ""
                    for piece in choice.delta.tool_calls or ():
                        call["id"] = piece.id or call["id"]
                        call["name"] = piece.function.name or call["name"]
                        call["arguments"] += piece.function.arguments or ""
            if not call["name"]:
                return text
            function = {"name": call["name"], "arguments": call["arguments"]}
            messages += [
                {"role": "assistant", "tool_calls": [{"id": call["id"], "type": "function", "function": function}]},
                {"role": "tool", "tool_call_id": call["id"], "content": json.loads(call["arguments"])["text"]},
            ]
        raise RuntimeError("no answer")

    return run


def pydantic_ai(url: str, turns: int) -> Run:
    from pydantic_ai import Agent, UsageLimits
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    agent = Agent(OpenAIChatModel(MODEL, provider=OpenAIProvider(base_url=url, api_key="x")))

    @agent.tool_plain
    def echo(text: str) -> str:
        """Echo."""
        return text

    async def run() -> str:
        async with agent.iter(PROMPT, usage_limits=UsageLimits(request_limit=turns + 5)) as steps:
            async for node in steps:
                if Agent.is_model_request_node(node):
                    async with node.stream(steps.ctx) as stream:
                        async for _ in stream:
                            pass
            return str(steps.result.output)

    return run


def openai_agents(url: str, turns: int) -> Run:
    from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool, set_tracing_disabled
    from openai import AsyncOpenAI

    set_tracing_disabled(True)

    @function_tool
    def echo(text: str) -> str:
        """Echo."""
        return text

    model = OpenAIChatCompletionsModel(MODEL, AsyncOpenAI(base_url=url, api_key="x"))
    agent = Agent(name="a", model=model, tools=[echo])

    async def run() -> str:
        result = Runner.run_streamed(agent, PROMPT, max_turns=turns + 5)
        async for _ in result.stream_events():
            pass
        return str(result.final_output)

    return run


def langgraph(url: str, turns: int) -> Run:
    import warnings

    warnings.simplefilter("ignore")
    from langchain_core.tools import tool
    from langchain_openai import ChatOpenAI
    from langgraph.prebuilt import create_react_agent

    @tool
    def echo(text: str) -> str:
        """Echo."""
        return text

    model = ChatOpenAI(model=MODEL, base_url=url, api_key="x", streaming=True, stream_usage=True)
    agent = create_react_agent(model, [echo])

    async def run() -> str:
        last = None
        async for kind, part in agent.astream(
            {"messages": [("user", PROMPT)]}, {"recursion_limit": 2 * turns + 10}, stream_mode=["messages", "values"]
        ):
            if kind == "values":
                last = part["messages"][-1]
        return str(last.content)

    return run


def agno(url: str, turns: int) -> Run:
    os.environ["AGNO_TELEMETRY"] = "false"
    from agno.agent import Agent
    from agno.models.openai import OpenAIChat

    def echo(text: str) -> str:
        """Echo."""
        return text

    async def run() -> str:
        agent = Agent(model=OpenAIChat(id=MODEL, base_url=url, api_key="x"), tools=[echo], telemetry=False)
        answer = ""
        async for event in agent.arun(PROMPT, stream=True):
            answer += getattr(event, "content", None) or ""
        return answer

    del turns
    return run


def adalflow(url: str, turns: int) -> Run:
    """Over the Responses API and not streamed, the only way its agents have; a call is JSON in the text.

    The caller sets TIKTOKEN_CACHE_DIR: adalflow fetches a tokenizer when it is imported.
    """
    import contextlib
    import io

    from adalflow.components.agent import Agent, Runner
    from adalflow.components.model_client import OpenAIClient

    def echo(text: str) -> str:
        """Echo."""
        return text

    client = OpenAIClient(api_key="x", base_url=url)

    async def run() -> str:
        agent = Agent(name="a", tools=[echo], model_client=client, model_kwargs={"model": MODEL}, max_steps=turns + 5)
        with contextlib.redirect_stdout(io.StringIO()):
            result = await Runner(agent=agent, max_steps=turns + 5).acall(prompt_kwargs={"input_str": PROMPT})
        return str(result.answer)

    return run


CONTENDERS: dict[str, Callable[[str, int], Run]] = {
    "bare litellm": bare_litellm,
    "pydantic-ai": pydantic_ai,
    "openai-agents": openai_agents,
    "langgraph": langgraph,
    "agno": agno,
    "adalflow": adalflow,
}


async def measure(make: Callable[[], Run], turns: int, runs: int) -> dict[str, float]:
    """A first run apart, then `runs` of them; milliseconds a model request, medians."""
    began = time.perf_counter()
    run = make()
    ready = time.perf_counter()
    answer = await run()
    assert answer == "done", answer
    first = time.perf_counter()
    cpu, wall = [], []
    for _ in range(runs):
        used, at = time.process_time(), time.perf_counter()
        assert await run() == "done"
        cpu.append((time.process_time() - used) * 1000 / (turns + 1))
        wall.append((time.perf_counter() - at) * 1000 / (turns + 1))
    return {
        "setup": (ready - began) * 1000,
        "first": (first - ready) * 1000,
        "cpu": sorted(cpu)[len(cpu) // 2],
        "wall": sorted(wall)[len(wall) // 2],
        "rss": _rss(),
    }


def _rss() -> float:
    """MiB of this process. `ru_maxrss` would be no less than what its parent had when it was forked."""
    status = Path("/proc/self/status")
    if status.exists():
        (line,) = [line for line in status.read_text().splitlines() if line.startswith("VmRSS")]
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    name, address, count, repeats = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    figures = asyncio.run(measure(lambda: CONTENDERS[name](address, count), count, repeats))
    sys.stdout.write(f"{json.dumps(figures)}\n")
    sys.stdout.flush()
    os._exit(0)  # some of them leave threads
