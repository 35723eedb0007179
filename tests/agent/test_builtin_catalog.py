from __future__ import annotations

from pathlib import Path

import pytest

from adal_ls import naming
from adal_ls.agent.builtin import BuiltinContext, execute
from adal_ls.agent.builtin.catalog import BUILTINS


def test_every_built_in_tool_is_a_reserved_name_of_its_group() -> None:
    assert BUILTINS
    for name, builtin in BUILTINS.items():
        reserved = naming.RESERVED[name]
        assert (builtin.name, builtin.group, reserved.ours) == (name, reserved.group, True)


@pytest.mark.parametrize("name", list(BUILTINS))
async def test_every_tool_of_the_catalogue_runs_and_checks_its_arguments(name: str, tmp_path: Path) -> None:
    result = await execute(name, {"surprise": 1}, BuiltinContext(tmp_path), lambda _: None)
    assert result.status == "error"
    assert "surprise" in result.observation


@pytest.mark.parametrize("name", [name for name, tool in BUILTINS.items() if tool.parameters["required"]])
async def test_every_tool_wants_what_its_schema_requires(name: str, tmp_path: Path) -> None:
    result = await execute(name, {}, BuiltinContext(tmp_path), lambda _: None)
    assert result.status == "error"
    for required in BUILTINS[name].parameters["required"]:
        assert required in result.observation


async def test_a_tool_that_is_not_in_the_catalogue_is_not_run(tmp_path: Path) -> None:
    with pytest.raises(LookupError, match="rm_rf"):
        await execute("rm_rf", {}, BuiltinContext(tmp_path), lambda _: None)
