"""What the built-in tools of one workspace may reach: files, commands, network. Data, parsed once at the boundary.

The keys are those of `create_workspace_tool_provider` in snake case. Paths are real paths from here on, sorted and
without doubles, so that two policies that mean the same are equal.
"""

from __future__ import annotations

import dataclasses
import fnmatch
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from adal_ls.agent.approvals.digest import canonical
from adal_ls.agent.files.paths import data_dir

UNBOUNDED = "**"
"""As an entry of an allow list: every place there is."""

_POSITIVE = (
    "bash_timeout_ms",
    "fetch_timeout_ms",
    "max_read_bytes",
    "max_write_bytes",
    "max_response_bytes",
)
_PATHS = ("allow_write", "allow_read", "deny_read", "deny_write")
_TEXTS = ("allowed_domains", "denied_domains", "allowed_urls")
_DEFAULT_PORTS = {"http": 80, "https": 443}


class InvalidPolicyError(ValueError):
    """The policy cannot be kept, so nothing runs under it; the text names the key. Code INVALID_CONFIG."""


@dataclass(frozen=True, slots=True)
class WorkspacePolicy:
    """Sizes in bytes, times in milliseconds.

    Attributes:
        cwd: where relative paths start and commands run; from the host, never from a model.
        allow_write, allow_read: the folders and files that may be touched; the root of the file system where the list
            had `**`.
        deny_read, deny_write: beats what is allowed.
        allow_network: for commands. None: not said, so commands have none and fetch_url goes by its own checks; False:
            fetch_url is refused as well.
        allowed_domains, denied_domains: of hosts that may be reached; `*.example.com` holds all below it.
        allow_env: names and globs of variables that commands inherit.
        allowed_urls: origins (scheme, host, port) whose address is not checked, such as a server on this machine.
        allow_private_network: fetch_url may reach every address.
    """

    cwd: Path
    allow_write: tuple[Path, ...]
    allow_read: tuple[Path, ...]
    deny_read: tuple[Path, ...] = ()
    deny_write: tuple[Path, ...] = ()
    allow_network: bool | None = None
    allowed_domains: tuple[str, ...] = ("*",)
    denied_domains: tuple[str, ...] = ()
    allow_env: tuple[str, ...] = ()
    bash_timeout_ms: int = 30_000
    fetch_timeout_ms: int = 30_000
    max_read_bytes: int = 1_000_000
    max_write_bytes: int = 1_000_000
    max_response_bytes: int = 1_000_000
    max_redirects: int = 5
    allowed_urls: tuple[str, ...] = ()
    allow_private_network: bool = False
    backend: str = "native"

    @classmethod
    def of(cls, cwd: Path) -> WorkspacePolicy:
        """The policy of the built-in tools every agent has: all of one folder, nothing else."""
        real = Path(os.path.realpath(cwd))
        return cls(cwd=real, allow_write=(real,), allow_read=(real,))._without_own_data()

    @classmethod
    def parse(cls, given: Mapping[str, Any], *, cwd: Path | None) -> WorkspacePolicy:
        """The policy of a provider's keys. `given["cwd"]` comes before `cwd`, the project's folder.

        An allow list that is not there holds the working folder; one that is there holds what it says and no more.

        Raises:
            InvalidPolicyError: an unknown key, a wrong type, no folder to work in, or a folder that is not there.
        """
        known = {field.name for field in dataclasses.fields(cls)}
        unknown = sorted(set(given) - known)
        if unknown:
            raise InvalidPolicyError(f"unknown key {', '.join(unknown)}; the keys are {', '.join(sorted(known))}")
        here = _cwd(given.get("cwd"), cwd)
        values: dict[str, Any] = {"cwd": here, "allow_write": (here,), "allow_read": (here,)}
        for key in _PATHS:
            if key in given:
                values[key] = _paths(key, given[key], here)
        for key in _TEXTS:
            if key in given:
                values[key] = tuple(sorted(set(_texts(key, given[key]))))
        for key in _POSITIVE:
            if key in given:
                values[key] = _number(key, given[key], least=1)
        if "max_redirects" in given:
            values["max_redirects"] = _number("max_redirects", given["max_redirects"], least=0)
        for key in ("allow_network", "allow_private_network"):
            if key in given:
                values[key] = _flag(key, given[key])
        if "allow_env" in given:
            values["allow_env"] = _environment(given["allow_env"])
        if given.get("backend", "native") != "native":
            raise InvalidPolicyError(
                f"backend {given['backend']!r} is not there: commands run under 'native' (bubblewrap on Linux, "
                "sandbox-exec on macOS)"
            )
        values["allowed_urls"] = tuple(sorted({origin(url) for url in values.get("allowed_urls", ())}))
        return cls(**values)._without_own_data()

    def _without_own_data(self) -> WorkspacePolicy:
        """Where trust, grants and transcripts lie is denied, whatever the lists say.

        A home folder as the project holds it, so does `**`, and a policy may name it: whoever writes there trusts and
        grants in the person's name.
        """
        data = Path(os.path.realpath(data_dir()))
        if not any(data.is_relative_to(f) or f.is_relative_to(data) for f in (*self.allow_read, *self.allow_write)):
            return self
        return dataclasses.replace(
            self,
            deny_read=tuple(sorted({*self.deny_read, data})),
            deny_write=tuple(sorted({*self.deny_write, data})),
        )

    def key(self) -> str:
        """The canonical text of the policy: equal for policies that allow the same."""
        return canonical(
            {
                field.name: [str(item) for item in value] if isinstance(value, tuple) else _plain(value)
                for field in dataclasses.fields(self)
                for value in (getattr(self, field.name),)
            }
        )

    def environment(self, environ: Mapping[str, str]) -> dict[str, str]:
        """What a command inherits of `environ`."""
        return {
            name: value
            for name, value in environ.items()
            if any(fnmatch.fnmatchcase(name, pattern) for pattern in self.allow_env)
        }

    def allows_host(self, host: str) -> bool:
        """Whether the domain lists let `host` (in ASCII) be reached."""
        name = host.casefold().rstrip(".")
        return any(_in_domain(name, domain) for domain in self.allowed_domains) and not any(
            _in_domain(name, domain) for domain in self.denied_domains
        )

    @property
    def filters_domains(self) -> bool:
        """Whether some domains may be reached and others not."""
        return self.allowed_domains != ("*",) or bool(self.denied_domains)


def origin(url: str) -> str:
    """`scheme://host:port` of a URL, or of `host:port`, which then means http.

    Raises:
        InvalidPolicyError: it names no host, or another scheme than http and https.
    """
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        port = parts.port or _DEFAULT_PORTS.get(parts.scheme)
    except ValueError as fault:
        raise InvalidPolicyError(f"allowed_urls: {url!r} is no URL: {fault}") from fault
    if parts.hostname is None or port is None:
        raise InvalidPolicyError(f"allowed_urls: {url!r} names no http or https host")
    return f"{parts.scheme}://{parts.hostname.casefold()}:{port}"


def _plain(value: object) -> object:
    return str(value) if isinstance(value, Path) else value


def _in_domain(host: str, domain: str) -> bool:
    wanted = domain.casefold().rstrip(".")
    if wanted == "*":
        return True
    if wanted.startswith("*."):
        return host.endswith(wanted[1:])
    return host == wanted


def _cwd(given: object, project: Path | None) -> Path:
    if given is not None and (not isinstance(given, str | os.PathLike) or not os.fspath(given)):
        raise InvalidPolicyError(f"cwd must be a path, got {given!r}")
    chosen = Path(cast("str", given)) if given is not None else project
    if chosen is None:
        raise InvalidPolicyError("there is no folder to work in: give cwd, or run inside a project")
    if not chosen.is_absolute() and project is not None:
        chosen = project / chosen
    real = Path(os.path.realpath(chosen))
    if not real.is_dir():
        raise InvalidPolicyError(f"the folder to work in is not there: {chosen}")
    return real


def _paths(key: str, given: object, cwd: Path) -> tuple[Path, ...]:
    if given is None:
        return ()
    found = []
    for text in _texts(key, given):
        if text == UNBOUNDED:
            if key.startswith("deny"):
                return (Path(cwd.anchor),)
            found.append(Path(cwd.anchor))
        elif any(sign in text for sign in "*?["):
            # A pattern that matches nothing by mistake would deny nothing.
            raise InvalidPolicyError(f"{key}: {text!r} is a pattern; name folders and files, or '**' for all of them")
        elif "\0" in text:
            raise InvalidPolicyError(f"{key}: a path cannot hold a NUL character")
        else:
            found.append(Path(os.path.realpath(cwd / text)))
    return tuple(sorted(set(found)))


def _texts(key: str, given: object) -> list[str]:
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise InvalidPolicyError(f"{key} must be a list of texts, got {given!r}")
    texts = [os.fspath(item) if isinstance(item, os.PathLike) else item for item in given]
    if not all(isinstance(text, str) and text for text in texts):
        raise InvalidPolicyError(f"{key} must be a list of texts, got {given!r}")
    return cast("list[str]", texts)


def _number(key: str, given: object, *, least: int) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or given < least:
        raise InvalidPolicyError(f"{key} must be a whole number from {least} on, got {given!r}")
    return given


def _flag(key: str, given: object) -> bool:
    if not isinstance(given, bool):
        raise InvalidPolicyError(f"{key} must be true or false, got {given!r}")
    return given


def _environment(given: object) -> tuple[str, ...]:
    if given is True:
        return ("*",)
    if given is False or given is None:
        return ()
    return tuple(sorted(set(_texts("allow_env", given))))
