"""The built-in tool bash: a command in the sandbox, with its exit code as data."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from adal_ls.agent.builtin import arguments as args
from adal_ls.agent.builtin.context import BuiltinContext, BuiltinError
from adal_ls.agent.sandbox import sandbox


async def bash(arguments: Mapping[str, Any], context: BuiltinContext, on_print: Callable[[str], None]) -> str:
    """The output and the exit code, as a model sees them; `on_print` gets the output as it comes.

    Raises:
        BuiltinError: bad arguments, no sandbox on this machine (nothing was run), or the time limit.
    """
    args.only("bash", arguments, ["command"])
    command = args.text("bash", arguments, "command")
    if not command.strip():
        raise BuiltinError("bash needs a command: a string that is not empty")
    workspace = context.workspace
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    try:
        finished = await workspace.run(
            command, pythons=context.pythons, on_output=lambda chunk: on_print(decoder.decode(chunk))
        )
    except (sandbox.SandboxUnavailableError, ValueError) as fault:
        raise BuiltinError(str(fault)) from fault
    said = _describe(finished, workspace.policy.cwd)
    if finished.exit_code is None:
        seconds = workspace.policy.bash_timeout_ms / 1000
        raise BuiltinError(f"{said}[killed with all its processes after {seconds:g} seconds]")
    return f"{said}[exit code {finished.exit_code}]"


def _describe(finished: sandbox.Finished, root: Path) -> str:
    text = finished.output.decode("utf-8", "replace")
    lines = [text if not text or text.endswith("\n") else f"{text}\n"]
    if finished.dropped:
        lines.append(f"[{finished.dropped:,} more bytes of output were dropped]\n")
    if finished.new_protected:
        places = [path.relative_to(root) if path.is_relative_to(root) else path for path in finished.new_protected]
        names = ", ".join(path.as_posix() for path in places)
        lines.append(f"[note: protected files appeared that programs may obey: {names}]\n")
    return "".join(lines)
