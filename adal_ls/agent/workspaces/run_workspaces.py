"""The workspaces of one run: the policies of its built-in tools, and what runs commands under them."""

from __future__ import annotations

import os
from pathlib import Path

from adal_ls.agent.builtin.catalog import BUILTINS, DESCRIBE
from adal_ls.agent.builtin.context import BuiltinContext
from adal_ls.agent.runs.registry import RegisteredTool, built_in
from adal_ls.agent.workspaces.workspace_executor import ExecutorPool, WorkspaceExecutor, is_unconfined
from adal_ls.agent.workspaces.workspace_policy import InvalidPolicyError, WorkspacePolicy
from adal_ls.sdk.errors import InvalidConfigError
from adal_ls.sdk.hosted import WorkspaceTool

_KNOWN = {**BUILTINS, DESCRIBE.name: DESCRIBE}


class RunWorkspaces:
    """Takes what a run needs from `pool` and gives it back at its end."""

    def __init__(self, root: Path, pool: ExecutorPool) -> None:
        self._root = root
        self._pool = pool
        self._held: list[WorkspaceExecutor] = []

    def own_executor(self) -> WorkspaceExecutor:
        """What runs the built-in tools that every agent has: all of the run's folder, and nothing else.

        Raises:
            InvalidConfigError: it is no folder.
        """
        return self._acquire(WorkspacePolicy.of(self._root))

    def builtins(self) -> BuiltinContext:
        """What the built-in tools that every agent has may touch; raises as `own_executor`."""
        return BuiltinContext(self._root, executor=self.own_executor())

    def tool(self, hosted: WorkspaceTool) -> RegisteredTool:
        """A tool that a provider describes.

        Raises:
            InvalidConfigError: its policy cannot be kept.
        """
        try:
            policy = WorkspacePolicy.parse(hosted.policy, cwd=self._root)
        except InvalidPolicyError as fault:
            raise InvalidConfigError(f"workspace tool '{hosted.name}': {fault}") from fault
        executor = self._acquire(policy)
        return built_in(_KNOWN[hosted.name], unconfined=executor.unconfined, executor=executor)

    async def release(self) -> None:
        held, self._held = self._held, []
        for executor in held:
            await self._pool.release(executor)

    def _acquire(self, policy: WorkspacePolicy) -> WorkspaceExecutor:
        try:
            executor = self._pool.acquire(self._root, policy)
        except InvalidPolicyError as fault:
            raise InvalidConfigError(str(fault)) from fault
        self._held.append(executor)
        return executor


def new_pool() -> ExecutorPool:
    """A pool by the person's environment; nothing that a project says can lift the sandbox."""
    return ExecutorPool(unconfined=is_unconfined(False, os.environ))
