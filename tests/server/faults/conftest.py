"""Faults that were measured in pygls 2.1.1, each as a test of this server that states it in its name.

`test_plain_pygls.py` shows some of them in pygls itself, so that an upgrade that mends one is noticed. Not
reproducible in pygls, and so without a test of that kind: "Content-Length counts characters"
(https://github.com/openlawlibrary/pygls/issues/604); that long non-ASCII text arrives whole is in `test_stdio.py`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import editor as editor  # the real host; a fixture
from tests.server.client import Client

URI = "file:///p/.adal/tools.py"


@pytest.fixture
def start_patched(start_process: Callable[..., Client]) -> Callable[..., Client]:
    """Starts a server in which the code given has replaced something."""

    def make(patch: str, **options: Any) -> Client:
        return start_process((sys.executable, "-c", f"{patch}\nfrom adal_ls.server import serve\nserve()\n"), **options)

    return make


def script(folder: Path, *turns: dict[str, Any]) -> str:
    """A model that says exactly these turns."""
    path = folder / "script.yaml"
    path.write_text(json.dumps({"turns": list(turns)}), encoding="utf-8")
    return f"script:{path}"


def call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}
