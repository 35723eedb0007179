"""`create_workspace_tool_provider`: file tools, bash and fetch_url that share one folder and one policy.

The provider describes; the host executes, in its sandbox. Names and meanings of the policy follow the tool-providers
document ("Sandboxed Tools"), written the Python way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypedDict

from adal_ls.sdk.context import ToolContext
from adal_ls.sdk.errors import InvalidConfigError, InvalidContextError
from adal_ls.sdk.hosted import WORKSPACE_TOOLS, WorkspacePolicy, WorkspaceTool
from adal_ls.sdk.provider import ToolSummary
from adal_ls.sdk.toolset import ToolSet

if TYPE_CHECKING:
    from typing_extensions import Unpack

_LISTS = (
    "allow_read",
    "allow_write",
    "deny_read",
    "deny_write",
    "allowed_domains",
    "denied_domains",
    "allowed_urls",
    "allow_env",
)
_FLAGS = ("allow_network", "allow_private_network")
_LEAST = {
    "bash_timeout_ms": 1,
    "fetch_timeout_ms": 1,
    "max_read_bytes": 1,
    "max_write_bytes": 1,
    "max_response_bytes": 1,
    "max_redirects": 0,
}
_BACKENDS = ("asrt", "native")


class WorkspaceContext(TypedDict, total=False):
    """The tool context of a workspace provider: `cwd` replaces the policy's for one call."""

    cwd: str


class WorkspaceToolProvider:
    """The tools of one workspace. Its folder is the context's `cwd`, else the policy's, else the project's."""

    context_schema: Mapping[str, Any] = MappingProxyType(
        {
            "type": "object",
            "properties": {"cwd": {"type": "string", "description": "Folder of the tools, instead of the usual one."}},
        }
    )

    def __init__(self, policy: Mapping[str, Any], tools: Sequence[str]) -> None:
        self.policy = policy
        self._tools = tuple(tools)

    def get_tools(self, ctx: ToolContext[WorkspaceContext], /) -> ToolSet:
        """
        Raises:
            InvalidContextError: the context is no mapping with a `cwd`, or there is no folder at all.
        """
        policy = {**self.policy, "cwd": str(self._folder(ctx))}
        return {name: WorkspaceTool(name, policy) for name in self._tools}

    def list_tools(self) -> list[ToolSummary]:
        return [ToolSummary(name) for name in self._tools]

    def _folder(self, ctx: ToolContext[WorkspaceContext]) -> Path:
        given: object = ctx.tool_provider_context
        if given is not None and not isinstance(given, Mapping):
            raise InvalidContextError(f"the context of a workspace is {{'cwd': ...}}, not {type(given).__name__}")
        wanted: object = (given or {}).get("cwd") or self.policy.get("cwd") or ctx.project_root
        if wanted is None:
            raise InvalidContextError(
                "the workspace tools have no folder: give cwd to create_workspace_tool_provider or in the tool context"
            )
        if not isinstance(wanted, (str, Path)):
            raise InvalidContextError(f"the cwd of a workspace is a path, not {type(wanted).__name__}")
        folder = Path(wanted)
        if folder.is_absolute():
            return folder
        if ctx.project_root is None:
            raise InvalidContextError(f"cwd '{folder}' is relative, and there is no project root to count it from")
        return ctx.project_root / folder


def create_workspace_tool_provider(
    *, tools: Sequence[str] = WORKSPACE_TOOLS, **policy: Unpack[WorkspacePolicy]
) -> WorkspaceToolProvider:
    """A provider of file tools, bash and fetch_url in one folder; see `WorkspacePolicy` for what each setting means.

    Args:
        tools: which of them.

    Raises:
        InvalidConfigError: an unknown setting, one of the wrong type, a limit that is not positive, an unknown tool.
    """
    if unknown := [name for name in tools if name not in WORKSPACE_TOOLS]:
        raise InvalidConfigError(f"there is no workspace tool {unknown[0]!r}; there are {', '.join(WORKSPACE_TOOLS)}")
    return WorkspaceToolProvider({key: _checked(key, value) for key, value in policy.items()}, tools)


def _checked(key: str, value: object) -> object:
    if key in _LISTS:
        if value is None and key.startswith("allow_") and key != "allow_env":
            return []
        return value if key == "allow_env" and isinstance(value, bool) else _texts(key, value)
    if key in _FLAGS:
        if not isinstance(value, bool):
            raise InvalidConfigError(f"{key} must be True or False, not {value!r}")
    elif key in _LEAST:
        if not isinstance(value, int) or isinstance(value, bool) or value < _LEAST[key]:
            raise InvalidConfigError(f"{key} must be a whole number of at least {_LEAST[key]}, not {value!r}")
    elif key == "backend":
        if value not in _BACKENDS:
            raise InvalidConfigError(f"backend must be one of {', '.join(_BACKENDS)}, not {value!r}")
    elif key == "cwd":
        if not isinstance(value, (str, Path)) or not str(value):
            raise InvalidConfigError(f"cwd must be a path, not {value!r}")
        return str(value)
    else:
        known = ", ".join(sorted(WorkspacePolicy.__annotations__))
        raise InvalidConfigError(f"there is no workspace setting '{key}'; there are {known}")
    return value


def _texts(key: str, given: object) -> list[str]:
    # A string is a sequence of strings, too: "src" would allow the folders s, r and c.
    if not isinstance(given, (list, tuple)) or not all(isinstance(each, (str, Path)) and str(each) for each in given):
        raise InvalidConfigError(f"{key} must be a list of strings, not {given!r}")
    return [str(each) for each in given]
