"""Renames across the modules and packages of a folder: what the real worker loads is the same, under the new name."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from adal_ls.lint import ModuleText, read
from adal_ls.lint.authoring.rename import RenameError, prepare, rename
from adal_ls.lint.fixes.fixing import apply
from adal_ls.worker.client import WorkerClient
from tests.lint.cursors import at_cursor

FIND = 'def find(q: str, n: int = 3) -> str:\n    """Find it.\n\n    Args:\n        q: What.\n    """\n    return q\n'
DIG = 'def dig(depth: int) -> int:\n    """Dig."""\n    return depth if depth < 1 else dig(depth - 1)\n'

Files = dict[str, str]

PROJECTS: dict[str, tuple[str, Files, str]] = {
    "imported by name": (
        "from helpers import find\nCUSTOM_TOOLS = [$0find]\n",
        {"helpers.py": FIND},
        "from helpers import seek\nCUSTOM_TOOLS = [seek]\n",
    ),
    "attribute of a module": (
        "import helpers\nCUSTOM_TOOLS = [helpers.fi$0nd]\n",
        {"helpers.py": FIND},
        "import helpers\nCUSTOM_TOOLS = [helpers.seek]\n",
    ),
    "attribute of a package's module": (
        "import pack.deep\nCUSTOM_TOOLS = [pack.deep.$0find]\n",
        {"pack/__init__.py": "", "pack/deep.py": FIND},
        "import pack.deep\nCUSTOM_TOOLS = [pack.deep.seek]\n",
    ),
    "module of a package": (
        "from pack import deep\nCUSTOM_TOOLS = [deep.$0find]\n",
        {"pack/__init__.py": "", "pack/deep.py": FIND},
        "from pack import deep\nCUSTOM_TOOLS = [deep.seek]\n",
    ),
    "handed on by a package": (
        "from pack import find\nCUSTOM_TOOLS = [{'function': find$0}]\n",
        {"pack/__init__.py": "from .deep import find\n__all__ = ['find']\n", "pack/deep.py": FIND},
        "from pack import seek\nCUSTOM_TOOLS = [{'function': seek}]\n",
    ),
    "relative imports of a package": (
        "from pack.user import USED, find\nCUSTOM_TOOLS = [$0find]\n",
        {
            "pack/__init__.py": "",
            "pack/deep.py": FIND,
            "pack/user.py": "from .deep import find\nfrom . import deep\nUSED = [find, deep.find]\n",
        },
        "from pack.user import USED, seek\nCUSTOM_TOOLS = [seek]\n",
    ),
    "all names": (
        "from helpers import *\nCUSTOM_TOOLS = [$0find]\n",
        {"helpers.py": FIND},
        "from helpers import *\nCUSTOM_TOOLS = [seek]\n",
    ),
    "a list of another module": (
        "from helpers import find, TOOLS\nCUSTOM_TOOLS = TOOLS\nfind$0\n",
        {"helpers.py": f"{FIND}TOOLS = [find]\n"},
        "from helpers import seek, TOOLS\nCUSTOM_TOOLS = TOOLS\nseek\n",
    ),
    "through a second module": (
        "import second\nfrom first import find\nCUSTOM_TOOLS = [$0find, second.other]\n",
        {
            "first.py": FIND,
            "second.py": 'import first\n\n\ndef other(x: int):\n    """O."""\n    return first.find("")\n',
        },
        "import second\nfrom first import seek\nCUSTOM_TOOLS = [seek, second.other]\n",
    ),
    "defined here, used elsewhere": (
        f"{FIND}import late\nCUSTOM_TOOLS = [find$0]\n",
        {"late.py": "def use():\n    from tools import find\n    return find\n"},
        f"{FIND.replace('find', 'seek')}import late\nCUSTOM_TOOLS = [seek]\n",
    ),
    "the name of an entry": (
        "from helpers import find\nCUSTOM_TOOLS = [{'function': find, 'name': 'find$0'}]\n",
        {"helpers.py": FIND},
        "from helpers import find\nCUSTOM_TOOLS = [{'function': find, 'name': 'seek'}]\n",
    ),
}


def module_name(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def renamed(tools: str, files: Files, new: str) -> Files:
    """The files after a rename at the cursor."""
    text, place = at_cursor(tools)
    texts = {"tools.py": text, **files}
    known = {module_name(path): ModuleText(path, one, path.endswith("__init__.py")) for path, one in files.items()}
    modules = {module_name(path): read(one, known.get) for path, one in texts.items()}
    assert prepare(modules["tools"], place) is not None
    edits = rename(modules, "tools", place, new)
    return {path: apply(modules[module_name(path)], edits.get(module_name(path), ())) for path, one in texts.items()}


async def loaded(root: Path, files: Files) -> list[tuple[Any, ...]]:
    """The tools that the real worker makes of files."""
    for path, text in files.items():
        file = root / ".adal" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    worker = await WorkerClient.start(sys.executable, root)
    try:
        project = await worker.load()
    finally:
        await worker.close()
    assert project.error is None
    assert project.problems == ()
    return [(tool.name, tool.description, tool.parameters, tool.require_approval) for tool in project.tools]


@pytest.mark.parametrize(("tools", "files", "after"), PROJECTS.values(), ids=PROJECTS.keys())
async def test_the_worker_loads_the_same_tools_under_the_new_name(
    tools: str, files: Files, after: str, tmp_path: Path
) -> None:
    before = {"tools.py": tools.replace("$0", ""), **files}
    changed = renamed(tools, files, "seek")
    assert changed["tools.py"] == after
    was = await loaded(tmp_path / "before", before)
    now = await loaded(tmp_path / "after", changed)
    assert now == [("seek" if name == "find" else name, *rest) for name, *rest in was]
    assert now != was


def test_a_name_that_an_import_gives_changes_there_alone() -> None:
    changed = renamed("from helpers import find as f2\nCUSTOM_TOOLS = [f2$0]\n", {"helpers.py": FIND}, "other")
    assert changed == {
        "tools.py": "from helpers import find as other\nCUSTOM_TOOLS = [other]\n",
        "helpers.py": FIND,
    }


@pytest.mark.parametrize(
    ("tools", "new", "words"),
    [
        ("from helpers import find\nCUSTOM_TOOLS = [find$0]\n", "bash", "reserved for a built-in tool"),
        ("import helpers\nCUSTOM_TOOLS = [helpers.find$0]\n", "read_file", "reserved for a built-in tool"),
        ("import helpers\nCUSTOM_TOOLS = [helpers.find$0, helpers.dig]\n", "dig", "already has a meaning"),
        (
            "import helpers\ndef other(x: int): ...\nCUSTOM_TOOLS = [helpers.find$0, other]\n",
            "other",
            "'other' is already used",
        ),
        ("from helpers import *\nCUSTOM_TOOLS = [find$0]\n", "_find", "would be another one"),
        ("from helpers import *\nCUSTOM_TOOLS = [find$0]\n", "class", "is a Python keyword"),
        ("from json import dumps\nCUSTOM_TOOLS = [dumps$0]\n", "seek", "outside"),
    ],
)
def test_what_would_break_a_rule_or_lose_a_tool_is_refused(tools: str, new: str, words: str) -> None:
    with pytest.raises(RenameError, match=words):
        renamed(tools, {"helpers.py": f"{FIND}\n\n{DIG}", "json.py": "def dumps(): ...\n"}, new)


def test_a_method_of_an_object_is_not_renamed_by_guess() -> None:
    text, place = at_cursor("from helpers import desk\nCUSTOM_TOOLS = [desk.$0look]\n")
    helpers = 'class Desk:\n    def look(self, q: str):\n        """L."""\n\n\ndesk = Desk()\n'
    assert prepare(read(text, {"helpers": ModuleText("helpers", helpers)}.get), place) is None
