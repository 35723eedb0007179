"""What a remembered answer covers: these very arguments, a pattern of them, or a tool. Pure, but for real paths.

A rule says in one sentence what it covers; that sentence is what the person chooses, and what is listed later.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from adal_ls.agent.approvals.visible import visible
from adal_ls.agent.approvals.words import covered_operands, offered_words
from adal_ls.agent.workspaces import places
from adal_ls.protocol.approvals import Covers

Kind = Literal["arguments", "words", "files", "origin", "tool"]

_PORTS = {"http": 80, "https": 443}
_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\]")
_SHOWN = 400
_SERVED = "its MCP server, the server's version and its description"


@dataclass(frozen=True, slots=True)
class Call:
    """One call as rules see it. `digest` is that of the whole call, its state included.

    `workspace` is the real path of the project, `folder` that of the place where the call's own paths start.
    """

    tool: str
    arguments: Mapping[str, Any]
    digest: str
    workspace: Path
    folder: Path
    kind: Literal["builtin", "custom"]
    group: str | None
    source_digest: str
    served: bool = False
    """By an MCP server: then `source_digest` is that of the server and of all it says of the tool."""


@dataclass(frozen=True, slots=True)
class Rule:
    """`value`: the call's digest, words as a shell reads them, a path pattern, an origin; empty for a whole tool.

    `shown` are the arguments, for a person, where the value is a digest; `served`: the tool is an MCP server's.
    """

    kind: Kind
    value: str = ""
    shown: str = ""
    served: bool = False

    @property
    def covers(self) -> Covers:
        return self.kind if self.kind in ("arguments", "tool") else "pattern"

    def text(self, tool: str) -> str:
        """The rule, verbatim, as a person is shown it."""
        if self.kind == "arguments":
            unchanged = _SERVED if self.served else "its code and the files it starts from"
            return f"{tool} with exactly these arguments, {unchanged} unchanged"
        if self.kind == "words":
            begin = f"{tool}: commands that begin with {self.value}"
            return f"{begin} – and after it only plain words: no options, no protected or outside paths"
        if self.kind == "files":
            return f"{tool}: files {self.value} in this workspace, protected ones excepted"
        if self.kind == "origin":
            return f"{tool}: addresses that begin with {self.value}/"
        what = f"{_SERVED} are" if self.served else "its code is"
        return f"{tool}: every call, whatever its arguments, as long as {what} unchanged"

    def allows(self, call: Call) -> bool:
        """Whether the rule, made for this tool in this workspace, covers `call`."""
        if self.kind == "arguments":
            return self.value == call.digest
        if self.kind == "words":
            return call.group == "Bash" and _words_allow(self.value, call)
        if self.kind == "files":
            return call.group == "Edit" and _files_allow(self.value, call)
        if self.kind == "origin":
            return call.group == "Web" and self.value == _origin(call.arguments.get("url"))
        return _may_be_whole(call)


def offered(call: Call, shown: str) -> list[Rule]:
    """The rules that a person may choose for `call`, the narrowest first; `shown` are its arguments as text."""
    cut = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}… ({len(shown) - _SHOWN} more characters)"
    rules = [Rule("arguments", call.digest, cut, call.served)]
    pattern = _pattern(call)
    if pattern is not None and pattern.allows(call):
        rules.append(pattern)
    if _may_be_whole(call):
        rules.append(Rule("tool", served=call.served))
    return rules


def _may_be_whole(call: Call) -> bool:
    # Not a shell: which protected file a command will write cannot be seen before it runs (CVE-2025-53773).
    # Reading and searching ask only outside of the project, where a policy lets them.
    return call.kind == "custom" or call.group in ("Edit", "Web", "Read", "Search")


def _pattern(call: Call) -> Rule | None:
    if call.kind != "builtin":
        return None
    kind: Kind
    if call.group == "Bash":
        command = call.arguments.get("command")
        words = offered_words(command) if isinstance(command, str) else None
        kind, value = "words", shlex.join(words) if words else None
    elif call.group == "Edit":
        kind, value = "files", _files(call)
    elif call.group == "Web":
        kind, value = "origin", _origin(call.arguments.get("url"))
    else:
        return None
    return Rule(kind, value) if value else None


def _words_allow(value: str, call: Call) -> bool:
    command = call.arguments.get("command")
    if not isinstance(command, str) or set(call.arguments) != {"command"}:
        return False
    words = shlex.split(value)
    operands = covered_operands(words, command)
    return operands is not None and not any(_is_guarded(word, call.folder) for word in (*words[1:], *operands))


def _is_guarded(word: str, folder: Path) -> bool:
    """Whether a word may stand for a protected file, one outside, or the whole workspace."""
    parts = {part for part in (word, *re.split(r"[:=,@]", word)) if part and not part.startswith("-")}
    return any(_unguarded(folder, part) in (None, Path()) for part in parts)


def _unguarded(folder: Path, path: object) -> Path | None:
    """Where `path` really leads, relative to `folder`; None for protected and outside places."""
    if not isinstance(path, str) or places.protected(folder, path):
        return None
    try:
        return places.resolve_inside(folder, path).relative_to(folder)
    except places.OutsideWorkspaceError:  # turned round in this moment
        return None


def _files(call: Call) -> str | None:
    """The pattern for the folder that a file lies in; at the top of the workspace, for its kind of file."""
    real = _unguarded(call.folder, call.arguments.get("path"))
    if real is None or real == Path():
        return None
    folder = real.parent.as_posix()
    # Signs that mean something in a pattern, or that cannot be seen, must not come from a file's name.
    named = real.suffix if folder == "." else folder
    if not named or re.search(r"[*?\[\]{}!]", named) or visible(named) != named:
        return None
    return f"*{named}" if folder == "." else f"{named}/**"


def _files_allow(pattern: str, call: Call) -> bool:
    real = _unguarded(call.folder, call.arguments.get("path"))
    if real is None:
        return False
    signs = {"**": ".*", "*": "[^/]*"}
    regex = "".join(signs.get(part) or re.escape(part) for part in re.split(r"(\*\*|\*)", pattern))
    return re.fullmatch(regex, real.as_posix(), re.DOTALL) is not None


def _origin(url: object) -> str | None:
    """Scheme, host and port of an address that cannot be read in two ways."""
    if not isinstance(url, str) or not url.isascii() or re.search(r"[\x00-\x20\x7f\\]", url):
        return None
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    scheme, host = parts.scheme.lower(), (parts.hostname or "").rstrip(".")
    shown = f"[{host}]" if ":" in host else host
    if scheme not in _PORTS or "@" in parts.netloc or not _HOST.fullmatch(shown):
        return None
    return f"{scheme}://{shown}" + (f":{port}" if port not in (None, _PORTS[scheme]) else "")
