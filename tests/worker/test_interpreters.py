"""The interpreter of the tools: any Python that is found here, and clear errors for those that cannot serve."""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from adal_ls.worker.client import WorkerStartError
from tests.worker.conftest import Project, Workers

TOOL = """
import json
import sys


def version(a: int, b: "list[str]" = []) -> str:
    '''Tell the version.'''
    return json.dumps([list(sys.version_info[:2]), a, b, "adal_ls.agent" in sys.modules])


CUSTOM_TOOLS = [version]
"""


def pythons() -> list[str]:
    """The current interpreter, and one of each other version that this machine has."""
    found = [shutil.which(f"python3.{minor}") for minor in range(8, 16)]
    found += [str(path) for path in sorted(Path.home().glob(".pyenv/versions/3.*/bin/python"))]
    by_version: dict[str, str] = {}
    for path in [sys.executable, *filter(None, found)]:
        tell = "import sys; print('%d.%d' % sys.version_info[:2])"
        answer = subprocess.run([path, "-c", tell], capture_output=True, text=True, check=False)
        if answer.returncode == 0:
            by_version.setdefault(answer.stdout.strip(), path)
    return list(by_version.values())


def has_pydantic(python: str) -> bool:
    return subprocess.run([python, "-I", "-c", "import pydantic"], capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("python", pythons())
async def test_a_python_serves_or_says_what_it_lacks(project: Project, workers: Workers, python: str) -> None:
    tell = "import sys; print(*sys.version_info[:2])"
    version = [int(part) for part in subprocess.run([python, "-c", tell], capture_output=True).stdout.split()]
    if version >= [3, 10] and has_pydantic(python):
        worker = await workers(project(TOOL), interpreter=python)
        assert (await worker.load()).error is None
        result = await worker.call("version", {"a": "1", "b": ["x"]})
        assert result.output == f'[[{version[0]}, {version[1]}], 1, ["x"], false]'
    else:
        with pytest.raises(WorkerStartError) as caught:
            await workers(project(TOOL), interpreter=python)
        wanted = "-m pip install pydantic" if version >= [3, 10] else "needs Python 3.10"
        assert wanted in str(caught.value)
        assert python in str(caught.value)


async def test_an_environment_without_pydantic_is_named_with_the_command_that_helps(
    project: Project, workers: Workers, tmp_path: Path
) -> None:
    folder = tmp_path / "bare"
    venv.create(folder, with_pip=False, symlinks=sys.platform != "win32")
    python = str(folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python"))
    with pytest.raises(WorkerStartError) as caught:
        await workers(project(TOOL), interpreter=python)
    assert f"{python} -m pip install pydantic" in str(caught.value)


async def test_an_interpreter_that_is_not_there_is_named(project: Project, workers: Workers) -> None:
    with pytest.raises(WorkerStartError, match="no_such_python"):
        await workers(project(TOOL), interpreter="/no_such_python")


async def test_a_program_that_is_no_python_is_named_with_what_it_said(
    project: Project, workers: Workers, tmp_path: Path
) -> None:
    program = tmp_path / "fake"
    program.write_text("#!/bin/sh\necho not a python\nexit 4\n")
    program.chmod(0o755)
    with pytest.raises(WorkerStartError, match=r"exit code 4.*not a python"):
        await workers(project(TOOL), interpreter=str(program))


async def test_only_this_package_of_the_hosts_environment_reaches_the_tools(
    project: Project, workers: Workers, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "hostile.py").write_text("raise RuntimeError")
    monkeypatch.setenv("PYTHONPATH", str(other))
    monkeypatch.setenv("PYTHONSTARTUP", str(other / "hostile.py"))
    worker = await workers(
        project("import sys\ndef paths() -> list:\n    return sys.path\nCUSTOM_TOOLS = [paths]\n"),
        interpreter=sys.executable,
    )
    await worker.load()
    paths = (await worker.call("paths", {})).output
    assert str(other) not in paths
    assert not any("adal_ls/worker" in path for path in paths)
    assert paths[-1] == str(tmp_path / ".adal")
