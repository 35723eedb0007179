"""What the workspace's AGENTS.md may do to the system prompt, and what not."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from adal_ls.agent.runs.prompt import system_prompt


def test_a_link_out_of_the_workspace_is_not_read(tmp_path: Path) -> None:
    root = tmp_path / "work"
    root.mkdir()
    (tmp_path / "id_rsa").write_text("a private key", encoding="utf-8")
    (root / "AGENTS.md").symlink_to(tmp_path / "id_rsa")
    assert "private key" not in system_prompt(root, trusted=True)


def test_a_link_inside_the_workspace_is_read(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("Be brief.", encoding="utf-8")
    (tmp_path / "AGENTS.md").symlink_to("README.md")
    assert "Be brief." in system_prompt(tmp_path, trusted=True)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are POSIX")
def test_a_pipe_does_not_hold_up_the_run(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "AGENTS.md")
    asked = threading.Thread(target=system_prompt, args=(tmp_path,), kwargs={"trusted": True}, daemon=True)
    asked.start()
    asked.join(5)
    assert not asked.is_alive()


def test_a_huge_file_is_cut_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("a" * 10_000_000, encoding="utf-8")
    prompt = system_prompt(tmp_path, trusted=True)
    assert len(prompt) < 40_000
    assert "cut after" in prompt
