"""`python -m benchmarks.lint.check`: how long `adal-ls check` takes for many files, beside `ruff check`, in one run.

The files are of `benchmarks/lint/files.py`. The commands take turns; each time is that of the whole process, and there
is no cache in any (ruff gets `--no-cache`). They look for different things: the table compares waiting times.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.lint.files import tools_file

ADAL_LS = [sys.executable, "-m", "adal_ls", "check", "--format", "json"]
COMMANDS = {
    "adal-ls check": ADAL_LS,
    "adal-ls check, one core": ADAL_LS,
    "ruff check": [
        str(Path(sys.executable).with_name("ruff")),
        "check",
        "--isolated",
        "--no-cache",
        "--output-format",
        "json",
    ],
}


@dataclass
class Taken:
    """Seconds of each round: on the clock, and of CPU."""

    clock: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)


def measure(command: list[str], folder: Path, *, one_core: bool) -> tuple[float, float]:
    def pin() -> None:
        if one_core:
            os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([*command, str(folder)], stdout=subprocess.DEVNULL, preexec_fn=pin, check=False)
    taken = time.perf_counter() - begun
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{command[0]} ended with {done.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return taken, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--tools", type=int, default=20, help="tools in each file")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        for number in range(options.files):
            folder = Path(place, f"project_{number:04}", ".adal")
            folder.mkdir(parents=True)
            (folder / "tools.py").write_text(tools_file(options.tools), encoding="utf-8")
        taken = {name: Taken() for name in COMMANDS}
        for _ in range(options.rounds):
            for name, times in taken.items():
                clock, cpu = measure(COMMANDS[name], Path(place), one_core="one core" in name)
                times.clock.append(clock)
                times.cpu.append(cpu)
    print(
        f"{options.files:,} files of {options.tools} tools, median of {options.rounds} rounds, {os.cpu_count()} cores\n"
    )
    print("| | seconds | files a second | CPU seconds |\n|---|---|---|---|")
    own = statistics.median(taken["adal-ls check"].clock)
    for name, times in taken.items():
        clock, cpu = statistics.median(times.clock), statistics.median(times.cpu)
        ratio = "" if name == "adal-ls check" else f" ({clock / own:.2f}×)"
        print(f"| `{name}` | {clock:.2f}{ratio} | {options.files / clock:,.0f} | {cpu:.2f} |")


if __name__ == "__main__":
    main()
