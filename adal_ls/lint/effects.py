"""Which calls write, execute, block or end the process. Data, and pure functions over calls."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adal_ls.lint.body import Call

_RUNS = ("run", "call", "check_call", "check_output", "Popen", "getoutput", "getstatusoutput")
_EXECS = tuple(f"exec{ending}" for ending in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe"))
_SPAWNS = tuple(f"spawn{ending}" for ending in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe"))
_SENDS = ("post", "put", "delete", "patch")
_ASKS = (*_SENDS, "get", "head", "options", "request")
_CLIENTS = ("requests", "requests.Session()", "requests.session()", "httpx", "httpx.Client()")

EXECUTES = frozenset(
    {f"subprocess.{name}" for name in _RUNS}
    | {f"os.{name}" for name in ("system", "popen", "posix_spawn", "posix_spawnp", *_EXECS, *_SPAWNS)}
    | {"asyncio.create_subprocess_exec", "asyncio.create_subprocess_shell", "pty.spawn"}
    | {"builtins.eval", "builtins.exec"}
)
_DELETES = frozenset(
    {f"os.{name}" for name in ("remove", "unlink", "rmdir", "removedirs")}
    | {"shutil.rmtree", "pathlib.Path().unlink", "pathlib.Path().rmdir"}
)
_WRITES = frozenset(
    {f"os.{name}" for name in ("rename", "renames", "replace", "truncate")}
    | {f"shutil.{name}" for name in ("move", "copy", "copy2", "copyfile", "copytree")}
    | {f"pathlib.Path().{name}" for name in ("write_text", "write_bytes", "rename", "replace", "touch")}
)
_OPENS = {"builtins.open": 1, "io.open": 1, "codecs.open": 1, "pathlib.Path().open": 0}
"""Functions that open a file, and the place of the mode."""
_CHANGES_SERVERS = frozenset(f"{client}.{name}" for client in (*_CLIENTS, "httpx.AsyncClient()") for name in _SENDS)

BLOCKS = frozenset(
    {"time.sleep", "os.system", "urllib.request.urlopen", "builtins.input"}
    | {f"subprocess.{name}" for name in _RUNS if name != "Popen"}
    | {f"{client}.{name}" for client in _CLIENTS for name in _ASKS}
)
ENDS = frozenset(
    {"sys.exit", "builtins.exit", "builtins.quit", "builtins.SystemExit", "os._exit", "os.abort"}
    | {f"os.{name}" for name in _EXECS}
)

_EFFECTS = EXECUTES | _DELETES | _WRITES | _OPENS.keys() | BLOCKS | ENDS


def _module(name: str) -> str:
    """A module, unless some other attribute of it is asked for: `os.path` and `asyncio.gather` are of no interest."""
    attributes = sorted(target.partition(".")[2] for target in _EFFECTS if target.startswith(f"{name}."))
    return rf"(?<!\.){name}\b(?![ \t]*\.[ \t]*(?!(?:{'|'.join(attributes)})\b)\w)"


_WORDS = re.compile(
    r"\b(?:(?:print|input|open|eval|exec\w*|exit|quit|SystemExit|subprocess|pathlib|Path|requests|httpx|urllib)\b|"
    + "|".join(map(_module, ("os", "sys", "shutil", "time", "asyncio", "pty", "io", "codecs")))
    + ")"
)


def words(aliases: list[str]) -> re.Pattern[str]:
    """Matches every text that can hold a call of interest: what is not in it needs no walk through its tree."""
    aliases = [alias for alias in aliases if not _WORDS.fullmatch(alias)]
    if not aliases:
        return _WORDS
    return re.compile(rf"{_WORDS.pattern}|\b(?:{'|'.join(map(re.escape, aliases))})\b")


def is_of_interest(origin: str) -> bool:
    """Whether a name of this origin can lead to a call of interest."""
    return _WORDS.match(origin.removeprefix("builtins.")) is not None


def danger(call: Call) -> str | None:
    """What a call plainly does to the world: "runs a command", "deletes files", ...; None for any other."""
    target = call.target
    if target in EXECUTES:
        return "runs code" if target.startswith("builtins.") else "runs a command"
    if target in _DELETES:
        return "deletes files"
    if target in _WRITES or (target in _OPENS and _writes(call, _OPENS[target])):
        return "writes files"
    return "changes something on a server" if target in _CHANGES_SERVERS else None


def shown(call: Call) -> str:
    """A call as a message names it: `subprocess.run`, `Path.unlink`, `open`."""
    name = call.target.removeprefix("builtins.").removeprefix("pathlib.")
    return name.replace("()", "")


def _writes(call: Call, place: int) -> bool:
    mode = call.keyword("mode")
    if mode is None and len(call.arguments) > place:
        mode = call.arguments[place]
    return isinstance(mode, ast.Constant) and isinstance(mode.value, str) and any(sign in mode.value for sign in "wax+")
