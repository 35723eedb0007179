"""The Lua in docs/guides/neovim.md, as it stands there."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

GUIDE = Path(__file__).parents[3] / "docs" / "guides" / "neovim.md"


def run_guide(version: int, tmp_path: Path) -> dict[str, Any]:
    (code,) = re.findall(r"```lua\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    file = tmp_path / "guide.lua"
    file.write_text(code)
    done = subprocess.run(
        [
            "nvim",
            "--headless",
            "-u",
            "NONE",
            "-i",
            "NONE",
            "-n",
            "-c",
            f"luafile {Path(__file__).with_name('guide.lua')}",
        ],
        env={**os.environ, "ADAL_TEST_VERSION": str(version), "ADAL_TEST_GUIDE": str(file)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    result: dict[str, Any] = json.loads(done.stdout)
    assert result["ok"], result["fault"]
    return result


def test_an_old_neovim_is_told_and_left_alone(tmp_path: Path) -> None:
    result = run_guide(7, tmp_path)
    assert result["told"] == ["adal-ls needs Neovim 0.8 or later"]
    assert not result["defined"]
    # In place of "not an editor command" (E492).
    assert "adal-ls needs Neovim 0.8 or later" in result["command"]


@pytest.mark.parametrize(("version", "with_client"), [(8, False), (10, False), (11, True)])
def test_the_command_runs_the_agent_and_says_when_there_is_no_server(
    tmp_path: Path, version: int, with_client: bool
) -> None:
    result = run_guide(version, tmp_path)
    assert result["told"] == ["adal-ls is not running: open the .adal/tools.py of a project first"]
    assert result["asked"] == {
        "method": "workspace/executeCommand",
        "params": {"command": "adal.server.runAgent", "arguments": [{"prompt": 'greet(name="Ada")'}]},
        "with_client": with_client,
    }
