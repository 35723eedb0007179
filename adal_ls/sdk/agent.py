"""Agents and the runtime they belong to.

Source: the tool-providers document ("Resolution Order") for the three places of tools.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, TypeVar, overload
from uuid import uuid4

from adal_ls.sdk.approval import CAN_USE_TOOL_TIMEOUT, CanUseTool, PermissionMode
from adal_ls.sdk.binding import BINDING
from adal_ls.sdk.context import ToolContext, WorkflowStep
from adal_ls.sdk.episode import run_episode
from adal_ls.sdk.errors import InvalidConfigError, InvalidInputError, UnknownAgentError
from adal_ls.sdk.handle import RunHandle
from adal_ls.sdk.local import local_runner
from adal_ls.sdk.provider import Source, ToolProvider, as_provider
from adal_ls.sdk.resolve import dispose
from adal_ls.sdk.runner import DEFAULT_STOP_WHEN, Runner, RunRequest, RuntimeOptions, checked_options
from adal_ls.sdk.toolset import ToolSet, read_tool_set

ContextT = TypeVar("ContextT")


class Agent(Generic[ContextT]):
    """An agent: a model, instructions and tools. `ContextT` is what its provider's tools are built from.

    `runtime.create_agent` makes one. All attributes are for reading.
    """

    def __init__(
        self,
        runtime: AgentRuntime,
        *,
        id: str,  # noqa: A002
        model: str | None,
        system_prompt: str | None,
        tools: ToolProvider[ContextT] | ToolSet | None,
        stop_when: int,
        description: str | None,
    ) -> None:
        self.runtime = runtime
        self.id = id
        self.model = model
        self.system_prompt = system_prompt
        self.tools = tools
        self.stop_when = stop_when
        self.description = description

    @property
    def takes_context(self) -> bool:
        """Whether its own tools come from a provider; lists of agents then say "(tool-context)"."""
        return as_provider(self.tools) is not None

    def run(
        self,
        user: str,
        *,
        tool_provider_context: ContextT | None = None,
        tools: ToolProvider[ContextT] | ToolSet | None = None,
        memory_scope: str | None = None,
        workflow: WorkflowStep | None = None,
    ) -> RunHandle:
        """Starts a run and returns at once; `await agent.run(...).result` gives its end.

        Args:
            user: what the person asks.
            tool_provider_context: given to all providers as it stands.
            tools: for this run, over the agent's own and the runtime's, which they replace by name.
            memory_scope: the conversation that the run continues; left out (or blank) it is a new one.
            workflow: the step that the run is made in; providers see it.

        Raises:
            InvalidInputError: no prompt, or no running event loop.
            InvalidConfigError: `tools` is neither a provider nor a tool set.
        """
        if not isinstance(user, str) or not user.strip():
            raise InvalidInputError("an agent needs a prompt: run('what to do')")
        if workflow is not None and not isinstance(workflow, WorkflowStep):
            raise InvalidInputError(f"workflow must be a WorkflowStep, not {type(workflow).__name__}")
        _check_source(tools)
        ctx = ToolContext(
            agent_id=self.id,
            agent_call_id=uuid4().hex,
            memory_scope=(memory_scope or "").strip() or uuid4().hex,
            project_root=self.runtime.options.project_root,
            workflow=workflow,
            tool_provider_context=tool_provider_context,
        )
        request = RunRequest(user, ctx, self.runtime.options, self.model, self.system_prompt, self.stop_when)
        sources: list[Source] = [self.runtime.tools, self.tools, tools]
        runner = self.runtime.runner
        return RunHandle(
            ctx.agent_call_id,
            ctx.memory_scope,
            lambda emit, is_cancelled: run_episode(request, sources, runner, emit, is_cancelled),
        )

    stream = run
    """`run` under the name that says that its events are read: `async for piece in agent.stream(...).text`."""


class AgentRuntime:
    """Agents that share tools, a model and rules; `create_runtime` makes one."""

    def __init__(self, tools: Source, options: RuntimeOptions, runner: Runner | None) -> None:
        self.tools = tools
        self.options = options
        self._runner = runner
        self._agents: dict[str, Agent[Any]] = {}

    @property
    def agents(self) -> Mapping[str, Agent[Any]]:
        return MappingProxyType(self._agents)

    @property
    def runner(self) -> Runner:
        if self._runner is None:
            self._runner = local_runner()
        return self._runner

    def agent(self, id: str) -> Agent[Any]:  # noqa: A002
        """
        Raises:
            UnknownAgentError: there is none of that id.
        """
        return find_agent(self._agents, id)

    @overload
    def create_agent(
        self,
        id: str,
        *,
        tools: ToolProvider[ContextT],
        model: str | None = None,
        system_prompt: str | None = None,
        stop_when: int = DEFAULT_STOP_WHEN,
        description: str | None = None,
    ) -> Agent[ContextT]: ...

    @overload
    def create_agent(
        self,
        id: str,
        *,
        tools: ToolSet | None = None,
        model: str | None = None,
        system_prompt: str | None = None,
        stop_when: int = DEFAULT_STOP_WHEN,
        description: str | None = None,
    ) -> Agent[Any]: ...

    def create_agent(
        self,
        id: str,  # noqa: A002
        *,
        tools: ToolProvider[Any] | ToolSet | None = None,
        model: str | None = None,
        system_prompt: str | None = None,
        stop_when: int = DEFAULT_STOP_WHEN,
        description: str | None = None,
    ) -> Agent[Any]:
        """Makes an agent.

        Args:
            id: by which it is found; used once in a runtime.
            tools: a provider or a plain tool set, over the runtime's.
            model: such as `openai/gpt-4o`; left out it is the runtime's.
            system_prompt: in place of the usual one.
            stop_when: the most requests to the model in one run.
            description: for people who choose an agent.

        Raises:
            InvalidConfigError: an id that is empty or taken, or an argument that cannot work.
        """
        if not isinstance(id, str) or not id.strip():
            raise InvalidConfigError("an agent needs an id: a string that is not empty")
        if id in self._agents:
            raise InvalidConfigError(f"there is an agent '{id}' already")
        if not isinstance(stop_when, int) or isinstance(stop_when, bool) or stop_when < 1:
            raise InvalidConfigError(f"agent '{id}': stop_when must be a number of at least 1, not {stop_when!r}")
        for name, text in {"model": model, "system_prompt": system_prompt, "description": description}.items():
            if text is not None and not isinstance(text, str):
                raise InvalidConfigError(f"agent '{id}': {name} must be text, not {type(text).__name__}")
        _check_source(tools)
        agent: Agent[Any] = Agent(
            self,
            id=id,
            model=model,
            system_prompt=system_prompt,
            tools=tools,
            stop_when=stop_when,
            description=description,
        )
        self._agents[id] = agent
        return agent

    async def dispose(self) -> None:
        """Disposes the providers of all its agents and its own, once each, and closes connections to models.

        For who made the runtime and is done.

        Raises:
            Exception: what a provider's `dispose` raised; several come as ProviderHooksError.
        """
        try:
            await dispose([self.tools, *(agent.tools for agent in self._agents.values())])
        finally:
            if self._runner is not None:
                await self._runner.close()


def create_runtime(
    *,
    tools: Source = None,
    model: str | None = None,
    project_root: str | Path | None = None,
    permission_mode: PermissionMode = "default",
    can_use_tool: CanUseTool | None = None,
    can_use_tool_timeout: float | None = CAN_USE_TOOL_TIMEOUT,
    enabled_default_tools: Sequence[str] | None = None,
    disabled_default_tools: Sequence[str] | None = None,
) -> AgentRuntime:
    """A runtime for agents.

    In a project's own `.adal/agents.py` the project is the root, and whoever loads it decides about approvals:
    `permission_mode`, `can_use_tool` and its time limit given there hold only where the file is run as a script.

    Args:
        tools: a provider or a tool set that all agents have; theirs replace them by name.
        model: for agents that name none.
        project_root: the folder that built-in tools work in; left out it is the current folder, and providers see none.
        permission_mode: `default`, `acceptEdits` or `yolo` (nothing is asked).
        can_use_tool: asked before a tool runs that must be asked about; without it such tools do not run.
        can_use_tool_timeout: seconds it has, after which the call is denied; None waits.
        enabled_default_tools, disabled_default_tools: built-in tools by name or group; only one of the two.

    Raises:
        InvalidConfigError: an argument that cannot work.
    """
    _check_source(tools)
    binding = BINDING.get()
    bound = None if binding is None else binding.options
    root = binding.root if binding else Path(project_root).resolve() if project_root is not None else None
    options = checked_options(
        model=model or (bound.model if bound else None),
        project_root=root,
        permission_mode=bound.permission_mode if bound else permission_mode,
        can_use_tool=bound.can_use_tool if bound else can_use_tool,
        can_use_tool_timeout=bound.can_use_tool_timeout if bound else can_use_tool_timeout,
        enabled_default_tools=enabled_default_tools,
        disabled_default_tools=disabled_default_tools,
    )
    return AgentRuntime(tools, options, binding.runner if binding else None)


def find_agent(agents: Mapping[str, Agent[Any]], id: str) -> Agent[Any]:  # noqa: A002
    """
    Raises:
        UnknownAgentError: there is none of that id; the text names those there are.
    """
    if id not in agents:
        there = ", ".join(agents) or "none"
        raise UnknownAgentError(f"there is no agent '{id}'; the agents there are: {there}")
    return agents[id]


def _check_source(source: Source) -> None:
    """Raises InvalidConfigError where `source` is neither a provider nor a tool set."""
    if as_provider(source) is None:
        read_tool_set(source)  # type: ignore[arg-type]  # no provider, so it must be a set
