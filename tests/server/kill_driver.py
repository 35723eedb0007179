"""An editor as a process of its own: `kill_driver.py WORKSPACE` opens it, and has 8 runs wait for their approvals.

Tells "asking" once all wait. A line on its input makes it shut the server down and tell how long the answer took.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from tests.e2e.conftest import ADAL, TOLERATED, Editor

RUNS = 8


def tell(what: object) -> None:
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


def main() -> None:
    client = Editor(tolerated=TOLERATED)
    tell("started")
    client.initialize(Path(sys.argv[1]), ADAL, {"trusted": True})
    for number in range(RUNS):
        client.start_run(f'greet(name="{number}")')
    for _ in range(RUNS):
        client.asked()
    tell("asking")
    sys.stdin.readline()
    begun = time.monotonic()
    client.request("shutdown")
    tell(time.monotonic() - begun)
    client.notify("exit")
    client.process.wait(10)


main()
