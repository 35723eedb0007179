"""Random edits of tools files, as lines that are replaced."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$")
PARTS = (
    '"""',
    "'''",
    '"',
    "'",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ":",
    ",",
    "=",
    "#",
    "\\",
    "\\\n",
    "@",
    "\n",
    "\r\n",
    "\r",
    "    ",
    "\t",
    " ",
    "\n\n\n",
    "x",
    "é",
    "🎫",
    "\ufeff",
    "\x00",
    "\x0c",
    "\ud83d",
    "def f(x: str) -> str:\n    return x\n",
    "async def g(y: list):",
    "class C:",
    "@cache\n",
    "@logged\n",
    "import os\n",
    "from m import *\n",
    "CUSTOM_TOOLS = [",
    "CUSTOM_TOOLS += [f]\n",
    "CUSTOM_TOOLS.append(f)\n",
    "CUSTOM_TOOLS = [t for t in OTHERS]\n",
    "CUSTOM_TOOLS = [f, *OTHERS]\n",
    "CUSTOM_TOOLS = OTHERS\n",
    "OTHERS = [f, g]\n",
    "OTHERS += [f]\n",
    "OTHERS.append(g)\n",
    "OTHERS",
    "def tool(fn):\n    CUSTOM_TOOLS.append(fn)\n    return fn\n",
    "@tool\n",
    "tool(f)\n",
    "def entry(fn):\n    return {'function': fn, 'require_approval': ASK}\n",
    "CUSTOM_TOOLS += [entry(f), entry(g)]\n",
    "ASK = False\n",
    "for t in (f, g):\n    CUSTOM_TOOLS.append(t)\n",
    "if f:\n    CUSTOM_TOOLS = [g]\n",
    "f = partial(f, 1)\n",
    "f.__name__ = 'k'\n",
    "f = C()\n",
    "f = lambda q: q\n",
    "CUSTOM_TOOLS",
    "]\n",
    "f,\n",
    "'name': 'bash',",
    "f",
    "g",
    "print(x)",
    "str = 1\n",
    "list",
    "global x\n",
    "from __future__ import annotations\n",
    "# adal: ignore[ADAL401]",
    "return",
    "if x:\n",
    "else:\n",
    "def broken(",
    '"""Do it.\n\ndef prose\n"""\n',
    'exec("x")\n',
    "await x",
    "Optional = None\n",
    "with open(x) as f:\n    pass\n",
)


def split_lines(text: str) -> list[str]:
    """The lines with their ends, by the rules of LSP; the last has none and may be empty."""
    lines = _LINE.findall(text)
    return [*lines, ""] if not lines or lines[-1].endswith(("\n", "\r")) else lines


def random_edits(text: str, rng: random.Random, count: int) -> Iterator[tuple[int, int, str]]:
    """Edits one after the other: first and last line, and what to put there. Some undo the one before."""
    undone: tuple[int, int, str] | None = None
    for _ in range(count):
        lines = split_lines(text)
        if undone is not None and rng.random() < 0.4:
            first, last, new = undone
            undone = None
        else:
            first = rng.randrange(len(lines))
            last = min(first + (rng.randrange(12) if rng.random() < 0.2 else 0), len(lines) - 1)
            start, end = rng.randint(0, len(lines[first])), rng.randint(0, len(lines[last]))
            if first == last:
                start, end = min(start, end), min(max(start, end), start + 6) if rng.random() < 0.9 else end
                end = max(start, end) if rng.random() < 0.5 else start
            added = "".join(rng.choice(PARTS) for _ in range(rng.randrange(3)))
            new = lines[first][:start] + added + lines[last][end:]
            before = "".join(lines[first : last + 1])
            undone = (first, first + len(split_lines(new)) - 1, before)
            if lines[last].endswith(("\n", "\r")) and new.endswith(("\n", "\r")):
                undone = (first, undone[1] - 1, before)
            else:
                undone = None
        text = "".join([*lines[:first], new, *lines[last + 1 :]])
        yield first, last, new
