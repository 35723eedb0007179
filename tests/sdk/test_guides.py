from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import adal_ls
from adal_ls.sdk import errors

GUIDES = Path(__file__).parents[2] / "docs" / "guides"


def blocks(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (GUIDES / page).read_text(encoding="utf-8"), re.DOTALL)


def test_the_first_script_of_the_guide_runs_as_it_stands_but_for_its_model(tmp_path: Path) -> None:
    text = blocks("sdk.md")[0].replace("openai/gpt-4o", "offline").replace("What is 2 + 3?", "add(a=2, b=3)")
    (tmp_path / "script.py").write_text(text, encoding="utf-8")
    done = subprocess.run([sys.executable, tmp_path / "script.py"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "add:\n5" in done.stdout
    assert '"a": 2' in done.stdout  # what the callback showed
    assert [path.name for path in tmp_path.iterdir()] == ["script.py"]


def test_the_agents_file_of_the_guide_loads(tmp_path: Path) -> None:
    (tmp_path / ".adal").mkdir()
    (tmp_path / ".adal" / "agents.py").write_text(blocks("providers.md")[0], encoding="utf-8")
    assert list(adal_ls.load_project(tmp_path).agents) == ["librarian"]


def test_the_provider_of_the_guide_refuses_a_context_as_the_guide_says() -> None:
    namespace: dict[str, Any] = {}
    exec(blocks("providers.md")[0], namespace)
    with pytest.raises(adal_ls.InvalidContextError):
        namespace["tools_for"](SimpleNamespace(tool_provider_context={"folder": "/srv"}))


def test_every_setting_of_an_mcp_server_is_in_the_guide() -> None:
    section = (GUIDES / "providers.md").read_text(encoding="utf-8").split("## MCP servers")[1]
    rows = {name for row in re.findall(r"^\| (`.*`) \|", section, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
    assert rows == {*inspect.signature(adal_ls.mcp_tool_provider).parameters} - {"name"}


def test_the_mcp_servers_of_the_guide_can_be_described() -> None:
    names = {name: getattr(adal_ls, name) for name in ("mcp_tool_provider", "combine_tool_providers")}
    namespace = {**names, "runtime": adal_ls.create_runtime(model="offline")}
    exec(blocks("providers.md")[-1], namespace)
    assert [agent.id for agent in namespace["AGENTS"]] == ["reader"]


def test_every_error_of_the_sdk_is_in_the_guide_with_its_code() -> None:
    rows = re.findall(r"^\| `([A-Z_]+)` \| `(\w+)` \|", (GUIDES / "sdk.md").read_text(encoding="utf-8"), re.MULTILINE)
    known = {
        (kind.code, kind.__name__)
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, errors.AdalError)
    }
    assert set(rows) == known


def test_every_public_name_is_there_and_both_lists_agree() -> None:
    from adal_ls import sdk

    assert set(adal_ls.__all__) == {*sdk.__all__, "__version__"} == {*sdk.PUBLIC, "__version__"}
    for name in sdk.__all__:
        assert getattr(adal_ls, name) is getattr(sdk, name)
