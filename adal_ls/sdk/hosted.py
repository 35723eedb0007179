"""Tools that the host serves: descriptions of them, which cross from the project's process to the host.

Whoever loads a project's code neither runs a built-in tool nor speaks to an MCP server; it only says what should.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypedDict, TypeVar

from adal_ls.sdk.errors import InvalidConfigError
from adal_ls.sdk.lifetime import Lifetime

T = TypeVar("T")

WORKSPACE_TOOLS = (
    "describe_workspace_env",
    "read_file",
    "list_files",
    "glob",
    "grep",
    "edit_file",
    "write_file",
    "bash",
    "fetch_url",
)
"""The tools of a workspace, in the order in which a model sees them."""

MOST_MILLISECONDS = 24 * 60 * 60 * 1000
"""The longest that a request to an MCP server may take."""


class WorkspacePolicy(TypedDict, total=False):
    """What the tools of one workspace may touch; what is left out has the default of the host.

    cwd: the folder that file tools and bash share; relative it counts from the project.
    allow_read, allow_write: folders and files; left out it is `[cwd]`, None and `[]` are none, `"**"` is everything. A
        list is taken as it is: `cwd` is not added to it.
    deny_read, deny_write: beats what is allowed.
    allow_network: whether bash reaches the network.
    allowed_domains, denied_domains: which hosts may be reached.
    allow_env: variables that bash inherits, as names or globs; True for all, by default none.
    bash_timeout_ms, fetch_timeout_ms: milliseconds.
    max_read_bytes, max_write_bytes: of one file.
    max_response_bytes, max_redirects, allowed_urls, allow_private_network: for fetch_url.
    backend: `native` (bubblewrap on Linux) or `asrt`.
    """

    cwd: str | Path
    allow_read: Sequence[str] | None
    allow_write: Sequence[str] | None
    deny_read: Sequence[str]
    deny_write: Sequence[str]
    allow_network: bool
    allowed_domains: Sequence[str]
    denied_domains: Sequence[str]
    allow_env: bool | Sequence[str]
    bash_timeout_ms: int
    fetch_timeout_ms: int
    max_read_bytes: int
    max_write_bytes: int
    max_response_bytes: int
    max_redirects: int
    allowed_urls: Sequence[str]
    allow_private_network: bool
    backend: Literal["asrt", "native"]


@dataclass(frozen=True, slots=True)
class WorkspaceTool:
    """A built-in tool of the host under a policy: the keys of `WorkspacePolicy` that were given, as JSON holds them."""

    name: str
    policy: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class McpServer:
    """An MCP server and how to reach it: by a command (stdio), or by a URL (streamable HTTP).

    Attributes:
        name: for people, and for messages about tools of the same name.
        command: the program and its arguments.
        env: variables for the program, beside the few that every program needs (PATH, HOME, ...); nothing else is
            inherited. `${NAME}` is the host's own variable of that name: secrets are written so and in no other way.
        cwd: the folder the program starts in; relative it counts from the project, which it is where it is left out.
        url: of the endpoint; `${NAME}` in its path or query as in `env`.
        headers: sent with each request; `${NAME}` as in `env`.
        prefix: put before the names of its tools, so that they differ from all others.
        only: the names, as the server has them, of the tools that are wanted; None for all.
        require_approval: whether a person is asked before each call.
        timeout_ms: for connecting, and for each request.
        lifetime: ends when the provider is disposed. It stays in this process.
    """

    name: str
    command: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    cwd: str | None = None
    url: str | None = None
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    prefix: str = ""
    only: tuple[str, ...] | None = None
    require_approval: bool = True
    timeout_ms: int = 30_000
    lifetime: Lifetime = field(default_factory=Lifetime, compare=False, repr=False)

    @property
    def transport(self) -> Literal["stdio", "http"]:
        return "stdio" if self.command else "http"


def hosted_to_wire(hosted: WorkspaceTool | McpServer) -> dict[str, Any]:
    """The description as JSON holds it, for the way to the host."""
    if isinstance(hosted, WorkspaceTool):
        return {"kind": "workspace", "name": hosted.name, "policy": dict(hosted.policy)}
    given: dict[str, Any] = {"kind": "mcp", "name": hosted.name, "requireApproval": hosted.require_approval}
    given |= {"timeoutMs": hosted.timeout_ms, "prefix": hosted.prefix}
    if hosted.only is not None:
        given["only"] = list(hosted.only)
    if hosted.command:
        given |= {"command": list(hosted.command), "env": dict(hosted.env)}
        return given if hosted.cwd is None else {**given, "cwd": hosted.cwd}
    return {**given, "url": hosted.url, "headers": dict(hosted.headers)}


def hosted_from_wire(value: object) -> WorkspaceTool | McpServer:
    """What `hosted_to_wire` made. Who sent it runs a project's code, so every shape is checked.

    Raises:
        InvalidConfigError: it is no description.
    """
    data = _typed(value, dict, "it")
    if data.get("kind") == "workspace":
        name = _typed(data.get("name"), str, "name")
        if name not in WORKSPACE_TOOLS:
            raise InvalidConfigError(f"there is no workspace tool {name[:80]!r}")
        return WorkspaceTool(name, _typed(data.get("policy"), dict, "policy"))
    if data.get("kind") != "mcp":
        raise InvalidConfigError("a hosted tool is of a kind that is not known")
    command = _typed(data.get("command", []), list, "command")
    url = data.get("url")
    if bool(command) == bool(url):
        raise InvalidConfigError("an MCP server has one transport: a command or a url")
    timeout = _typed(data.get("timeoutMs"), int, "timeoutMs")
    if not 1 <= timeout <= MOST_MILLISECONDS:
        raise InvalidConfigError(f"timeoutMs is between 1 and {MOST_MILLISECONDS}, not {str(timeout)[:40]}")
    only = data.get("only")
    return McpServer(
        name=_typed(data.get("name"), str, "name"),
        command=tuple(_typed(part, str, "command") for part in command),
        env=_texts(data.get("env", {}), "env"),
        cwd=None if data.get("cwd") is None else _typed(data["cwd"], str, "cwd"),
        url=None if url is None else _typed(url, str, "url"),
        headers=_texts(data.get("headers", {}), "headers"),
        prefix=_typed(data.get("prefix", ""), str, "prefix"),
        only=None if only is None else tuple(_typed(name, str, "only") for name in _typed(only, list, "only")),
        require_approval=data.get("requireApproval") is not False,  # only False itself skips the question
        timeout_ms=timeout,
    )


def _typed(value: object, kind: type[T], what: str) -> T:
    if not isinstance(value, kind):
        raise InvalidConfigError(f"a hosted tool cannot be read: {what} is a {type(value).__name__}")
    return value


def _texts(value: object, what: str) -> Mapping[str, str]:
    pairs = _typed(value, dict, what)
    return MappingProxyType({_typed(key, str, what): _typed(text, str, what) for key, text in pairs.items()})
