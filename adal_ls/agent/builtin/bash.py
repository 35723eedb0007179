"""The built-in tool bash: a command in the sandbox, with its exit code as data."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from adal_ls.agent import sandbox
from adal_ls.agent.builtin.context import BuiltinContext, BuiltinError
from adal_ls.agent.paths import real_folder


async def bash(
    arguments: Mapping[str, Any],
    context: BuiltinContext,
    on_print: Callable[[str], None],
    limits: sandbox.SandboxLimits | None = None,
) -> str:
    """The output and the exit code, as a model sees them; `on_print` gets the output as it comes.

    Raises:
        BuiltinError: bad arguments, no sandbox on this machine (nothing was run), or the time limit.
    """
    limits = limits or sandbox.SandboxLimits()
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    try:
        finished = await sandbox.run(
            _command(arguments),
            context.root,
            limits=limits,
            readable=context.pythons,
            on_output=lambda chunk: on_print(decoder.decode(chunk)),
        )
    except (sandbox.SandboxUnavailableError, ValueError) as fault:
        raise BuiltinError(str(fault)) from fault
    said = _describe(finished, real_folder(context.root))
    if finished.exit_code is None:
        raise BuiltinError(f"{said}[killed with all its processes after {limits.seconds:g} seconds]")
    return f"{said}[exit code {finished.exit_code}]"


def _command(arguments: Mapping[str, Any]) -> str:
    unknown = sorted(set(arguments) - {"command"})
    command = arguments.get("command")
    if unknown:
        raise BuiltinError(f"bash takes a command and nothing else, not {', '.join(unknown)}")
    if not isinstance(command, str) or not command.strip():
        raise BuiltinError("bash needs a command: a string that is not empty")
    return command


def _describe(finished: sandbox.Finished, root: Path) -> str:
    text = finished.output.decode("utf-8", "replace")
    lines = [text if not text or text.endswith("\n") else f"{text}\n"]
    if finished.dropped:
        lines.append(f"[{finished.dropped:,} more bytes of output were dropped]\n")
    if finished.new_protected:
        names = ", ".join(path.relative_to(root).as_posix() for path in finished.new_protected)
        lines.append(f"[note: protected files appeared that programs may obey: {names}]\n")
    return "".join(lines)
