"""Which Python runs a project's tools, and what it says of their syntax. It compiles; it runs nothing."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import NamedTuple

PATIENCE = 20.0
"""Seconds: a first start from a cold disk can take some."""

# Any Python that can have `-I` runs this. Isolated, and without `site`: no file of a project or user has a say.
_CHECK = """
import json, sys, warnings
warnings.simplefilter("ignore")
found = []
for text in json.loads(sys.stdin.buffer.read().decode("ascii")):
    try:
        compile(text, "tools.py", "exec", dont_inherit=True)
        found.append(None)
    except SyntaxError as error:
        found.append([str(error.msg), error.lineno or 0, error.offset or 0])
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        found.append([str(error), 0, 0])
sys.stdout.write(json.dumps([list(sys.version_info[:2]), found]))
"""


class InterpreterError(Exception):
    """A Python that cannot be asked; the text says which one and why."""


class Refusal(NamedTuple):
    """What Python says against a text. Line and column count from 1; 0 where it does not say."""

    message: str
    line: int
    column: int


class Answer(NamedTuple):
    """The version of an interpreter, and for each text what it says against it, None where it takes it."""

    version: tuple[int, int]
    refusals: tuple[Refusal | None, ...]


def choose_interpreter(setting: str | None, root: str | os.PathLike[str], otherwise: str = sys.executable) -> str:
    """The Python that runs a project's tools: the person's setting, the project's own environment, else `otherwise`."""
    if setting:
        return setting
    program = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")
    for folder in (".venv", "venv"):
        candidate = os.path.join(root, folder, *program)
        if os.path.isfile(candidate):
            return candidate
    return otherwise


def ask(interpreter: str, texts: Sequence[str]) -> Answer:
    """Has `interpreter` compile texts. Only for one that the person trusts: it is a program like any other.

    Raises:
        InterpreterError: it does not start, takes too long, or gives no answer.
    """
    import subprocess  # only a question pays for the imports, not the start of the server
    import tempfile

    program = os.path.abspath(interpreter) if os.path.dirname(interpreter) else interpreter
    try:
        done = subprocess.run(
            [program, "-I", "-S", "-c", _CHECK],
            input=json.dumps(list(texts)).encode("ascii"),
            capture_output=True,
            timeout=PATIENCE,
            cwd=tempfile.gettempdir(),
            check=False,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),  # Windows alone has it
        )
    except (OSError, ValueError) as fault:
        raise InterpreterError(f"{interpreter} cannot be started: {fault}") from None
    except subprocess.TimeoutExpired:
        raise InterpreterError(f"{interpreter} gave no answer within {PATIENCE:.0f} s") from None
    try:
        version, refusals = json.loads(done.stdout)
        major, minor = map(int, version)
        found = tuple(None if one is None else Refusal(str(one[0]), int(one[1]), int(one[2])) for one in refusals)
    except (ValueError, TypeError, IndexError):
        said = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise InterpreterError(f"{interpreter} is no Python that can be asked{f': {said}' if said else ''}") from None
    if len(found) != len(texts):
        raise InterpreterError(f"{interpreter} gave {len(found)} answers to {len(texts)} texts")
    return Answer((major, minor), found)
