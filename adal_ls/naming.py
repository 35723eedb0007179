"""Naming rules of tools, and the reserved names: data and pure functions. Standard library only.

Source: the custom-tools document ("Naming Rules") for the four rules that the runtime enforces; the other rules say
what model providers and people trip over. Used by lint, worker and agent, so that all three judge alike.
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Collection, Container
from dataclasses import dataclass
from typing import Literal

Group = Literal["Bash", "Edit", "Read", "Search", "Web", "Image", "Video", "Consult"]

GROUPS: tuple[Group, ...] = ("Bash", "Edit", "Read", "Search", "Web", "Image", "Video", "Consult")
"""The names that `--enabled-default-tools` and `--disabled-default-tools` take beside tool names."""


@dataclass(frozen=True, slots=True)
class ReservedName:
    """A name no custom tool may have. `ours` tells our own built-in tools from names that only AdaL uses."""

    name: str
    group: Group | None
    ours: bool


RESERVED: dict[str, ReservedName] = {
    entry.name: entry
    for entry in (
        ReservedName("bash", "Bash", ours=True),
        ReservedName("read_file", "Read", ours=True),
        ReservedName("list_files", "Read", ours=True),
        ReservedName("write_file", "Edit", ours=True),
        ReservedName("edit_file", "Edit", ours=True),
        ReservedName("grep", "Search", ours=True),
        ReservedName("glob", "Search", ours=True),
        ReservedName("fetch_url", "Web", ours=True),
        ReservedName("web_search", "Web", ours=True),
        ReservedName("write_todos", None, ours=True),
        ReservedName("read_todos", None, ours=True),
        # Public names of AdaL's own built-in tools.
        ReservedName("search", "Search", ours=False),
        ReservedName("edit", "Edit", ours=False),
        ReservedName("consult", "Consult", ours=False),
        ReservedName("clarify", None, ours=False),
        ReservedName("llm_tool", None, ours=False),
    )
}

PROVIDER_PATTERN = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}")
"""What every model provider takes as a function name."""

_FOLDED = {known.casefold(): known for known in reversed((*RESERVED, *GROUPS))}
"""What `lookalike` looks names up in; where two are equal but for case, the first counts."""

# `keyword.iskeyword` answers for the running Python; the list has been the same since 3.7.
_KEYWORDS = frozenset(keyword.kwlist)


def is_identifier(name: str) -> bool:
    """Whether `name` is a Python identifier (PEP 3131); keywords count as identifiers here."""
    return name.isidentifier()


def is_keyword(name: str) -> bool:
    """Whether Python refuses `name` as a name. Soft keywords (`match`, `case`, `type`, `_`) are allowed."""
    return name in _KEYWORDS


def is_refused(name: str) -> bool:
    """Whether the runtime leaves a tool of this name out, whatever else is listed (duplicates are for the caller)."""
    return not is_identifier(name) or is_keyword(name) or canonical(name) in RESERVED


def canonical(name: str) -> str:
    """The form in which two names are the same name: Python stores identifiers in NFKC (PEP 3131)."""
    return unicodedata.normalize("NFKC", name)


def lookalike(name: str) -> str | None:
    """The built-in tool or group that `name` can be mistaken for: equal but for case, or equal to a group's name.

    None where `name` is itself reserved (that is a clash, not a likeness) or resembles nothing.
    """
    if canonical(name) in RESERVED:
        return None
    return _FOLDED.get(canonical(name).casefold())


def fits_providers(name: str) -> bool:
    """Whether model providers take `name` as it is."""
    return PROVIDER_PATTERN.fullmatch(name) is not None


def provider_alias(name: str, taken: Collection[str] = ()) -> str:
    """The name to send to a model for `name`: itself where providers take it, else a stable ASCII alias.

    The alias keeps what can be kept and ends in a digest of the name, so that it does not depend on what else is
    listed; `taken` guards the remote chance of a clash.
    """
    if fits_providers(name):
        return name
    import hashlib  # few names need it, and it loads a library of the system

    ascii_part = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    kept = re.sub(r"[^a-zA-Z0-9_-]+", "_", ascii_part).strip("_-")[:48]
    salt = 0
    while True:
        digest = hashlib.sha256(f"{name}{salt or ''}".encode("utf-8", "surrogatepass")).hexdigest()[:8]
        alias = f"{kept}_{digest}" if kept and not kept[0].isdigit() else f"tool_{kept}{'_' if kept else ''}{digest}"
        if alias not in taken:
            return alias
        salt += 1


def suggest(name: str, taken: Container[str] = ()) -> str:
    """A name near `name`, at most 64 characters, that the runtime takes and that is not in `taken`, for a quick
    fix. `taken` holds canonical names.

    Letters other than ASCII stay: what they would be in ASCII is for the author to say.
    """
    base = re.sub(r"\W+", "_", name).strip("_") or "tool"
    if base[0].isdigit():
        base = f"tool_{base}"
    if not base.isidentifier():
        base = "tool"
    if is_refused(base) or lookalike(base) is not None:
        base = f"{base}_tool" if not is_keyword(base) else f"{base}_"
    base = base[:60]
    candidate, number = base, 2
    while canonical(candidate) in taken or is_refused(candidate):
        candidate, number = f"{base}_{number}", number + 1
    return candidate


def select_builtins(
    known: Collection[str], enabled: Collection[str] | None, disabled: Collection[str] | None
) -> frozenset[str]:
    """The built-in tools of `known` that stay after `--enabled-default-tools` or `--disabled-default-tools`.

    Both take tool names and group names, in any case. Custom tools are never affected.

    Raises:
        ValueError: both are given, or a name is neither a built-in tool nor a group.
    """
    if enabled is not None and disabled is not None:
        raise ValueError("enabled and disabled default tools cannot be combined: give one of the two")
    chosen = frozenset[str]().union(*(_expand(name, known) for name in (enabled or disabled or ())))
    return frozenset(known) & chosen if enabled is not None else frozenset(known) - chosen


def without_tools(known: Collection[str], names: Collection[str]) -> list[str]:
    """Those of `names`, each a tool's or a group's, that stand for no tool of `known`: they are only reserved.

    Raises:
        ValueError: a name is neither.
    """
    return [name.strip() for name in names if name.strip() and not _expand(name, known) & frozenset(known)]


def _expand(name: str, known: Collection[str]) -> frozenset[str]:
    """The tools that a name or group stands for, whether they exist or are only reserved."""
    wanted = name.strip().casefold()
    if not wanted:
        return frozenset()
    # A name can be both ("bash" and "Bash" are the same set; "edit" is a reserved name and a group).
    found = {
        entry.name for entry in RESERVED.values() if wanted == entry.name or wanted == (entry.group or "").casefold()
    }
    if found or wanted in {group.casefold() for group in GROUPS}:
        return frozenset(found)
    groups = list(dict.fromkeys(entry.group for entry in RESERVED.values() if entry.name in known and entry.group))
    reserved = [
        *(entry for entry in RESERVED if entry not in known),
        *(group for group in GROUPS if group not in groups),
    ]
    raise ValueError(
        f"'{name.strip()}' is neither a built-in tool nor a group. The tools: {', '.join(known)}; the groups: "
        f"{', '.join(groups)}. Reserved, with no tool so far: {', '.join(reserved)}"
    )
