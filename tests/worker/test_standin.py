"""`from adalflow.core.types import ToolOutput` with, without and beside the real package."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

import pytest

from adal_ls.worker.standin import wanted_of_adalflow
from tests.worker.conftest import Loaded, Project, Workers

FIRST_EXAMPLE = """
from adalflow.core.types import ToolOutput


def create_jira_ticket(title: str, description: str, priority: str = "Medium") -> ToolOutput:
    '''Create a Jira ticket in the current sprint.

    Args:
        title: Short summary of the ticket.
        description: Detailed description of the work.
        priority: Priority level — Low, Medium, High, or Critical.
    '''
    return ToolOutput(
        output={"key": "A-1"},
        observation=f"Created ticket A-1: {title}",
        display="🎫 A-1",
        status="success",
    )


CUSTOM_TOOLS = [create_jira_ticket]
"""


async def test_the_first_example_of_the_document_works_without_adalflow(loaded: Loaded) -> None:
    # By what is installed: a test before may have left the stand-in among this process's modules.
    assert not any(importlib.metadata.packages_distributions().get("adalflow", []))
    worker, found = await loaded(FIRST_EXAMPLE)
    assert found.error is None
    assert found.tools[0].parameters["properties"]["priority"] == {
        "type": "string",
        "description": "Priority level — Low, Medium, High, or Critical.",
        "default": "Medium",
    }
    result = await worker.call("create_jira_ticket", {"title": "t", "description": "d"})
    assert (result.output, result.observation, result.display, result.status) == (
        {"key": "A-1"},
        "Created ticket A-1: t",
        "🎫 A-1",
        "success",
    )


async def test_asking_for_more_than_it_has_says_that_adalflow_is_not_installed(loaded: Loaded) -> None:
    _, found = await loaded("import adalflow\nfrom adalflow import Agent\n")
    assert found.error is not None
    assert found.error.line == 2
    assert "adalflow is not installed" in found.error.message
    assert "-m pip install adalflow" in found.error.message


REAL = {
    "lib/adalflow/__init__.py": "print('real adalflow')\n",
    "lib/adalflow/core/__init__.py": "",
    "lib/adalflow/core/types.py": "class ToolOutput:\n    pass\nclass Other:\n    pass\n",
}


@pytest.mark.parametrize(
    ("source", "real"),
    [
        ("from adalflow.core.types import ToolOutput\n", False),
        ("from adalflow.core.types import ToolOutput, Other\n", True),
        ("import adalflow\n", True),
        ("import helpers\nfrom adalflow.core.types import ToolOutput\n", True),
        ("import light\n", False),
        ("def f():\n    from adalflow.core.types import Other\n", True),
    ],
)
async def test_the_real_package_is_used_where_more_of_it_is_needed(
    project: Project, workers: Workers, tmp_path: Path, source: str, real: bool
) -> None:
    import sys
    import venv

    environment = tmp_path / "env"
    venv.create(environment, system_site_packages=False, with_pip=False, symlinks=True)
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    site = environment / "lib" / version / "site-packages"
    (site / "host.pth").write_text(str(Path(importlib.util.find_spec("pydantic").origin).parent.parent))  # type: ignore[union-attr,arg-type]
    for name, text in REAL.items():
        path = site / Path(name).relative_to("lib")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    root = project(
        source
        + "import sys\ndef f():\n    return [name for name in sys.modules if 'adalflow' in name]\nCUSTOM_TOOLS = [f]\n"
        if "def f" not in source
        else source + "    return 1\nCUSTOM_TOOLS = [f]\n",
        {
            "helpers.py": "import adalflow.core.types\n",
            "light.py": "from adalflow.core.types import ToolOutput\n",
        },
    )
    worker = await workers(root, interpreter=str(environment / "bin" / "python"))
    found = await worker.load()
    assert found.error is None
    assert ("real adalflow" in found.output) is real


async def test_a_real_package_that_cannot_be_imported_is_replaced(loaded: Loaded) -> None:
    worker, found = await loaded(
        """
        import adalflow.core.types as types

        def f():
            return types.ToolOutput("ok", "seen")

        CUSTOM_TOOLS = [f]
        """,
        {"adalflow/__init__.py": "raise ConnectionError('no network')\n"},
    )
    assert found.error is None
    assert (await worker.call("f", {})).observation == "seen"


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("import json\n", set()),
        ("from adalflow.core.types import ToolOutput\n", {"ToolOutput"}),
        ("from adalflow import ToolOutput as Out\n", {"ToolOutput"}),
        ("from adalflow.core.types import (\n    ToolOutput,\n    Other,\n)\n", {"ToolOutput", "Other"}),
        ("from adalflow.core import *\n", {"*"}),
        ("from adalflow.components import ToolOutput\n", {""}),
        ("import adalflow\n", {""}),
        ("import adalflow.core.types as t\n", {""}),
        ("class A:\n    def f(self):\n        return [lambda: __import__, g]\n", set()),
        ("class A:\n    def f(self):\n        import adalflow\n", {""}),
        ("from . import adalflow\n", set()),
        ("adalflow = 1\nprint(adalflow.ToolOutput)\n", set()),
        ("\n".join(f"n{i} = {i + 1000}" for i in range(400)) + "\nfrom adalflow import Other\n", {"Other"}),
    ],
)
def test_what_a_file_takes_from_adalflow_is_seen_without_running_it(
    tmp_path: Path, source: str, wanted: set[str]
) -> None:
    assert wanted_of_adalflow(compile(source, "tools.py", "exec"), str(tmp_path)) == wanted


def test_the_scan_follows_local_modules_once(tmp_path: Path) -> None:
    code = compile("import a\n", "tools.py", "exec")
    (tmp_path / "a.py").write_text("import b\nfrom adalflow import ToolOutput\n")
    (tmp_path / "b.py").write_text("import a\nthis is no python\n")
    assert wanted_of_adalflow(code, str(tmp_path)) == {"ToolOutput"}
    (tmp_path / "b.py").write_text("import a\nfrom pack import deep\n")
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").write_text("")
    (tmp_path / "pack" / "deep.py").write_text("import adalflow\n")
    assert wanted_of_adalflow(code, str(tmp_path)) == {"ToolOutput", ""}
