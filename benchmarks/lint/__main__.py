"""`python -m benchmarks.lint`: edits of tools files in this server and in others, in one run, as a table.

All servers get the same files and the same edits, one after the other, and wait for nothing but each other's turn. An
edit is made and undone; the time is from the moment it is sent until the diagnostics of its version have arrived.
"""

from __future__ import annotations

import argparse
import queue
import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.lint.files import tools_file
from benchmarks.server.__main__ import PEERS, SERVERS
from benchmarks.server.client import Server

NAMES = {
    **{name: SERVERS[name] for name in ("adal-ls", "ruff server", "pylsp", "jedi-language-server")},
    "ty": [str(PEERS / "ty"), "server"],
}
SIZES = (20, 200, 2000, 10000)
SLOW = 2000
"""Peers that need a second and more for an edit at this size are not asked at larger ones."""


@dataclass(frozen=True)
class Site:
    """A line in the middle of the file, before and after the edit."""

    title: str
    line: int
    old: str
    new: str


@dataclass(frozen=True)
class Times:
    """Milliseconds of the edits at each site, of the first diagnostics, and MiB at the end."""

    edits: dict[str, list[float]]
    first: float
    memory: float


def sites(text: str, tools: int) -> Iterator[Site]:
    lines = text.split("\n")
    name = next(n for n, line in enumerate(lines) if f"def tool_{tools // 2}(" in line)
    body = name + 9
    entry = next(
        n for n, line in enumerate(lines) if line in (f"    tool_{tools // 2},", f"    tool_{tools // 2 + 1},")
    )
    yield Site("body", body, lines[body], f"{lines[body]} ")
    yield Site("name", name, lines[name], lines[name].replace("def tool_", "def tooll_"))
    yield Site("list", entry, lines[entry], lines[entry].replace("tool_", "tooll_"))
    yield Site("syntax error", body, lines[body], f"{lines[body]} (")


def measure(command: list[str], folder: Path, tools: int, edits: int) -> Times:
    text = tools_file(tools)
    path = folder / ".adal" / "tools.py"
    path.write_text(text, encoding="utf-8")
    server = Server(command)
    try:
        server.initialize(folder)
        server.open(path.as_uri(), text)
        first = (server.diagnostics(path.as_uri()) - server.begun) * 1000
        version, found = 0, dict[str, list[float]]()
        for site in sites(text, tools):
            taken = []
            for number in range(edits):
                version += 1
                old, new = (site.old, site.new) if number % 2 == 0 else (site.new, site.old)
                begun = time.perf_counter()
                server.change(path.as_uri(), version, site.line, old, new)
                taken.append((server.diagnostics(path.as_uri(), version=version) - begun) * 1000)
            found[site.title] = taken
        return Times(found, first, server.memory())
    finally:
        server.kill()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edits", type=int, default=40, help="edits at each place")
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    parser.add_argument("--only", action="append", help="a server to measure; may be given more than once")
    options = parser.parse_args()
    names = [name for name in options.only or NAMES if Path(NAMES[name][0]).exists()]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / ".adal").mkdir()
        for tools in options.sizes:
            print(f"\n| {tools:,} tools | " + " | ".join(names) + " |\n|---|" + "---|" * len(names))
            taken = {name: tried(name, folder, tools, options.edits) for name in names}
            for row in rows(taken):
                print(row, flush=True)


def tried(name: str, folder: Path, tools: int, edits: int) -> Times | None:
    if name not in ("adal-ls", "ruff server"):
        if tools > SLOW:
            return None
        edits = min(edits, 6)
    try:
        return measure(NAMES[name], folder, tools, edits)
    except (queue.Empty, RuntimeError, BrokenPipeError):
        return None


def rows(taken: dict[str, Times | None]) -> Iterator[str]:
    own = next(iter(taken.values()))
    if own is None:
        raise RuntimeError("the first server gave no answer: nothing to compare with")
    for title in own.edits:
        cells = ["–" if times is None else _edit(times.edits[title], own.edits[title]) for times in taken.values()]
        yield f"| edit: {title} (ms) | " + " | ".join(cells) + " |"
    for title, pick in (("first diagnostics (ms)", "first"), ("memory (MiB)", "memory")):
        cells = ["–" if times is None else f"{getattr(times, pick):,.0f}" for times in taken.values()]
        yield f"| {title} | " + " | ".join(cells) + " |"


def _edit(values: list[float], own: list[float]) -> str:
    median = statistics.median(values)
    late = sorted(values)[int(len(values) * 0.95)]
    text = f"{median:,.2f} / {late:,.2f}"
    return text if values is own else f"{text} ({median / statistics.median(own):,.1f}×)"


if __name__ == "__main__":
    main()
