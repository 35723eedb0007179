"""What a person is told to do about a module that is not found: a command that helps, or none."""

from __future__ import annotations

import shlex
import sys

import pytest

from adal_ls.worker.install import install_command
from tests.worker.conftest import Loaded

TOOLS = '''

def f() -> str:
    """Do f."""
    return "x"


CUSTOM_TOOLS = [f]
'''


@pytest.mark.parametrize(
    ("line", "files", "told"),
    [
        ("import yaml_not_here", {}, "if the package has the same name: {python} -m pip install yaml_not_here"),
        ("import fitz", {}, "; install it with: {python} -m pip install PyMuPDF"),
        ("from skimage import io", {}, "; install it with: {python} -m pip install scikit-image"),
        ("import xml.nothing", {}, "'xml' belongs to Python itself, and has no such module in Python 3"),
        ("import winreg", {}, "'winreg' belongs to Python itself, and is missing in Python 3"),
        ("import pydantic.nothing", {}, "another version may: {python} -m pip install --upgrade pydantic"),
        ("import own.nothing", {"own/__init__.py": ""}, "own/__init__.py, and has no such module in it"),
    ],
)
async def test_the_way_out_fits_the_module(loaded: Loaded, line: str, files: dict[str, str], told: str) -> None:
    if "winreg" in line and sys.platform == "win32":
        line, told = "import pwd", told.replace("winreg", "pwd")
    _, project = await loaded(line + TOOLS, files)
    assert project.error is not None
    assert project.error.kind == "missing-module"
    assert told.format(python=sys.executable) in project.error.message
    assert ("pip install" in project.error.message) is ("pip install" in told)


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of POSIX")
def test_the_command_is_one_that_a_shell_takes_also_where_the_path_has_blanks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/my project/.venv/bin/python")
    assert install_command("'x'") == "'/my project/.venv/bin/python' -m pip install 'x'"
    assert shlex.split(install_command("yaml"))[0] == sys.executable
