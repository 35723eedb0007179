"""What is installed is what was looked at: exact versions, hashes, and no code that runs at every start of Python."""

from __future__ import annotations

import re
import site
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
LOCKS = ("runtime", "dev", "build")


def locked(name: str) -> Iterator[tuple[Requirement, list[str]]]:
    """Every requirement of a lock file with its hashes."""
    text = (ROOT / "requirements" / f"{name}.lock").read_text(encoding="utf-8")
    for entry in text.replace("\\\n", " ").splitlines():
        words = entry.split("#")[0].strip()
        if words:
            requirement, *hashes = re.split(r"\s+--hash=", words)
            yield Requirement(requirement), [found.strip() for found in hashes]


@pytest.mark.parametrize("name", LOCKS)
def test_every_locked_requirement_has_one_exact_version_and_hashes(name: str) -> None:
    entries = list(locked(name))
    assert entries
    for requirement, hashes in entries:
        assert [specifier.operator for specifier in requirement.specifier] == ["=="], requirement
        assert hashes, requirement
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", found) for found in hashes), requirement


@pytest.mark.parametrize("name", LOCKS)
def test_locks_name_no_package_index(name: str) -> None:
    assert "://" not in (ROOT / "requirements" / f"{name}.lock").read_text(encoding="utf-8")


def wanted(block: str) -> list[Requirement]:
    """The requirements in one array of pyproject.toml."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    found = re.search(rf"^{re.escape(block)} = \[(.*?)\]$", text, re.MULTILINE | re.DOTALL)
    assert found is not None, block
    requirements = [Requirement(quoted) for quoted in re.findall(r'"([^"]+)"', found.group(1))]
    assert requirements, block
    return requirements


@pytest.mark.parametrize(
    ("block", "lock"),
    [("dependencies", "runtime"), ("dependencies", "dev"), ("dev", "dev"), ("requires", "build")],
)
def test_the_ranges_of_the_project_cover_what_is_locked(block: str, lock: str) -> None:
    versions: dict[str, list[str]] = {}
    for requirement, _ in locked(lock):
        exact = next(iter(requirement.specifier)).version
        versions.setdefault(canonicalize_name(requirement.name), []).append(exact)
    for requirement in wanted(block):
        found = versions.get(canonicalize_name(requirement.name))
        assert found, f"{requirement.name} is not in requirements/{lock}.lock: run make lock"
        assert all(requirement.specifier.contains(version) for version in found), requirement


def test_both_locks_agree() -> None:
    runtime = {(entry.name, str(entry.specifier), str(entry.marker)) for entry, _ in locked("runtime")}
    dev = {(entry.name, str(entry.specifier)) for entry, _ in locked("dev")}
    assert {(name, specifier) for name, specifier, _ in runtime} <= dev


# litellm 1.82.7 and 1.82.8 ran code from such a file at every start of Python (PYSEC-2026-2).
def test_no_installed_package_runs_code_when_python_starts() -> None:
    folders = [Path(folder) for folder in site.getsitepackages()]
    assert any(folder.is_dir() for folder in folders)
    for folder in folders:
        for file in folder.glob("*.pth"):
            for line in file.read_text(encoding="utf-8").splitlines():
                assert not re.match(r"import[ \t]", line), f"{file} runs code: {line}"
        assert not (folder / "sitecustomize.py").exists()
        assert not (folder / "usercustomize.py").exists()
