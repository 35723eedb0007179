"""A real Neovim, which knows no `adal/*` messages: it gets everything by plain LSP."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.server.conftest import Workspace

TOOLS = '''def greet(name: str) -> str:
    """Greet somebody.

    Args:
        name: Who is greeted.
    """
    return f"Hello, {name}!"


CUSTOM_TOOLS = [greet, {"function": greet, "name": "say-hello"}]
'''


def run_neovim(workspace: Path, data: Path, *, agent: bool) -> None:
    """Runs the session script; a missing nvim is a failure, since without it nothing is tested."""
    environment = {
        **os.environ,
        "ADAL_TEST_WORKSPACE": str(workspace),
        "ADAL_TEST_SERVER": json.dumps([sys.executable, "-m", "adal_ls"]),
        "ADAL_TEST_AGENT": "1" if agent else "0",
        "ADAL_DATA_DIR": str(data),
        "XDG_STATE_HOME": str(data / "state"),
        "XDG_DATA_HOME": str(data / "share"),
    }
    script = Path(__file__).with_name("session.lua")
    done = subprocess.run(
        ["nvim", "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", f"luafile {script}"],
        cwd=Path(__file__).parents[3],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert "FAILED" not in done.stderr


def test_a_bad_name_is_shown_mended_and_gone(workspace: Workspace, tmp_path: Path) -> None:
    workspace.write(TOOLS)
    run_neovim(workspace.root, tmp_path / "data", agent=False)
    assert "say_hello" in workspace.file().read_text()


def test_a_run_asks_in_a_message_box_and_does_what_the_person_said(workspace: Workspace, tmp_path: Path) -> None:
    """With the real agent host and its `offline` model: approved once, denied once."""
    workspace.write(TOOLS)
    run_neovim(workspace.root, tmp_path / "data", agent=True)
