"""`python -m benchmarks.server`: this server beside others, in one run. Prints tables for docs/performance.md.

All get the same file, a tools file of a number of tools; the medians are of runs that take turns, so that a busy moment
of the machine meets all of them.
"""

from __future__ import annotations

import argparse
import queue
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.server.client import Server

PEERS = Path(__file__).parents[2] / ".artifacts" / "bench" / "venv" / "bin"

SERVERS: dict[str, list[str]] = {
    "adal-ls": [sys.executable, "-I", "-m", "adal_ls"],
    "ruff server": [str(PEERS / "ruff"), "server"],
    "pylsp": [str(PEERS / "pylsp")],
    "jedi-language-server": [str(PEERS / "jedi-language-server")],
    "stock pygls": [str(PEERS / "python"), str(Path(__file__).with_name("stock_pygls.py"))],
}

TOOL = '''def tool_{0}(text: str, count: int = 1) -> str:
    """Do number {0}.

    Args:
        text: A text.
        count: How often.
    """
    return text * count


'''

Measure = Callable[[str, Path, int], float]


def tools_file(number: int) -> str:
    names = "".join(f"    tool_{index},\n" for index in range(number))
    return "".join(TOOL.format(index) for index in range(number)) + f"CUSTOM_TOOLS = [\n{names}]\nx = 1\n"


def session(name: str, folder: Path, number: int) -> tuple[Server, str, str]:
    """A server with the file open and its first diagnostics there."""
    server = Server(SERVERS[name])
    server.initialize(folder)
    uri, text = (folder / ".adal" / "tools.py").as_uri(), tools_file(number)
    server.open(uri, text)
    server.diagnostics(uri)
    return server, uri, text


def to_initialize(name: str, folder: Path, _: int) -> float:
    server = Server(SERVERS[name])
    taken = server.initialize(folder)
    server.kill()
    return taken * 1000


def to_first_diagnostics(name: str, folder: Path, number: int) -> float:
    server = Server(SERVERS[name])
    server.initialize(folder)
    uri = (folder / ".adal" / "tools.py").as_uri()
    server.open(uri, tools_file(number))
    taken = server.diagnostics(uri) - server.begun
    server.kill()
    return taken * 1000


def memory_after_lint(name: str, folder: Path, number: int) -> float:
    server, _, _ = session(name, folder, number)
    taken = server.memory()
    server.kill()
    return taken


def memory_after_hover(name: str, folder: Path, number: int) -> float:
    server, uri, _ = session(name, folder, number)
    server.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 5}})
    taken = server.memory()
    server.kill()
    return taken


def edit_to_diagnostics(name: str, folder: Path, number: int) -> float:
    """Milliseconds from an edit to its diagnostics, the client waiting each time: a syntax error comes and goes."""
    server, uri, text = session(name, folder, number)
    server.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 5}})
    line, taken = text.count("\n") - 1, []
    for version in range(1, 11):
        old, new = ("x = (", "x = 1") if version % 2 == 0 else ("x = 1", "x = (")
        begun = time.perf_counter()
        server.change(uri, version, line, old, new)
        taken.append(server.diagnostics(uri, broken=bool(version % 2)) - begun)
    server.kill()
    return statistics.median(taken) * 1000


def flood(name: str, folder: Path, number: int) -> float:
    """Milliseconds from the first of 1,000 edits to the diagnostics of the last, which alone has a syntax error."""
    server, uri, text = session(name, folder, number)
    line, old = text.count("\n") - 1, "x = 1"
    begun = time.perf_counter()
    for version in range(1, 1001):
        new = "x = (" if version == 1000 else f"x = {version % 10}"
        server.change(uri, version, line, old, new)
        old = new
    taken = server.diagnostics(uri, broken=True) - begun
    server.kill()
    return taken * 1000


def edit_cost(name: str, folder: Path, number: int) -> float:
    """Milliseconds of CPU that one of 20 edits costs, the client waiting each time."""
    server, uri, text = session(name, folder, number)
    server.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 5}})
    line, before = text.count("\n") - 1, server.processor()
    edits = 20
    for version in range(1, edits + 1):
        old, new = ("x = (", "x = 1") if version % 2 == 0 else ("x = 1", "x = (")
        server.change(uri, version, line, old, new)
        server.diagnostics(uri, broken=bool(version % 2))
    taken = server.processor() - before
    server.kill()
    return taken / edits * 1000


MEASURES: tuple[tuple[str, str, Measure, tuple[int, ...]], ...] = (
    ("start → initialize", "ms", to_initialize, (0,)),
    ("start → first diagnostics", "ms", to_first_diagnostics, (20, 200, 2000)),
    ("memory after the first diagnostics", "MiB", memory_after_lint, (20,)),
    ("memory after the first hover", "MiB", memory_after_hover, (20,)),
    ("edit → diagnostics", "ms", edit_to_diagnostics, (20, 200, 2000)),
    ("CPU of one edit", "ms", edit_cost, (200,)),
    ("1,000 edits at once → last diagnostics", "ms", flood, (20, 2000)),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="runs of each measurement (medians are shown)")
    parser.add_argument("--only", action="append", help="a server to measure; may be given more than once")
    parser.add_argument("--match", default="", help="only the measurements whose title has this in it")
    options = parser.parse_args()
    names = [name for name in options.only or SERVERS if Path(SERVERS[name][0]).exists()]
    print("| | " + " | ".join(names) + " |\n|---|" + "---|" * len(names))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / ".adal").mkdir()
        for title, unit, measure, sizes in [entry for entry in MEASURES if options.match in entry[0]]:
            for number in sizes:
                (folder / ".adal" / "tools.py").write_text(tools_file(number), encoding="utf-8")
                row = measured(measure, names, folder, number, options.rounds)
                label = f"{title}, {number:,} tools" if number else title
                print(f"| {label} ({unit}) | " + " | ".join(row) + " |", flush=True)


def measured(measure: Measure, names: list[str], folder: Path, number: int, rounds: int) -> list[str]:
    """The medians, those of others with their ratio to the first server's."""
    taken: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(rounds):
        for name in names:
            taken[name] += tried(measure, name, folder, number)
    medians = {name: statistics.median(values) if values else None for name, values in taken.items()}
    own = medians[names[0]]
    return [_shown(value, None if name == names[0] else own) for name, value in medians.items()]


def tried(measure: Measure, name: str, folder: Path, number: int) -> list[float]:
    """One measurement; none where the server never answered."""
    try:
        return [measure(name, folder, number)]
    except (queue.Empty, RuntimeError, BrokenPipeError):
        return []


def _shown(value: float | None, own: float | None) -> str:
    if value is None:
        return "no answer"
    text = f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
    return text if own is None else f"{text} ({value / own:,.1f}×)"


if __name__ == "__main__":
    main()
