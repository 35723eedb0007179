"""`python -m tests.model_server SCRIPT.json [PORT]`: serves a JSON list of turns and writes its base URL to stdout.

`--document` writes README.md.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from tests.model_server import ModelServer, Turn
from tests.model_server.quirks import document


async def main(turns: list[Turn], port: int) -> None:
    async with ModelServer(turns, port=port) as server:
        sys.stdout.write(f"{server.url}\n")
        sys.stdout.flush()
        await server.serve_forever()


if sys.argv[1:] == ["--document"]:
    (Path(__file__).parent / "README.md").write_text(document(), encoding="utf-8")
    sys.exit()
script, *ports = sys.argv[1:]
turns = [Turn.read(turn) for turn in json.loads(Path(script).read_text(encoding="utf-8"))]
asyncio.run(main(turns, int(ports[0]) if ports else 0))
