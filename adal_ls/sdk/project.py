"""A loaded project: its agents, and what happens when its files are loaded again.

Source: the tool-providers document (hooks table) and the host's rules for reloading.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, Protocol

from adal_ls.sdk.agent import Agent, AgentRuntime, find_agent
from adal_ls.sdk.approval import CAN_USE_TOOL_TIMEOUT, CanUseTool, PermissionMode
from adal_ls.sdk.errors import InvalidInputError
from adal_ls.sdk.local import local_project
from adal_ls.sdk.resolve import dispose
from adal_ls.sdk.runner import checked_options
from adal_ls.sdk.toolset import ToolSet


@dataclass(frozen=True, slots=True)
class LoadedFiles:
    """One successful load.

    Attributes:
        agents: by id.
        tools: those of CUSTOM_TOOLS.
        runtime: one with these tools and the loader's options, for further agents.
    """

    agents: Mapping[str, Agent[Any]]
    tools: ToolSet
    runtime: AgentRuntime


class ProjectFiles(Protocol):
    """Loads a project's files, as often as it is asked."""

    def load(self) -> LoadedFiles:
        """
        Raises:
            ProjectLoadError: they cannot be loaded; what was loaded before is as it was.
            InvalidConfigError: what they define cannot work.
        """
        ...

    def changes(self, stop: asyncio.Event) -> AsyncIterator[None]:
        """One item for each burst of changes of the files, until `stop` is set."""
        ...

    def close(self) -> None:
        """Nothing of the project is imported from now on."""
        ...


class Project:
    """The agents of a folder. A run keeps the tools it started with, also over a `reload`.

    Attributes:
        root: the folder.
        generation: counts successful loads from 1.
        last_error: why the last `reload` failed; None after one that succeeded.
    """

    def __init__(self, root: Path, files: ProjectFiles) -> None:
        """Loads the files for the first time; see `load_project`."""
        self.root = root
        self.generation = 0
        self.last_error: Exception | None = None
        self._files = files
        self._loaded = files.load()
        self.generation = 1
        self._lock = asyncio.Lock()
        self._disposed = asyncio.Event()

    @property
    def agents(self) -> Mapping[str, Agent[Any]]:
        """By id: those of `AGENTS`, or `default` alone where the project has no agents.py."""
        return MappingProxyType(dict(self._loaded.agents))

    @property
    def runtime(self) -> AgentRuntime:
        """Makes further agents with the project's tools; those of this generation."""
        return self._loaded.runtime

    @property
    def tools(self) -> ToolSet:
        """The tools of CUSTOM_TOOLS."""
        return self._loaded.tools

    def agent(self, id: str = "default") -> Agent[Any]:  # noqa: A002
        """
        Raises:
            UnknownAgentError: there is none of that id.
        """
        return find_agent(self._loaded.agents, id)

    async def reload(self) -> bool:
        """Loads the files again. Where they cannot be loaded nothing changes, and `last_error` says why.

        After a success the providers of the agents that were there before are disposed, once each.

        Returns:
            Whether the new files are in use.

        Raises:
            InvalidInputError: the project was disposed.
            Exception: what `dispose` of an outgoing provider raised; the new files are in use.
        """
        async with self._lock:
            if self._disposed.is_set():
                raise InvalidInputError(f"the project {self.root} was disposed; load it again")
            try:
                fresh = self._files.load()
            except Exception as fault:  # noqa: BLE001 - the project's own code may raise anything; it is kept
                self.last_error = fault
                return False
            outgoing, self._loaded = self._loaded, fresh
            self.generation += 1
            self.last_error = None
            await dispose(
                [agent.tools for agent in outgoing.agents.values()],
                staying=[agent.tools for agent in fresh.agents.values()],
            )
            return True

    async def watch(self) -> AsyncIterator[bool]:
        """Reloads whenever the files change, and tells each time whether the new ones are in use; see `reload`.

        Ends when the project is disposed. Files that are saved by renaming a temporary one count as well.

        Raises:
            Exception: see `reload`.
        """
        async for _ in self._files.changes(self._disposed):
            if self._disposed.is_set():
                return
            yield await self.reload()

    async def dispose(self) -> None:
        """Disposes the providers of its agents, once each, closes connections to models and unloads its files. A second
        time does nothing.

        Raises:
            Exception: what `dispose` of a provider raised; several come as ProviderHooksError.
        """
        async with self._lock:
            if self._disposed.is_set():
                return
            self._disposed.set()
            self._files.close()
            try:
                await dispose([agent.tools for agent in self._loaded.agents.values()])
            finally:
                await self.runtime.runner.close()

    async def __aenter__(self) -> Project:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.dispose()


def load_project(
    path: str | Path = ".",
    *,
    model: str | None = None,
    permission_mode: PermissionMode = "default",
    can_use_tool: CanUseTool | None = None,
    can_use_tool_timeout: float | None = CAN_USE_TOOL_TIMEOUT,
) -> Project:
    """Loads `.adal/tools.py` and `.adal/agents.py` of a folder into this process. That runs their code.

    The other arguments are as for `create_runtime`, for all agents of the project. `async with load_project(...)`
    disposes it at the end.

    Raises:
        InvalidInputError: the folder does not exist.
        ProjectLoadError: a file cannot be loaded; the text says where.
        InvalidConfigError: what the files define cannot work.
    """
    root = Path(path).resolve()
    if not root.is_dir():
        raise InvalidInputError(f"there is no folder {path}")
    options = checked_options(
        model=model,
        project_root=root,
        permission_mode=permission_mode,
        can_use_tool=can_use_tool,
        can_use_tool_timeout=can_use_tool_timeout,
    )
    return Project(root, local_project(root, options))
