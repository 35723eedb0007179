"""The host's side of `create_workspace_tool_provider`: built-in tools under a provider's own policy."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from adal_ls.agent.builtin.catalog import BUILTINS, DESCRIBE
from adal_ls.agent.registry import RegisteredTool, built_in
from adal_ls.agent.workspace_executor import ExecutorPool, WorkspaceExecutor
from adal_ls.agent.workspace_policy import InvalidPolicyError, WorkspacePolicy

TOOLS = (
    *("read_file", "write_file", "edit_file", "list_files", "grep", "glob", "bash", "fetch_url"),
    DESCRIBE.name,
)
"""What a workspace can have."""


class ProvidedWorkspace:
    """One descriptor of a provider: its tools, and the executors they share with whoever has the same policy.

    A descriptor holds the keys of `WorkspacePolicy`. The folder is its `cwd`, else the project's; the tool context of a
    run may name another one.
    """

    def __init__(
        self,
        descriptor: Mapping[str, Any],
        *,
        project_root: Path | None,
        pool: ExecutorPool,
        executor: WorkspaceExecutor | None = None,
    ) -> None:
        """`executor`: one that is there already, instead of a policy; it stays its owner's.

        Raises:
            InvalidPolicyError: both a policy and an executor, or a policy that cannot be kept.
        """
        if executor is not None and descriptor:
            raise InvalidPolicyError("an executor has its own policy: give one of the two, not both")
        self._descriptor = dict(descriptor)
        self._root = project_root
        self._pool = pool
        self._given = executor
        self._held: dict[WorkspacePolicy, WorkspaceExecutor] = {}
        self._disposed = False
        if executor is None and (project_root is not None or descriptor.get("cwd") is not None):
            self._policy(None)  # what is wrong with it is said now, not at the first call

    def tool(self, name: str, context: Mapping[str, Any] | None = None) -> RegisteredTool:
        """The tool `name` for a run with this tool context.

        Raises:
            InvalidPolicyError: no such tool, no folder to work in, one that is not there, or disposed.
        """
        if name not in TOOLS:
            raise InvalidPolicyError(f"a workspace has no tool '{name}'; it has {', '.join(TOOLS)}")
        return built_in(DESCRIBE if name == DESCRIBE.name else BUILTINS[name], executor=self.executor(context))

    def executor(self, context: Mapping[str, Any] | None = None) -> WorkspaceExecutor:
        """The executor for a run with this tool context; held until `dispose`.

        Raises:
            InvalidPolicyError: as for `tool`.
        """
        if self._disposed:
            raise InvalidPolicyError("this workspace provider was disposed")
        if self._given is not None:
            return self._given
        policy = self._policy((context or {}).get("cwd"))
        # Held once however many runs use it: the pool counts providers, not runs.
        if policy not in self._held:
            self._held[policy] = self._pool.acquire(self._root or policy.cwd, policy)
        return self._held[policy]

    async def dispose(self) -> None:
        """Releases what it holds; more than once does no more."""
        self._disposed = True
        held, self._held = list(self._held.values()), {}
        for executor in held:
            await self._pool.release(executor)

    def _policy(self, cwd: object) -> WorkspacePolicy:
        given = self._descriptor if cwd is None else {**self._descriptor, "cwd": cwd}
        return WorkspacePolicy.parse(given, cwd=self._root)
