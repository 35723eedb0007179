from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from adal_ls.agent.builtin.catalog import BUILTINS
from adal_ls.agent.models.script import read_script
from adal_ls.agent.workspaces.workspace_executor import UNCONFINED_VARIABLE
from adal_ls.agent.workspaces.workspace_policy import WorkspacePolicy
from adal_ls.cli.program import _SUBCOMMANDS
from adal_ls.cli.run import command as run
from adal_ls.naming import RESERVED
from adal_ls.protocol.runs import PermissionMode

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "cli.md"


def test_every_command_is_in_the_guide() -> None:
    table = "\n".join(line for line in GUIDE.read_text(encoding="utf-8").splitlines() if line.startswith("| `adal-ls"))
    assert set(re.findall(r"`adal-ls ([a-z]+)", table)) == set(_SUBCOMMANDS)


def test_the_options_of_serving_are_in_the_guide() -> None:
    from adal_ls.__main__ import FLAGS, LEVELS, SERVING

    text = GUIDE.read_text(encoding="utf-8")
    assert all(f"`{option} " in text for option in SERVING)
    assert all(f"`{flag}`" in text for flag in FLAGS)
    assert "|".join(LEVELS) in text


def test_the_reserved_names_in_the_guide_are_those_of_the_code() -> None:
    text = GUIDE.with_name("tools.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (\w*) ?\| (built in|reserved|of AdaL) \|$", text, re.MULTILINE)
    assert rows == [
        (name, entry.group or "", "built in" if name in BUILTINS else "reserved" if entry.ours else "of AdaL")
        for name, entry in RESERVED.items()
    ]


def test_the_built_in_tools_and_the_keys_of_a_policy_in_the_guide_are_those_of_the_code() -> None:
    text = GUIDE.with_name("builtin-tools.md").read_text(encoding="utf-8")
    tools, policy = text.split("## Files")[0], text.split("## Another folder, another policy")[1]
    for name, tool in BUILTINS.items():
        (row,) = re.findall(rf"^\| .*`{name}`.*$", tools, re.MULTILINE)
        assert (tool.group or "") == row.split("|")[2].strip()
        assert all(argument in row for argument in tool.parameters["properties"])
    keys = {key for row in re.findall(r"^\| (`.*?) \|", policy, re.MULTILINE) for key in re.findall(r"`(\w+)`", row)}
    assert keys | {"cwd"} == set(WorkspacePolicy.__dataclass_fields__)
    assert UNCONFINED_VARIABLE in text


def test_the_options_of_a_run_and_what_they_take_are_in_the_guide() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    for option in run.params:
        assert any(f"`{name}" in text or f", {name}" in text for name in option.opts), option.name
    assert all(f"`{mode}`" in text for mode in get_args(PermissionMode))


def test_the_scripted_model_in_the_guide_runs(tmp_path: Path) -> None:
    (written,) = re.findall(r"```yaml\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    file = tmp_path / "turns.yaml"
    file.write_text(written)
    first, second = read_script(file)
    assert [(call.name, call.arguments, call.id) for call in first.calls] == [
        ("read_file", '{"path": "README.md"}', "call_1")
    ]
    assert (second.text, second.finish) == ("Done.", "stop")


def test_links_in_the_guides_and_the_readme_lead_somewhere() -> None:
    root = GUIDE.parents[2]
    for page in (root / "README.md", *GUIDE.parent.glob("*.md")):
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_pictures_of_the_guides_are_there_and_all_are_shown_and_small() -> None:
    root = GUIDE.parents[2]
    pages = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    shown = {
        (page.parent / target).resolve()
        for page in pages
        for target in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", page.read_text(encoding="utf-8"))
    }
    kept = {path for path in (root / "docs" / "images").iterdir() if path.is_file()}
    assert shown == kept
    assert sum(path.stat().st_size for path in kept) < 6 * 1024 * 1024
