"""The built-in tool edit_file: one text of a file exchanged for another."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from adal_ls.agent.approvals import base_file
from adal_ls.agent.builtin import arguments
from adal_ls.agent.builtin.context import BuiltinContext, BuiltinError
from adal_ls.agent.builtin.write_file import check_base, check_size
from adal_ls.agent.files import editing, replacing
from adal_ls.agent.files.opening import CannotOpenError
from adal_ls.agent.files.text_file import NotTextError, TextFile
from adal_ls.agent.workspaces import reach


async def edit_file(given: Mapping[str, Any], context: BuiltinContext) -> str:
    """What was done, in a line.

    Raises:
        BuiltinError: bad arguments, a place that may not be written, no such file, not text, too large, or a text that
            is not there exactly once; then the file is as it was.
    """
    arguments.only("edit_file", given, ["path", "old_text", "new_text"])
    path = arguments.text("edit_file", given, "path")
    old = arguments.text("edit_file", given, "old_text")
    new = arguments.text("edit_file", given, "new_text", empty=True)
    return await asyncio.to_thread(_edit, path, old, new, context)


def _edit(path: str, old: str, new: str, context: BuiltinContext) -> str:
    try:
        target = replacing.look(path, context.policy, base_file.MOST)
        if target.status is None:
            raise BuiltinError(f"there is no file '{path}'; use write_file to make it")
        if target.content is None:
            raise BuiltinError(f"'{path}' has {target.status.st_size:,} bytes, more than can be edited")
        check_base(target, context)
        file = TextFile.decode(target.content)
        change = editing.edit(file.text, old, new)
        content = file.encode(change.after)
        check_size(len(content), context)
        replacing.replace(target, content)
    except CannotOpenError as fault:
        raise BuiltinError(str(fault)) from fault
    except editing.CannotEditError as fault:
        raise BuiltinError(f"'{path}': {fault}. Nothing was written") from fault
    except NotTextError as fault:
        raise BuiltinError(f"'{path}' is {fault}; nothing was written") from fault
    name = reach.shown(context.policy, target.place.real)
    removed, added = _lines(change.old), _lines(change.new)
    return f"[edited {name} at line {change.line}: {removed} line{'s' * (removed != 1)} became {added}]"


def _lines(text: str) -> int:
    return len(text.splitlines())
