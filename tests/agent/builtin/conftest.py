from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from adal_ls.agent.builtin import BuiltinContext, execute
from adal_ls.agent.workspaces.workspace_executor import WorkspaceExecutor
from adal_ls.agent.workspaces.workspace_policy import WorkspacePolicy
from adal_ls.worker.data import ToolResult

Tool = Callable[..., Awaitable[ToolResult]]


@dataclass
class Desk:
    """A workspace, the policy of its tools, and its tools by name."""

    root: Path
    policy: WorkspacePolicy
    base: str | None = None

    async def __call__(self, name: str, /, **arguments: Any) -> ToolResult:
        context = BuiltinContext(self.root, executor=WorkspaceExecutor(self.root, self.policy), base=self.base)
        return await execute(name, arguments, context, lambda _: None)

    async def text(self, name: str, /, **arguments: Any) -> str:
        """What a call that works says."""
        result = await self(name, **arguments)
        assert result.status == "success", result.observation
        return result.observation

    async def refusal(self, name: str, /, **arguments: Any) -> str:
        """Why a call does not work."""
        result = await self(name, **arguments)
        assert (result.status, result.output) == ("error", None), result.observation
        return result.observation

    def allow(self, **keys: Any) -> Desk:
        """The same workspace under a policy of these keys."""
        return replace(self, policy=WorkspacePolicy.parse(keys, cwd=self.root))

    def file(self, path: str, content: str | bytes = "") -> Path:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
        return place


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setenv("ADAL_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.delenv("TAVILY_API_KEY", raising=False)
    root = tmp_path / "ws"
    root.mkdir()
    return Desk(root, WorkspacePolicy.of(root))
