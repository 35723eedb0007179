from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from adal_ls.cli.program import program

ROOT = Path(__file__).parents[2]


def texts() -> Iterator[tuple[Path, str]]:
    """Every text file under version control, without those that tools write."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    for name in listed.decode().split("\0"):
        path = ROOT / name
        if not name or name.endswith((".lock", "package-lock.json")) or not path.is_file():
            continue
        try:
            yield path.relative_to(ROOT), path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # pictures and the like


def test_no_file_of_the_package_names_a_place_of_one_machine() -> None:
    places = {str(ROOT) + "/", str(Path.home()) + "/"}
    for path, text in texts():
        if path.parts[0] in ("adal_ls", "docs", "examples", "requirements", "scripts") or len(path.parts) == 1:
            for place in places:
                assert place not in text, f"{path} mentions {place}"
            found = re.search(r"(?<![\w.])/(?:home|Users)/\w+", text)
            assert found is None, f"{path} mentions {found.group() if found else ''}"


def test_links_between_documents_lead_somewhere() -> None:
    for path, text in texts():
        if path.suffix != ".md" or path.parts[0] == "vscode-client":
            continue
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
            if "://" not in target:
                assert (ROOT / path.parent / target).exists(), f"{path} links to {target}"


def test_every_command_is_in_the_guide() -> None:
    guide = (ROOT / "docs" / "guides" / "cli.md").read_text(encoding="utf-8")
    for name in program.list_commands(None):  # type: ignore[arg-type]
        assert f"`adal-ls {name}" in guide


def test_every_direct_dependency_is_explained() -> None:
    explained = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8").lower()
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    block = re.search(r"^dependencies = \[(.*?)^\]", project, re.MULTILINE | re.DOTALL)
    dev = re.search(r"^dev = \[(.*?)^\]", project, re.MULTILINE | re.DOTALL)
    assert block is not None
    assert dev is not None
    for name in re.findall(r'"([A-Za-z0-9-]+)', block.group(1) + dev.group(1)):
        assert name.lower() in explained, name
