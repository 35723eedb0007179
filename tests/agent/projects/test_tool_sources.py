"""What belongs to a tool's code: an edit of another tool asks nothing again, one of anything that can matter does."""

from __future__ import annotations

from pathlib import Path

import pytest

from adal_ls.agent.approvals.digest import bytes_digest
from adal_ls.agent.projects.tool_sources import tool_digests

FILE = '''\
"""Tools."""
import json
from helper import word

LIMIT = 3


def shared(text: str) -> str:
    return text[:LIMIT]


def first(text: str, count: int = 2) -> str:
    """First."""
    return shared(text) * count


def second(text: str) -> str:
    """Second."""
    return word(text)


def third() -> str:
    return first("x")


CUSTOM_TOOLS = [first, {"function": second, "name": "zweite", "require_approval": True}, third]
'''
TOOLS = ["first", "zweite", "third"]


class Files:
    """A project folder whose files all count as loaded, but those named in `lazy`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.write(".adal/tools.py", FILE)
        self.write(".adal/helper.py", "def word(text):\n    return text.split()[0]\n")

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def digests(self, *lazy: str, tools: list[str] = TOOLS) -> dict[str, str]:
        loaded = [".adal/tools.py", *(path for path in (".adal/helper.py", *lazy) if path not in lazy)]
        sources = {path: bytes_digest((self.root / path).read_bytes()) for path in loaded}
        return tool_digests(self.root, sources, tools)

    def asks_again(self, path: str, old: str, new: str, *lazy: str) -> set[str]:
        """The tools whose digest an edit changes."""
        before = self.digests(*lazy)
        text = (self.root / path).read_text()
        assert old in text
        self.write(path, text.replace(old, new, 1))
        after = self.digests(*lazy)
        return {name for name in TOOLS if before.get(name) != after.get(name) or name not in after}


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


ALL = set(TOOLS)


@pytest.mark.parametrize(
    ("old", "new", "asks"),
    [
        ("return word(text)", "return word(text) + '!'", {"zweite"}),
        ("return shared(text) * count", "return shared(text)", {"first", "third"}),  # third calls first
        ("count: int = 2", "count: int = 5", {"first", "third"}),
        ('"""Second."""', '"""Another."""', {"zweite"}),
        ('return first("x")', 'return first("y")', {"third"}),
        # What belongs to no tool belongs to all.
        ("LIMIT = 3", "LIMIT = 4", ALL),
        ("return text[:LIMIT]", "return text", ALL),
        ("import json", "import ast as json", ALL),
        ('"""Tools."""', '"""Mine."""', ALL),
        ("LIMIT = 3", "LIMIT = 3\nprint('x')", ALL),
        # The list: each tool's own entry.
        ('"require_approval": True', '"require_approval": False', {"zweite"}),
        ("CUSTOM_TOOLS = [first,", "def more():\n    return 1\n\n\nCUSTOM_TOOLS = [more, first,", set()),
        ("CUSTOM_TOOLS = [first,", "first.x = 1\nCUSTOM_TOOLS = [first,", ALL),
        (", third]", "]", ALL),  # from now on a function of everybody's
        # Blank lines and comments between statements are no code.
        ("LIMIT = 3\n\n\n", "LIMIT = 3\n\n# a comment\n\n\n\n", set()),
    ],
)
def test_an_edit_makes_those_tools_ask_again_whose_code_it_can_change(
    files: Files, old: str, new: str, asks: set[str]
) -> None:
    assert files.asks_again(".adal/tools.py", old, new) == asks


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # A decorator runs when the file is loaded, and may do anything with what it gets.
        ("def second(text: str)", "@shared\ndef second(text: str)"),
        # So does what is called for a default or a hint.
        ("def second(text: str)", "def second(text: str = shared('a'))"),
        ("def second(text: str)", "def second(text: shared('a'))"),
        ("def second(text: str) -> str:", "def second(text: str) -> [shared(x) for x in 'ab']:"),
        ("def second(text: str) -> str:\n", "def second(text: str) -> str:\n    global first\n"),
    ],
)
def test_a_function_that_does_something_when_it_is_defined_counts_for_all(files: Files, old: str, new: str) -> None:
    assert files.asks_again(".adal/tools.py", old, new) == ALL
    assert files.asks_again(".adal/tools.py", "return word(text)", "return 'x'") == ALL


def test_the_decorator_of_a_tool_is_part_of_its_code(files: Files) -> None:
    files.write(".adal/tools.py", FILE.replace("def third", "@helper_of\ndef third").replace(
        "def shared", "def helper_of(f):\n    return f\n\n\ndef shared"))  # fmt: skip
    assert files.asks_again(".adal/tools.py", "    return f\n", "    return lambda: 'evil'\n") == ALL


@pytest.mark.parametrize(
    "reached",
    [
        "def shared(text: str) -> str:\n    return second(text)",
        "LIMIT = second",
        "second = shared",
        "class second: pass",
        "from json import loads as second",
        "second.flag = True",
    ],
)
def test_a_tool_that_other_code_of_the_file_reaches_counts_for_all(files: Files, reached: str) -> None:
    files.write(".adal/tools.py", FILE.replace("LIMIT = 3", f"LIMIT = 3\n\n{reached}"))
    assert files.asks_again(".adal/tools.py", "return word(text)", "return 'x'") == ALL


@pytest.mark.parametrize(
    "listing",
    [
        "CUSTOM_TOOLS = [first, second] + [third]",
        "CUSTOM_TOOLS = list((first, second, third))",
        "CUSTOM_TOOLS = [first, second]\nCUSTOM_TOOLS.append(third)",
        "CUSTOM_TOOLS = [first, shared(second), third]",
        "CUSTOM_TOOLS = [first, second, *[third]]",
        "if LIMIT:\n    CUSTOM_TOOLS = [first, second, third]",
        "CUSTOM_TOOLS = OTHER = [first, second, third]",
    ],
)
def test_a_list_that_is_not_written_out_makes_the_whole_file_count(files: Files, listing: str) -> None:
    files.write(".adal/tools.py", FILE[: FILE.index("CUSTOM_TOOLS")] + listing + "\n")
    assert files.asks_again(".adal/tools.py", "return word(text)", "return 'x'") == ALL


def test_statements_that_share_a_line_make_the_whole_file_count(files: Files) -> None:
    files.write(".adal/tools.py", FILE.replace("LIMIT = 3", "LIMIT = 3; OTHER = 4"))
    assert files.asks_again(".adal/tools.py", "return word(text)", "return 'x'") == ALL


def test_a_module_that_was_loaded_counts_for_all(files: Files) -> None:
    assert files.asks_again(".adal/helper.py", "[0]", "[-1]") == ALL


@pytest.mark.parametrize(
    ("statement", "path"),
    [
        ("import later", ".adal/later.py"),
        ("from later import x", ".adal/later.py"),
        ("import pack.deep", ".adal/pack/deep.py"),
        ("from pack import deep", ".adal/pack/deep.py"),
        ("from pack.deep import x", ".adal/pack/__init__.py"),
        ("import later as other", "later.py"),
    ],
)
def test_a_module_that_is_imported_only_when_a_tool_is_called_counts(files: Files, statement: str, path: str) -> None:
    files.write(".adal/tools.py", FILE.replace("return word(text)", f"{statement}\n    return 'x'"))
    files.write(path, "x = 1\n")
    assert files.asks_again(path, "1", "2", path) == ALL


def test_so_does_a_module_that_such_a_module_imports(files: Files) -> None:
    files.write(".adal/tools.py", FILE.replace("return word(text)", "import later\n    return 'x'"))
    files.write(".adal/later.py", "from . import deeper\nfrom deepest import x\n")
    files.write(".adal/deeper.py", "x = 1\n")
    files.write(".adal/deepest.py", "x = 1\n")
    assert files.asks_again(".adal/deeper.py", "1", "2") == ALL
    assert files.asks_again(".adal/deepest.py", "1", "2") == ALL


@pytest.mark.parametrize(
    "way",
    [
        "import importlib\n    return importlib.import_module('sub.hidden').x",
        "return __import__('hidden').x",
        "exec(open('hidden.py').read())",
        "return eval(text)",
        "import sys\n    sys.path.append('sub')\n    import hidden",
        "import sys as system\n    system.path.append('sub')\n    import hidden",
        "from sys import path\n    path.append('sub')",
        "import sys\n    return sys.modules['x']",
        "return globals()['first'](text)",
        "import runpy\n    runpy.run_path('sub/hidden.py')",
        "import tools\n    return tools.first(text)",
        "from pickle import loads\n    return loads(text)",
    ],
)
def test_code_found_at_run_time_makes_the_whole_project_count(files: Files, way: str) -> None:
    files.write("sub/hidden.py", "x = 1\n")
    files.write(".venv/pyvenv.cfg", "")
    files.write("node_modules/x.py", "x = 1\n")
    files.write("env/pyvenv.cfg", "")
    files.write("env/lib/x.py", "x = 1\n")
    files.write(".adal/tools.py", FILE.replace("return word(text)", way))
    assert files.asks_again("sub/hidden.py", "1", "2") == ALL
    assert files.asks_again("env/lib/x.py", "1", "2") == set()
    assert files.asks_again("node_modules/x.py", "1", "2") == set()


def test_a_module_with_such_code_makes_the_whole_project_count_too(files: Files) -> None:
    files.write("sub/hidden.py", "x = 1\n")
    files.write(".adal/helper.py", "def word(text):\n    return eval(text)\n")
    assert files.asks_again("sub/hidden.py", "1", "2") == ALL


def test_too_large_a_project_gives_no_digest_and_so_no_remembered_answer(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adal_ls.agent.projects.project_modules._MOST_FILES", 3)
    files.write(".adal/tools.py", FILE.replace("return word(text)", "return eval(text)"))
    for number in range(5):
        files.write(f"m{number}.py", "")
    assert files.digests() == {}


@pytest.mark.parametrize("sources", [{}, {".adal/tools.py": bytes_digest(b"other")}])
def test_of_a_file_that_is_not_the_one_that_was_loaded_nothing_is_known(files: Files, sources: dict[str, str]) -> None:
    assert tool_digests(files.root, sources, TOOLS) == {}


def test_a_file_that_this_python_cannot_read_counts_with_the_whole_project(files: Files) -> None:
    files.write(".adal/tools.py", FILE + "\nnew syntax of a later Python\n")
    assert files.asks_again(".adal/helper.py", "[0]", "[-1]", ".adal/helper.py") == ALL


def test_a_tool_from_elsewhere_counts_the_whole_file(files: Files) -> None:
    before = files.digests(tools=["word", "first"])
    files.write(".adal/tools.py", FILE.replace("return word(text)", "return 'x'"))
    after = files.digests(tools=["word", "first"])
    assert before["word"] != after["word"]
    assert before["first"] == after["first"]
