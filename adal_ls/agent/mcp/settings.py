"""How an MCP server is reached: its description with the host's own environment filled in. Pure, but for one look at a
folder.

A description comes from a project's file, so secrets stand in it only as `${NAME}`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from adal_ls.agent.approvals.visible import visible
from adal_ls.sdk.errors import InvalidConfigError
from adal_ls.sdk.hosted import McpServer

BASE_VARIABLES = (
    *("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"),
    *("APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROCESSOR_ARCHITECTURE"),
    *("PROGRAMDATA", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR"),
)
"""What a program is started with beside what its description declares: those of them that are set."""

_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SECRET = re.compile(
    r"((^|[_-])(tokens?|secrets?|pass(word|wd|phrase)?|pat|credentials?|authorization|cookie|bearer)|"
    r"(^|[_-])(api|access|private|secret|auth|encryption|signing)[_-]?keys?|(^|[_-])(api|auth|access)token)$",
    re.IGNORECASE,
)
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_OF_THE_PROTOCOL = frozenset(
    {"accept", "accept-encoding", "connection", "content-length", "content-type", "host", "transfer-encoding"}
)
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_SHORTEST_SECRET = 4


@dataclass(frozen=True, slots=True)
class Launch:
    """A program to start. `environment` is all of it; `secrets` are values that no text may show."""

    command: tuple[str, ...]
    environment: Mapping[str, str]
    cwd: Path
    secrets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A URL to send requests to; `secrets` as in `Launch`."""

    url: str
    headers: Mapping[str, str]
    secrets: tuple[str, ...]


def reached(server: McpServer, root: Path, environment: Mapping[str, str]) -> Launch | Endpoint:
    """
    Args:
        root: the project, where a program starts.
        environment: of the host, for `${NAME}`.

    Raises:
        InvalidConfigError: a variable that is not set, a secret that stands in the project's file, a folder that is not
            there, a URL or a header that cannot be.
    """
    filled = _Filled(server, environment)
    return _endpoint(server, filled) if server.url is not None else _launch(server, root, environment, filled)


def label(server: McpServer) -> str:
    """The server's name as texts show it."""
    return visible(server.name)[:80]


def told(server: McpServer) -> str:
    """What is started or asked, as the project's file says it, in one line."""
    return visible(server.url if server.url is not None else " ".join(server.command)).replace("\n", "\\n")[:300]


def redacted(text: str, secrets: tuple[str, ...]) -> str:
    """`text` without the values of secrets."""
    for secret in secrets:
        text = text.replace(secret, "***")
    return text


class _Filled:
    """Fills `${NAME}` in, and keeps what it was filled with."""

    def __init__(self, server: McpServer, environment: Mapping[str, str]) -> None:
        self._server = server
        self._environment = environment
        self._used: dict[str, None] = {}

    def __call__(self, where: str, text: str) -> str:
        def value(found: re.Match[str]) -> str:
            name = found.group(1)
            given = self._environment.get(name)
            if given is None:
                raise InvalidConfigError(
                    f"MCP server '{label(self._server)}': {where} refers to ${{{name}}}, which is not set "
                    f"where the agent runs; set the variable {name} and start again"
                )
            self._used[given] = None
            return given

        return _REFERENCE.sub(value, text)

    def named(self, where: str, name: str, text: str) -> str:
        """The value of a variable or a header. Secrets must not stand in the project's file."""
        if _SECRET.search(name) and text and not _REFERENCE.search(text):
            raise InvalidConfigError(
                f"MCP server '{label(self._server)}': {where} {visible(name)[:80]} looks like a secret and stands "
                "in the project's file; put it into an environment variable and write ${NAME} for it"
            )
        return self(f"{where} {visible(name)[:80]}", text)

    @property
    def secrets(self) -> tuple[str, ...]:
        """Longest first, so that none is left in parts; values so short that they are no secrets stay."""
        return tuple(sorted((one for one in self._used if len(one) >= _SHORTEST_SECRET), key=len, reverse=True))


def _launch(server: McpServer, root: Path, environment: Mapping[str, str], filled: _Filled) -> Launch:
    if any("\0" in part for part in server.command):
        raise InvalidConfigError(f"MCP server '{label(server)}': command has a NUL character")
    cwd = root if server.cwd is None else root / server.cwd
    if "\0" in str(cwd) or not cwd.is_dir():
        raise InvalidConfigError(f"MCP server '{label(server)}': its cwd {visible(str(cwd))} is no folder")
    own: dict[str, str] = {}
    for name, text in server.env.items():
        if not name or "=" in name or "\0" in name + text:
            raise InvalidConfigError(
                f"MCP server '{label(server)}': '{visible(name)[:80]}' is no variable for a program"
            )
        own[name] = filled.named("env", name, text)
    base = {name: environment[name] for name in BASE_VARIABLES if name in environment}
    return Launch(server.command, {**base, **own}, cwd, filled.secrets)


def _endpoint(server: McpServer, filled: _Filled) -> Endpoint:
    where = f"MCP server '{label(server)}'"
    given = server.url or ""
    try:
        parts = urlsplit(given)
        host = parts.hostname or ""
        parts.port  # noqa: B018 - raises where it is none
    except ValueError as fault:
        raise InvalidConfigError(f"{where}: its url cannot be read: {fault}") from None
    if parts.scheme not in ("http", "https") or not host or "$" in parts.netloc or re.search(r"[\x00-\x20\x7f]", given):
        raise InvalidConfigError(f"{where}: its url must begin with http:// or https:// and a host")
    if "@" in parts.netloc:
        raise InvalidConfigError(f"{where}: its url holds a user or a password; send a header with ${{NAME}} instead")
    headers: dict[str, str] = {}
    for name, text in server.headers.items():
        if not _HEADER.fullmatch(name) or name.lower() in _OF_THE_PROTOCOL or name.lower().startswith("mcp-"):
            raise InvalidConfigError(f"{where}: '{visible(name)[:80]}' is no header that can be set")
        value = filled.named("header", name, text)
        if not value.isascii() or re.search(r"[\x00-\x1f\x7f]", value):
            raise InvalidConfigError(f"{where}: header {name} has characters that a header cannot hold")
        headers[name] = value
    url = filled("url", given)
    if filled.secrets and parts.scheme == "http" and host not in _LOOPBACK:
        raise InvalidConfigError(f"{where}: it would send secrets in the clear; use an https:// url")
    return Endpoint(url, headers, filled.secrets)
