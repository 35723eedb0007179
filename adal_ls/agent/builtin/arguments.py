"""Arguments of built-in tools, checked: what a model sent is read once, here, into typed values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adal_ls.agent.builtin.context import BuiltinError


def only(tool: str, arguments: Mapping[str, Any], needed: Sequence[str] = (), *, optional: Sequence[str] = ()) -> None:
    """Raises `BuiltinError` for an argument that is missing, and for one the tool does not have."""
    unknown = sorted(set(arguments) - {*needed, *optional})
    if unknown:
        raise BuiltinError(f"{tool} takes {_listed((*needed, *optional))}, not {', '.join(unknown)}")
    if missing := [name for name in needed if arguments.get(name) is None]:
        raise BuiltinError(f"{tool} needs {_listed([f'{_article(name)} {name}' for name in missing])}")


def text(tool: str, arguments: Mapping[str, Any], name: str, *, empty: bool = False) -> str:
    """A text that must be there; `empty`: it may have no characters.

    Raises:
        BuiltinError: missing, no text, or half a surrogate pair in it, which no file can hold.
    """
    value = arguments.get(name)
    if not isinstance(value, str) or not (value or empty):
        what = "a string" if empty else "a string that is not empty"
        raise BuiltinError(f"{tool} needs {_article(name)} {name}: {what}")
    try:
        value.encode()
    except UnicodeEncodeError as fault:
        raise BuiltinError(f"{name} holds half a surrogate pair at {fault.start}, which is no text") from fault
    return value


def optional_text(tool: str, arguments: Mapping[str, Any], name: str, default: str) -> str:
    """A text that may be left out or null. Raises `BuiltinError` as `text` does."""
    return default if arguments.get(name) is None else text(tool, arguments, name)


def count(arguments: Mapping[str, Any], name: str, what: str) -> int | None:
    """A whole number from 1 on, None where it is left out. `what` it counts is for the error.

    Raises:
        BuiltinError: anything else.
    """
    value = arguments.get(name)
    if value is None:
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # a JSON number has no kinds; some models write 10.0
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise BuiltinError(f"{name} must be a whole number of {what} from 1 on, got {value!r}")
    return value


def _article(name: str) -> str:
    return "an" if name[0] in "aeio" else "a"


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else "no arguments"
