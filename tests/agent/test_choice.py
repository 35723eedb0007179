"""Which model a run uses, and what is said about the choice."""

from __future__ import annotations

import pytest

from adal_ls.agent.models.choice import advice
from tests.agent.bench import Bench


@pytest.mark.parametrize("name", ["offline", "script:turns.yaml", "openai/gpt-4o", "ollama_chat/qwen3"])
def test_most_models_need_no_word(name: str) -> None:
    assert advice(name) is None


async def test_the_interface_of_ollama_that_has_no_tool_calls_is_advised_against(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_API_BASE", "http://127.0.0.1:9")
    await bench.run(model="ollama/qwen3")
    assert bench.notices().count(advice("ollama/qwen3") or "") == 1
