from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

TOOLS = '''
from adalflow.core.types import ToolOutput


def greet(name: str, times: int = 1) -> ToolOutput:
    """Greet."""
    if not name:
        raise ValueError("whom?")
    return ToolOutput(output={"times": times}, observation=f"hello {name} " * times, display=name)


async def later(n: int) -> int:
    """Later."""
    return n + 1


CUSTOM_TOOLS = [greet, {"function": later, "name": "soon"}, {"function": later, "name": "bash"}]
'''

TESTS = """
import pytest
from adalflow.core.types import ToolOutput


def test_a_tool_is_called_as_a_model_calls_it(adal_tools):
    assert adal_tools.names == ["greet", "soon"]
    result = adal_tools.call("greet", name="Ada", times="2")
    assert (result.status, result.output, result.observation, result.display) == (
        "success", {"times": 2}, "hello Ada hello Ada ", "Ada"
    )
    assert adal_tools.schema("greet")["required"] == ["name"]


def test_async_tools_and_faults_are_results(adal_tools):
    assert adal_tools.call("soon", n=1).output == 2
    failed = adal_tools.call("greet", name="")
    assert failed.status == "error"
    assert "whom?" in failed.observation
    assert "tools.py" in failed.metadata["trace"]
    assert "missing argument 'name'" in adal_tools.call("greet").observation
    with pytest.raises(LookupError, match="the tools there are: greet, soon") as unknown:
        adal_tools.call("gret")
    assert unknown.value.__context__ is None


async def test_in_async_tests_too(adal_tools):
    assert (await adal_tools.acall("soon", n=1)).output == 2
    with pytest.raises(RuntimeError, match="acall"):
        adal_tools.call("soon", n=1)


def test_the_class_is_there_without_adalflow():
    assert ToolOutput("a").status == "success"
"""


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "adal_ls.pytest", "-o", "asyncio_mode=auto", "-q", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".adal").mkdir()
    (tmp_path / ".adal" / "tools.py").write_text(TOOLS)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_tools.py").write_text(TESTS)
    return tmp_path


def test_tools_are_tested_without_adalflow_and_without_an_agent(project: Path) -> None:
    done = run(project)
    assert "4 passed" in done.stdout, done.stdout + done.stderr


def test_the_project_can_be_named_and_without_one_it_says_so(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "test_tools.py").write_text(TESTS)
    done = run(elsewhere, "-k", "model")
    assert "name one by the ini option adal_project" in done.stdout
    done = run(elsewhere, "-k", "model", "-o", f"adal_project={project}")
    assert "1 passed" in done.stdout, done.stdout


def test_the_plugin_is_found_by_pytest_where_the_package_is_installed() -> None:
    found = [entry for entry in entry_points(group="pytest11") if entry.value == "adal_ls.pytest"]
    declared = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    assert '"adal_ls.pytest" = "adal_ls.pytest"' in declared
    assert all(entry.name == "adal_ls.pytest" for entry in found)
