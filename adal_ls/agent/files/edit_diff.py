"""What an edit would change, as a unified diff for the person who is asked about it."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from adal_ls.agent.approvals import base_file
from adal_ls.agent.approvals.visible import visible
from adal_ls.agent.files import editing, replacing
from adal_ls.agent.files.opening import CannotOpenError
from adal_ls.agent.files.text_file import NotTextError, TextFile
from adal_ls.agent.workspaces import reach
from adal_ls.agent.workspaces.workspace_policy import WorkspacePolicy

MOST = 64 * 1024
"""Characters of a diff; the arguments, which are always shown whole, have the rest."""

Opcode = tuple[Literal["replace", "delete", "insert", "equal"], int, int, int, int]

_CONTEXT = 3
_MOST_COMPARED = 600
"""Changed lines up to which lines are matched with each other; finding the matches takes their number squared."""


def diff(tool: str, arguments: Mapping[str, Any], policy: WorkspacePolicy) -> str | None:
    """The diff of a call of edit_file or write_file, control characters visible. Blocking.

    Where the call would fail, it says why: a person need not allow what cannot be done. None: not the arguments of
    either tool.
    """
    path = arguments.get("path")
    if not isinstance(path, str) or not path:
        return None
    try:
        target = replacing.look(path, policy, base_file.MOST)
        before = TextFile.decode(target.content or b"").text
        after = _after(tool, arguments, before, exists=target.status is not None)
    except NotTextError as fault:
        return f"[no diff: the file is {fault}]"
    except (CannotOpenError, editing.CannotEditError) as fault:
        return f"[this call will fail: {visible(str(fault))}]"
    if after is None:
        return None
    if target.status is not None and target.content is None:
        return "[no diff: the file is too large]"
    return bounded(unified(before, after, visible(reach.shown(policy, target.place.real)), new=target.status is None))


def _after(tool: str, arguments: Mapping[str, Any], before: str, *, exists: bool) -> str | None:
    if tool == "write_file":
        content = arguments.get("content")
        return content if isinstance(content, str) else None
    old, new = arguments.get("old_text"), arguments.get("new_text")
    if not isinstance(old, str) or not isinstance(new, str):
        return None
    if not exists:
        raise CannotOpenError(f"there is no file '{arguments['path']}'")
    return editing.edit(before, old, new).after


def unified(before: str, after: str, name: str, *, new: bool = False) -> str:
    """The unified diff of two texts, control characters visible. `new`: there was no file."""
    if before == after and not new:
        return "[nothing would change]"
    windows = _all_windows(before) and _all_windows(after)
    old, fresh = _lines(before, windows=windows), _lines(after, windows=windows)
    lines = ["--- /dev/null" if new else f"--- {name}", f"+++ {name}"]
    for group in _Known(_opcodes(old, fresh)).get_grouped_opcodes(_CONTEXT):
        lines.append(_hunk(group))
        for kind, first, last, new_first, new_last in group:
            if kind == "equal":
                lines += [f" {line}" for line in old[first:last]]
            else:
                lines += [f"-{line}" for line in old[first:last]] + [f"+{line}" for line in fresh[new_first:new_last]]
    return visible("\n".join(lines))


class _Known(difflib.SequenceMatcher[str]):
    """Groups changes that are known already."""

    def __init__(self, opcodes: list[Opcode]) -> None:
        super().__init__(None, "", "")
        self._opcodes = opcodes

    def get_opcodes(self) -> list[Opcode]:
        return self._opcodes


def bounded(text: str) -> str:
    """`text` up to `MOST` characters, in whole lines, and how much is missing."""
    if len(text) <= MOST:
        return text
    kept = text[: text.rfind("\n", 0, MOST) + 1] or text[:MOST]
    return f"{kept}[{len(text) - len(kept):,} more characters of this diff; the arguments are complete]"


def _opcodes(old: Sequence[str], new: Sequence[str]) -> list[Opcode]:
    """What became of which lines. What both begin and end with is set aside first: an edit is small, a file is not."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    old_part, new_part = old[start : len(old) - end], new[start : len(new) - end]
    middle: list[Opcode]
    if len(old_part) + len(new_part) <= _MOST_COMPARED:
        middle = list(difflib.SequenceMatcher(None, old_part, new_part, autojunk=False).get_opcodes())
    else:
        middle = [("replace", 0, len(old_part), 0, len(new_part))]
    moved = [(kind, a + start, b + start, c + start, d + start) for kind, a, b, c, d in middle]
    same_before: list[Opcode] = [("equal", 0, start, 0, start)] if start else []
    same_after: list[Opcode] = [("equal", len(old) - end, len(old), len(new) - end, len(new))] if end else []
    return [*same_before, *moved, *same_after]


def _hunk(group: Sequence[tuple[str, int, int, int, int]]) -> str:
    first, last = group[0], group[-1]
    return f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@"


def _range(start: int, end: int) -> str:
    """As diff writes ranges: from 1 on, and of an empty one the line before it."""
    length = end - start
    return f"{start + 1 if length else start},{length}" if length != 1 else str(start + 1)


def _all_windows(text: str) -> bool:
    return text.count("\n") == text.count("\r\n") == text.count("\r")


def _lines(text: str, *, windows: bool) -> list[str]:
    if not text:
        return []
    lines = text.split("\n")
    if lines[-1]:
        lines[-1] += "\n\\ No newline at end of file"
    else:
        lines.pop()
    # Where all lines end in \\r\\n and go on to, saying so on each would hide what changes.
    return [line.removesuffix("\r") for line in lines] if windows else lines
