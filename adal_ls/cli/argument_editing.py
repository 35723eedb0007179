"""Editing the arguments of a call at a terminal: in the person's editor, or one by one."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from adal_ls.agent.approvals.answers import problem_with
from adal_ls.agent.approvals.visible import visible
from adal_ls.cli.output import reason, say
from adal_ls.cli.reading import Reader

_ALONE: dict[str, Any] = {"required": [], "allOf": [{}], "anyOf": [{}], "oneOf": [{}], "not": False, "minProperties": 0}
"""What a schema says of several arguments together, taken back for one of them."""


@dataclass(frozen=True, slots=True)
class Draft:
    """Arguments on their way; `problem` tells why the text of an editor is none, then `arguments` are empty."""

    text: str
    arguments: dict[str, Any]
    problem: str | None = None

    @classmethod
    def of(cls, arguments: Mapping[str, Any]) -> Draft:
        return cls(as_text(arguments), dict(arguments))

    @classmethod
    def read(cls, text: str) -> Draft:
        """What an editor left."""
        try:
            value = json.loads(text, parse_constant=_no_json)
        except (ValueError, RecursionError) as fault:
            return cls(text, {}, f"this is no JSON: {fault}")
        if not isinstance(value, dict):
            return cls(text, {}, "the arguments are one JSON object, by their names")
        return cls(text, value)


async def edit(draft: Draft, schema: Mapping[str, Any], reader: Reader) -> Draft:
    """What the person makes of `draft`; unchanged where there is no way to edit it.

    `$VISUAL` or `$EDITOR` is their editor; without one each argument is asked for.
    """
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if editor:
        async with reader.lent():
            text = await _in_editor(editor, draft.text)
        if text is not None:
            return Draft.read(text)
    return await _one_by_one(draft, schema, reader)


def as_text(arguments: Mapping[str, Any]) -> str:
    """JSON to edit, where every hidden character stands as its escape, which JSON reads back."""
    text = json.dumps(arguments, ensure_ascii=False, indent=2)
    return "".join(json.dumps(sign)[1:-1] if visible(sign) != sign else sign for sign in text) + "\n"


async def _in_editor(editor: str, text: str) -> str | None:
    """The text as the editor left it, None where the editor cannot be started or fails."""
    try:
        command = shlex.split(editor, posix=sys.platform != "win32")
    except ValueError as fault:
        say(f"The editor '{editor}' cannot be started: {fault}")
        return None
    with tempfile.TemporaryDirectory(prefix="adal-ls-") as folder:  # mode 0700: arguments may hold anything
        file = Path(folder) / "arguments.json"
        file.write_text(text, encoding="utf-8")
        try:
            # Standard output may be a pipe, and is never the terminal's; the questions are on standard error too.
            process = await asyncio.create_subprocess_exec(*command, str(file), stdout=sys.__stderr__)
        except OSError as fault:
            say(f"The editor '{editor}' cannot be started: {reason(fault)}")
            return None
        try:
            code = await process.wait()
        except asyncio.CancelledError:
            process.terminate()
            await process.wait()
            raise
        if code != 0:
            say(f"The editor '{editor}' ended with exit code {code}.")
            return None
        try:
            return file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as fault:
            say(f"What the editor wrote cannot be read: {fault}")
            return None


async def _one_by_one(draft: Draft, schema: Mapping[str, Any], reader: Reader) -> Draft:
    """Asks for the value of each argument there is or may be, until it is one that the tool takes; Enter keeps it."""
    properties = schema.get("properties")
    known = properties if isinstance(properties, Mapping) else {}
    arguments = dict(draft.arguments)
    say("Enter keeps a value; texts as they are or in quotes, all else as JSON; - leaves an argument out.")
    for name in dict.fromkeys([*known, *arguments]):
        now = json.dumps(arguments[name], ensure_ascii=False) if name in arguments else "not given"
        while True:
            line = await reader.line(f"  {name} [{now}]: ")
            if line is None:
                return Draft.of(draft.arguments)
            if line == "-":
                arguments.pop(name, None)
            elif line:
                value = _value(line, known.get(name))
                problem = problem_with({name: value}, {**schema, **_ALONE})
                if problem is not None:
                    say(f"  The tool does not take this: {problem}")
                    continue
                arguments[name] = value
            break
    return Draft.of(arguments)


def _value(line: str, schema: object) -> Any:
    is_text = isinstance(schema, Mapping) and schema.get("type") == "string"
    if is_text and not line.startswith('"'):
        return line
    try:
        return json.loads(line, parse_constant=_no_json)
    except ValueError:
        return line  # the tool's schema tells whether a text will do


def _no_json(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")
