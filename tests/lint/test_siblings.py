"""Tools that stand in modules beside the file: read there, and judged where they stand."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from adal_ls.lint import ModuleText, check, check_beside, read, tools_with_problems
from adal_ls.lint.session import open_text
from adal_ls.worker.client import WorkerClient
from tests.lint.marks import F, fixed, marked

SEARCH = '''\
def find(q: str, order: Order, n: int = 3) -> str:
    """Find it.

    Args:
        q: What to find.
    """
    return q
'''
HELPERS = f'''\
from models import Order

LIMIT = 3


{SEARCH}

def _private(): ...


class Desk:
    def look(self, q: str) -> str:
        """Look it up."""
        return q


desk = Desk()
OTHERS = [find, {{"function": desk.look, "require_approval": False}}]
'''
MODELS = "from dataclasses import dataclass\n\n\n@dataclass\nclass Order:\n    number: int\n"
FILES = {
    "helpers.py": HELPERS,
    "models.py": MODELS,
    "chosen.py": f"from models import *\n__all__ = ['find']\n{SEARCH}\ndef other(x: int):\n    pass\n",
    "pack/__init__.py": "from .deep import dig\n",
    "pack/deep.py": 'def dig(x: int) -> int:\n    """Dig."""\n    return x\n',
    "lists.py": f"from models import Order\n{SEARCH}\nCUSTOM_TOOLS = [find]\n",
    "circle.py": "from circle2 import *\nfrom circle2 import there\n\n\ndef here(x: int): ...\n",
    "circle2.py": "import circle\n\n\ndef there(x: int): ...\n",
}


class Folder:
    """Modules in memory."""

    def __init__(self, files: dict[str, str]) -> None:
        self.texts = {path: ModuleText(path, text, path.endswith("__init__.py")) for path, text in files.items()}

    def __call__(self, name: str) -> ModuleText | None:
        base = name.replace(".", "/")
        return self.texts.get(f"{base}/__init__.py") or self.texts.get(f"{base}.py")

    def put(self, path: str, text: str) -> None:
        self.texts[path] = ModuleText(path, text)


LISTS = [
    ("from helpers import find\nCUSTOM_TOOLS = [find]", ["find"]),
    ("from helpers import find as f2\nCUSTOM_TOOLS = [{'function': f2, 'name': 'seek'}, f2]", ["seek", "find"]),
    ("import helpers\nCUSTOM_TOOLS = [helpers.find, helpers.desk.look]", ["find", "look"]),
    ("import helpers as h\nCUSTOM_TOOLS = [h.find]", ["find"]),
    ("from helpers import desk, Desk\nCUSTOM_TOOLS = [desk.look]", ["look"]),
    ("from helpers import *\nCUSTOM_TOOLS = [find, desk.look]", ["find", "look"]),
    ("from chosen import *\nCUSTOM_TOOLS = [find]", ["find"]),
    ("from helpers import OTHERS\nCUSTOM_TOOLS = OTHERS", ["find", "look"]),
    ("import helpers\nfrom pack import dig\nCUSTOM_TOOLS = [dig, *helpers.OTHERS]", ["dig", "find", "look"]),
    ("from helpers import OTHERS as CUSTOM_TOOLS", ["find", "look"]),
    ("from lists import *", ["find"]),
    ("from lists import *\nfrom pack import dig\nCUSTOM_TOOLS.append(dig)", ["find", "dig"]),
    ("from helpers import *\nfrom lists import *\nCUSTOM_TOOLS += [desk.look]", ["find", "look"]),
    ("from helpers import *\nCUSTOM_TOOLS = OTHERS", ["find", "look"]),
    ("import pack.deep\nCUSTOM_TOOLS = [pack.deep.dig]", ["dig"]),
    ("from pack import deep\nCUSTOM_TOOLS = [deep.dig]", ["dig"]),
    ("from helpers import LIMIT, find\nCUSTOM_TOOLS = [t for t in (find,)]", ["find"]),
    ("from functools import partial\nimport helpers\n"
     "CUSTOM_TOOLS = [{'function': partial(helpers.find, n=LIMIT), 'name': 'few'}]\n".replace("LIMIT", "1"), ["few"]),
    ("from circle import here, there\nCUSTOM_TOOLS = [here, there]", ["here", "there"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "names"), LISTS, ids=[text for text, _ in LISTS])
async def test_tools_of_other_modules_are_those_that_the_worker_gets(
    text: str, names: list[str], tmp_path: Path
) -> None:
    file = read(text + "\n", Folder(FILES))
    assert {finding.code for finding in check(file)} <= {"ADAL307"}
    assert [tool.name for tool in file.tools] == names
    for path, content in {**FILES, "tools.py": text}.items():
        target = tmp_path / ".adal" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, encoding="utf-8")
    worker = await WorkerClient.start(sys.executable, tmp_path)
    try:
        loaded = await worker.load()
    finally:
        await worker.close()
    assert loaded.error is None
    static = [(tool.name, tool.description, tool.parameters, tool.require_approval) for tool in file.tools]
    assert static == [(t.name, t.description, t.parameters, t.require_approval) for t in loaded.tools]


def test_what_is_wrong_with_a_function_is_said_where_it_stands_and_its_name_where_it_is_listed() -> None:
    helpers = 'def bash(q, *rest):\n    """Run."""\n\n\ndef unlisted(q, *rest): ...\n'
    source = "from helpers import bash\nCUSTOM_TOOLS = [bash]\n"
    file = read(source, Folder({"helpers.py": helpers}))
    [finding] = check(file)
    assert (finding.code, marked(source, finding), finding.range.start.line) == ("ADAL104", "bash", 1)
    [(module, found)] = check_beside(file).items()
    assert (module.key, [one.code for one in found]) == ("helpers.py", ["ADAL303", "ADAL301"])
    assert {one.range.start.line for one in found} == {0}
    [tool] = tools_with_problems(file, check(file))
    assert tool.problems == ("ADAL104",)


def test_an_ignore_in_the_module_silences_what_is_said_there() -> None:
    helpers = 'def find(q: str, *rest):  # adal: ignore[ADAL301]\n    """Find."""\n'
    file = read("from helpers import find\nCUSTOM_TOOLS = [find]\n", Folder({"helpers.py": helpers}))
    assert check_beside(file) == {}


def test_a_tool_that_runs_unasked_is_told_at_its_entry() -> None:
    helpers = 'import os\n\n\ndef wipe(q: str) -> None:\n    """Wipe."""\n    os.remove(q)\n'
    source = 'from helpers import wipe\nCUSTOM_TOOLS = [{"function": wipe, "require_approval": False}]\n'
    file = read(source, Folder({"helpers.py": helpers}))
    assert [(one.code, marked(source, one)) for one in check(file)] == [("ADAL601", "False")]
    assert check_beside(file) == {}


def test_a_list_that_functions_of_its_module_add_to_is_known_at_run_time_only() -> None:
    registry = "TOOLS = []\n\n\ndef tool(f):\n    TOOLS.append(f)\n    return f\n"
    source = f"from registry import TOOLS, tool\n\n\n@tool\n{F}CUSTOM_TOOLS = TOOLS\n"
    assert "ADAL209" in [finding.code for finding in check(read(source, Folder({"registry.py": registry})))]


async def test_a_relative_import_fails_when_the_file_is_loaded_and_is_mended(tmp_path: Path) -> None:
    source = "from .helpers import find\n\nCUSTOM_TOOLS = [find]\n"
    [finding] = check(read(source, Folder(FILES)))
    assert (finding.code, marked(source, finding)) == ("ADAL216", ".helpers")
    folder = tmp_path / ".adal"
    folder.mkdir()
    (folder / "tools.py").write_text(source)
    worker = await WorkerClient.start(sys.executable, tmp_path)
    try:
        loaded = await worker.load()
    finally:
        await worker.close()
    assert loaded.error is not None
    after = fixed(source, finding.fixes[0])
    assert after.startswith("from helpers import find\n")
    assert check(read(after, Folder(FILES))) == []


@pytest.mark.parametrize(
    "source",
    [
        "try:\n    from .helpers import find\nexcept ImportError:\n    from helpers import find\n\n"
        "CUSTOM_TOOLS = [find]\n",
        "def later():\n    try:\n        from . import x\n    except ImportError:\n        x = 1\n\n\n"
        "CUSTOM_TOOLS = []\n",
    ],
)
def test_a_relative_import_that_may_fail_is_no_finding(source: str) -> None:
    assert [finding.code for finding in check(read(source, Folder(FILES)))] == []


def test_a_relative_import_in_a_function_fails_when_that_is_called() -> None:
    source = f"{F.replace('return x', 'from .helpers import find; return find(x)')}CUSTOM_TOOLS = [f]\n"
    [finding] = [one for one in check(read(source, Folder(FILES))) if one.code == "ADAL216"]
    assert (marked(source, finding), finding.severity.value) == (".helpers", "warning")
    assert "when the function is called" in finding.message
    assert "    from helpers import find; return" in fixed(source, finding.fixes[0])


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("from helpers import fnd\nCUSTOM_TOOLS = []\n", "fnd"),
        ("import helpers\nCUSTOM_TOOLS = [helpers.fnd]\n", "helpers.fnd"),
    ],
)
def test_a_name_that_the_module_does_not_have_is_told(source: str, place: str) -> None:
    [finding] = check(read(source, Folder(FILES)))
    assert (finding.code, marked(source, finding)) == ("ADAL217", place)


@pytest.mark.parametrize(
    ("source", "helpers"),
    [
        ("from helpers import x", "from elsewhere import *\n"),
        ("from helpers import x", "def __getattr__(name): ...\n"),
        ("from helpers import x", "def f(:\n    x = 1\nx = (\n"),
        ("from helpers import __doc__", ""),
        ("from json import x", ""),
        ("from elsewhere import x", ""),
    ],
)
def test_a_name_that_the_module_may_have_is_no_finding(source: str, helpers: str) -> None:
    folder = Folder({"helpers.py": helpers, "json.py": ""})
    assert [f.code for f in check(read(f"{source}\nCUSTOM_TOOLS = []\n", folder))] == []


def test_a_name_that_a_star_import_does_not_bring_is_undefined() -> None:
    source = "from chosen import *\nCUSTOM_TOOLS = [other]\n"
    assert [finding.code for finding in check(read(source, Folder(FILES)))] == ["ADAL207"]


IMPORTS = ("from helpers import *\n", "from helpers import find\n", "import helpers\n", "from helpers import OTHERS\n")
ENTRIES = ("find", "helpers.find", "*OTHERS", "desk.look", "f")


@pytest.mark.parametrize("seed", range(5))
def test_after_changes_of_modules_and_of_the_file_all_is_as_if_read_anew(seed: int) -> None:
    rng = random.Random(seed)
    folder = Folder(FILES)
    variants = [
        HELPERS,
        "",
        "def find(): ...\n",
        HELPERS.replace("q: str", "q"),
        "find = 3\nOTHERS = []\n",
        "def find(\n",
    ]
    parts = [rng.choice(IMPORTS), F, "CUSTOM_TOOLS = [find]\n"]
    linted = open_text("".join(parts), resolve=folder)
    for _ in range(40):
        if rng.random() < 0.5:
            folder.put("helpers.py", rng.choice(variants))
            linted.refresh()
        elif rng.random() < 0.5:
            folder.put("models.py", rng.choice([MODELS, "", "class Order: ...\n"]))
            linted.refresh()
        else:
            line, new = (0, rng.choice(IMPORTS)) if rng.random() < 0.5 else (
                linted.text.count("\n") - 1, f"CUSTOM_TOOLS = [{', '.join(rng.sample(ENTRIES, 2))}]\n"
            )  # fmt: skip
            linted.replace(line, line, new)
        fresh = read(linted.text, folder)
        assert linted.findings() == check(fresh)
        assert linted.beside() == check_beside(fresh)
        assert [t.name for t in linted.reader()().tools] == [t.name for t in fresh.tools]


def test_nothing_is_another_answer_while_no_module_changes() -> None:
    linted = open_text("from helpers import find\nCUSTOM_TOOLS = [find]\n", resolve=Folder(FILES))
    assert not linted.refresh()
