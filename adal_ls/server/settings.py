"""The person's settings: `initializationOptions` and the configuration section `adal`."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace

from adal_ls.server.transport.rpc import Json


@dataclass(frozen=True, slots=True)
class Settings:
    """`host` holds what the agent host gets (`HostSettings`), `lint` what `lint.Config` is made of."""

    host: dict[str, Json] = field(default_factory=dict)
    lint: dict[str, Json] = field(default_factory=dict)


_TEXT = ("model", "interpreter")
_NAMES = ("enabledDefaultTools", "disabledDefaultTools")
_SECONDS = ("loadSeconds", "toolSeconds")
_MOST_SECONDS = 86_400  # a day, as in `HostSettings`
_GIVEN_AT_START = ("trusted", "hostPython", "allowUnsandboxedBash")
_OTHERS = ("permissionMode", "lint", "logLevel", "hostInterpreter", "trace", *_GIVEN_AT_START)
"""Read elsewhere, or the client's own."""

_MODES = ("default", "acceptEdits", "yolo")


def trusted(options: Json) -> bool:
    """Whether `initializationOptions` say that the workspace is trusted. Only a literal `true` does.

    Configuration is never asked: a file of the workspace could supply it.
    """
    return isinstance(options, dict) and options.get("trusted") is True


def allows_unsandboxed_bash(options: Json) -> bool:
    """Whether `initializationOptions` let bash run without a sandbox. Only a literal `true` does.

    Configuration is never asked, as for trust: a file of the workspace could supply it.
    """
    return isinstance(options, dict) and options.get("allowUnsandboxedBash") is True


def host_python(options: Json) -> str | None:
    """The interpreter that runs agents: `hostPython` of `initializationOptions`, or this one where it is absent.

    None where it is null: a client that brings the server without the host's packages knows of no interpreter that has
    them yet. Configuration is never asked, as for trust: this names a program.
    """
    if not isinstance(options, dict) or "hostPython" not in options:
        return sys.executable
    named = options["hostPython"]
    return named if isinstance(named, str) and named else None


def read(given: Json, before: Settings) -> tuple[Settings, list[str]]:
    """`before` with what `given` sets, and a complaint for each value of a wrong type (which is left out).

    A value of null means "not set", as editors send it for settings without a value.
    """
    if given is None:
        return before, []
    if not isinstance(given, dict):
        return before, ["the settings of adal-ls must be an object"]
    host, complaints = dict(before.host), list[str]()
    for key, value in given.items():
        if value is None:
            host.pop(key, None)
        elif key in _TEXT:
            if isinstance(value, str):
                _set(host, key, value)
            else:
                complaints.append(f"setting {key} must be a string")
        elif key in _NAMES:
            if isinstance(value, list) and all(isinstance(name, str) for name in value):
                _set(host, key, value)
            else:
                complaints.append(f"setting {key} must be a list of tool or group names")
        elif key in _SECONDS:
            if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= _MOST_SECONDS:
                host[key] = value
            else:
                complaints.append(f"setting {key} must be a number of seconds above 0, at most {_MOST_SECONDS}")
        elif key == "permissionMode":
            if value in _MODES:
                host[key] = value
            else:
                complaints.append(f"setting permissionMode must be one of {', '.join(_MODES)}")
        elif key not in _OTHERS:
            complaints.append(f"there is no setting {key[:80]}")
    lint = given.get("lint")
    if lint is not None and not isinstance(lint, dict):
        complaints.append("setting lint must be an object")
    kept = lint if isinstance(lint, dict) else before.lint
    return replace(before, host=host, lint=kept), complaints


def _set(host: dict[str, Json], key: str, value: str | list[str]) -> None:
    if value:
        host[key] = value
    else:  # an empty text field or list in a settings view means "not set"
        host.pop(key, None)
