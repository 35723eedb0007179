"""Tool providers: objects that build an agent's tools from the context of a call.

Source: the tool-providers document ("ToolProvider", "createToolProvider").
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, cast

from typing_extensions import TypeVar

from adal_ls.sdk.context import ToolContext
from adal_ls.sdk.errors import InvalidConfigError
from adal_ls.sdk.toolset import ToolSet

ContextT = TypeVar("ContextT", default=Any)
ContextT_contra = TypeVar("ContextT_contra", contravariant=True)

ContextSchema = Any
"""A pydantic model class (or any type pydantic can describe), or a JSON Schema as a mapping."""

HOOKS = ("list_tools", "on_run_end", "dispose")


@dataclass(frozen=True, slots=True)
class ToolSummary:
    """One line of `list_tools`."""

    name: str
    description: str = ""


class ToolProvider(Protocol[ContextT_contra]):
    """Builds a tool set from the context of a call. `ContextT` is what callers pass as `tool_provider_context`.

    `get_tools` is all that a provider needs. A provider may also have, as attributes of these names:

    - `context_schema`: describes the context to people and forms; nothing is ever checked against it;
    - `list_tools()`: its tools as objects or mappings with `name` and `description`, where they are known without a
      context. A provider without it "cannot list": nobody calls `get_tools` with a context that was made up;
    - `on_run_end(ctx)`: the episode `ctx.agent_call_id` is over: by success, failure or cancel. It may come without
      `get_tools` before it, where the run failed early;
    - `dispose()`: the provider goes away: its project was reloaded or unloaded. Never at the end of a run.

    All but `list_tools` may be async. The type of the context is a promise of callers, not a check at run time.
    """

    def get_tools(self, ctx: ToolContext[ContextT_contra], /) -> ToolSet | Awaitable[ToolSet]:
        """The tools for one episode; called once for each."""
        ...


Source = ToolProvider[Any] | ToolSet | None
"""What `tools=` takes: a provider, a plain tool set, or nothing."""


class FunctionToolProvider(Generic[ContextT]):
    """A provider made of functions; `create_tool_provider` makes it."""

    def __init__(
        self,
        get_tools: Callable[[ToolContext[ContextT]], ToolSet | Awaitable[ToolSet]],
        context_schema: ContextSchema | None,
        list_tools: Callable[[], Sequence[Any]] | None,
        on_run_end: Callable[[ToolContext[ContextT]], Awaitable[None] | None] | None,
        dispose: Callable[[], Awaitable[None] | None] | None,
    ) -> None:
        self._get_tools = get_tools
        self.context_schema = context_schema
        self.list_tools = list_tools
        self.on_run_end = on_run_end
        self.dispose = dispose

    def get_tools(self, ctx: ToolContext[ContextT], /) -> ToolSet | Awaitable[ToolSet]:
        return self._get_tools(ctx)


def create_tool_provider(
    *,
    get_tools: Callable[[ToolContext[ContextT]], ToolSet | Awaitable[ToolSet]],
    context_schema: ContextSchema | None = None,
    list_tools: Callable[[], Sequence[Any]] | None = None,
    on_run_end: Callable[[ToolContext[ContextT]], Awaitable[None] | None] | None = None,
    dispose: Callable[[], Awaitable[None] | None] | None = None,
) -> FunctionToolProvider[ContextT]:
    """A provider made of functions; see `ToolProvider` for what each does. The context's type is that of `get_tools`.

    Raises:
        InvalidConfigError: one of them is not callable.
    """
    hooks = {"get_tools": get_tools, "list_tools": list_tools, "on_run_end": on_run_end, "dispose": dispose}
    for name, hook in hooks.items():
        if not callable(hook) and (hook is not None or name == "get_tools"):
            raise InvalidConfigError(f"create_tool_provider: {name} must be a function, not {type(hook).__name__}")
    return FunctionToolProvider(get_tools, context_schema, list_tools, on_run_end, dispose)


def is_provider(source: object) -> bool:
    """Whether `source` is a provider: an object (no class) with a callable `get_tools`.

    Raises:
        InvalidConfigError: it is the class of one, or has no callable hook where one stands.
    """
    if not callable(getattr(source, "get_tools", None)) or isinstance(source, Mapping):
        return False
    if inspect.isclass(source):
        raise InvalidConfigError(
            f"{source.__name__} is the class of a tool provider; give an instance: {source.__name__}()"
        )
    for name in HOOKS:
        if not callable(found := getattr(source, name, None)) and found is not None:
            raise InvalidConfigError(f"{type(source).__name__}.{name} must be a method, not {type(found).__name__}")
    return True


def as_provider(source: object) -> ToolProvider[Any] | None:
    """`source`, where it is a provider."""
    return cast("ToolProvider[Any]", source) if is_provider(source) else None
