"""Tools files of any size: sync and async functions, types of every kind, dict entries, a few mistakes."""

from __future__ import annotations

_HEAD = """\
import asyncio
import json
from typing import Literal, Optional

from adalflow.core.types import ToolOutput


"""
_SHAPES = (
    '''\
def {name}(title: str, tags: list[str], limit: int = {number}) -> str:
    """File a ticket in queue {number}.

    Args:
        title: One line.
        tags: Words to find it by.
        limit: How many to keep.
    """
    kept = []
    for tag in tags:
        if tag and len(kept) < limit:
            kept.append(tag.strip().lower())
    return json.dumps({{"title": title, "tags": kept, "queue": {number}}})
''',
    '''\
async def {name}(query: str, order: Literal["new", "old"] = "new", page: Optional[int] = None) -> dict[str, str]:
    """Search the archive — Büro {number}.

    Args:
        query: Words to look for.
        order: Which come first.
        page: Where to go on.
    """
    await asyncio.sleep(0)
    found = {{"query": query, "order": order}}
    if page is not None:
        found["page"] = str(page + {number})
    return found
''',
    '''\
def {name}(path: str, count: int = 1, verbose: bool = False) -> ToolOutput:
    """Count the lines of a report.

    Args:
        path: Which report.
        count: How often.
        verbose: Whether to tell each.
    """
    total = 0
    for step in range(count):
        total += len(path) * step + {number}
        if verbose:
            total += 1
    return ToolOutput(output=total, observation=f"{{path}}: {{total}}", display=f"{{total}} lines")
''',
)


def tools_file(tools: int) -> str:
    """The text of a file with so many tools; a duplicate, a keyword and the name of a built-in tool are among them."""
    functions = (_SHAPES[n % len(_SHAPES)].format(name=f"tool_{n}", number=n) for n in range(tools))
    entries = [
        f'    {{"function": tool_{n}, "name": "named_{n}", "require_approval": True}},\n'
        if n % 10 == 5
        else f"    tool_{n},\n"
        for n in range(tools)
    ]
    wrong = '    tool_0,\n    {"function": tool_1, "name": "class"},\n    {"function": tool_2, "name": "bash"},\n'
    return _HEAD + "\n\n".join(functions) + "\n\nCUSTOM_TOOLS = [\n" + "".join(entries) + wrong + "]\n"
