"""What a type checker says about code that uses the SDK."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

SNIPPET = """
from typing import TypedDict

from adal_ls import Agent, ToolContext, ToolSet, combine_tool_providers, create_runtime, create_tool_provider


class Root(TypedDict):
    root: str


class Key(TypedDict):
    api_key: str


def tools_for(ctx: ToolContext[Root]) -> ToolSet:
    context = ctx.tool_provider_context
    reveal_type(context)  # E: Revealed type is
    print(context["root"])  # E: not indexable
    return {} if context is None else {"pwd": lambda: context["root"]}


class Search:
    async def get_tools(self, ctx: ToolContext[Key], /) -> ToolSet:
        return []


class NoProvider:
    def get_tools(self) -> ToolSet:
        return []


runtime = create_runtime(model="offline")
coder = runtime.create_agent("coder", tools=create_tool_provider(get_tools=tools_for))
finder = runtime.create_agent("finder", tools=Search())
plain = runtime.create_agent("plain", tools=[len])
both = runtime.create_agent("both", tools=combine_tool_providers({"search": Search(), "none": None}))
typed: Agent[Root] = coder


async def main() -> None:
    coder.run("go", tool_provider_context={"root": "/w"})
    coder.run("go", tool_provider_context={"api_key": "k"})  # E: expected "Root | None"
    coder.run("go", tool_provider_context=7)  # E: incompatible type "int"; expected "Root | None"
    coder.run("go", tools=Search())  # E: incompatible type "Search"
    finder.run("go", tool_provider_context={"api_key": "k"})
    finder.run("go", tool_provider_context={"root": "/w"})  # E: expected "Key | None"
    plain.run("go", tool_provider_context=7)
    both.run("go", tool_provider_context={"search": {"api_key": "k"}})
    both.run("go", tool_provider_context=7)  # E: incompatible type "int"
    runtime.create_agent("wrong", tools=NoProvider())  # E: No overload variant
    result = await coder.run("go").result
    print(result.text.upper())
"""


def test_p18_a_context_of_the_wrong_type_is_found_by_mypy_and_a_right_one_is_not(tmp_path: Path) -> None:
    file = tmp_path / "snippet.py"
    file.write_text(SNIPPET, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", "--no-error-summary", str(file)],
        cwd=ROOT,  # the project's own cache, which the type check of the project fills
        capture_output=True,
        text=True,
        check=False,
    )
    found: dict[int, list[str]] = {}
    for line, kind, text in re.findall(r"^[^\n]*?snippet\.py:(\d+): (error|note): (.*)$", done.stdout, re.MULTILINE):
        if kind == "error" or "Revealed" in text:
            found.setdefault(int(line), []).append(text)
    wanted = {
        number: line.partition("# E: ")[2] for number, line in enumerate(SNIPPET.splitlines(), 1) if "# E: " in line
    }
    assert found.keys() == wanted.keys(), done.stdout + done.stderr
    for number, text in wanted.items():
        assert any(text in told for told in found[number]), found[number]
    revealed = next(told for texts in found.values() for told in texts if "Revealed" in told)
    assert "Root" in revealed
    assert "None" in revealed
