"""The built-in tool write_file: a whole file, made or replaced."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from adal_ls.agent.approvals import base_file
from adal_ls.agent.builtin import arguments
from adal_ls.agent.builtin.context import BuiltinContext, BuiltinError
from adal_ls.agent.files import replacing
from adal_ls.agent.files.opening import CannotOpenError
from adal_ls.agent.files.replacing import Target
from adal_ls.agent.workspaces import reach


async def write_file(given: Mapping[str, Any], context: BuiltinContext) -> str:
    """What was done, in a line.

    Raises:
        BuiltinError: bad arguments, a place that may not be written, no folder for it, or too large.
    """
    arguments.only("write_file", given, ["path", "content"])
    path = arguments.text("write_file", given, "path")
    content = arguments.text("write_file", given, "content", empty=True).encode()
    check_size(len(content), context)
    # Not cancelled half way: the thread ends with the file as it was or as it should be.
    return await asyncio.to_thread(_write, path, content, context)


def check_size(size: int, context: BuiltinContext) -> None:
    """Raises `BuiltinError` for more bytes than one call writes."""
    if size > context.policy.max_write_bytes:
        raise BuiltinError(
            f"the file would have {size:,} bytes, more than the {context.policy.max_write_bytes:,} one call writes; "
            "nothing was written"
        )


def check_base(target: Target, context: BuiltinContext) -> None:
    """Raises `BuiltinError` unless the file is the one that was decided about."""
    if context.base is None:
        return
    status, content = target.status, target.content
    now = base_file.missing(target.place.real) if status is None else base_file.of(target.place.real, status, content)
    if now != context.base:
        raise BuiltinError(f"'{target.path}' changed since approval; nothing was written. Read it again")


def _write(path: str, content: bytes, context: BuiltinContext) -> str:
    try:
        target = replacing.look(path, context.policy, base_file.MOST)
        check_base(target, context)
        replacing.replace(target, content)
    except CannotOpenError as fault:
        raise BuiltinError(str(fault)) from fault
    done = "created" if target.status is None else "replaced"
    return f"[{done} {reach.shown(context.policy, target.place.real)}: {len(content):,} bytes]"
