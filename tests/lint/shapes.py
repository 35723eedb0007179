"""How tools files make CUSTOM_TOOLS: what lint reads must be what the worker gets.

`f`, `g` and `h` are functions of each file. `computed`: only the run tells all of it, and lint says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field

HEAD = '''\
import functools
import itertools
import os
import sys
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, overload


def f(x: str) -> str:
    """Do f."""
    return x


def g(x: str, y: int = 2) -> str:
    """Do g.

    Args:
        y: How often.
    """
    return x * y


async def h(z: list[str]) -> list[str]:
    """Do h."""
    return z


'''


@dataclass(frozen=True)
class Shape:
    """`text` follows `HEAD`; `files` stand beside it."""

    text: str
    computed: bool = False
    files: dict[str, str] = field(default_factory=dict)

    @property
    def source(self) -> str:
        return HEAD + self.text + "\n"


_REGISTRY = "_TOOLS = []\n\n\ndef tool(function):\n    _TOOLS.append(function)\n    return function\n\n\n"
_FACTORY = '''\
def make(unit: str):
    """Makes a tool."""

    def convert(amount: float) -> str:
        """Convert it."""
        return f"{amount} {unit}"

    return convert


'''
_DESK = '''\
class Desk:
    """A desk."""

    def find(self, q: str) -> str:
        """Find a room."""
        return q

    @staticmethod
    def greet(who: str) -> str:
        """Greet."""
        return who

    @classmethod
    def open(cls, hour: int) -> int:
        """Open it."""
        return hour

    def __call__(self, text: str) -> str:
        """Ask the desk."""
        return text


desk = Desk()
'''

WRITTEN: dict[str, Shape] = {
    "list": Shape("CUSTOM_TOOLS = [f, g]"),
    "tuple": Shape("CUSTOM_TOOLS = f, g"),
    "annotated": Shape("CUSTOM_TOOLS: list = [f]"),
    "dict form": Shape('CUSTOM_TOOLS = [{"function": f, "name": "do", "require_approval": False}, g]'),
    "sum of displays": Shape("CUSTOM_TOOLS = [f] + [g] + [h]"),
    "sum with a list": Shape("OTHERS = [g, h]\nCUSTOM_TOOLS = [f] + OTHERS"),
    "sum with itself": Shape("CUSTOM_TOOLS = [f]\nCUSTOM_TOOLS = CUSTOM_TOOLS + [g]"),
    "sum of tuples": Shape("A = (f,)\nB = (g, h)\nCUSTOM_TOOLS = A + B"),
    "added": Shape("CUSTOM_TOOLS = [f]\nCUSTOM_TOOLS += [g]\nCUSTOM_TOOLS += (h,)"),
    "added to a tuple": Shape("CUSTOM_TOOLS = (f,)\nOLD = CUSTOM_TOOLS\nCUSTOM_TOOLS += (g,)"),
    "added list": Shape("MORE = [g]\nMORE += [h]\nCUSTOM_TOOLS = [f]\nCUSTOM_TOOLS += MORE"),
    "appended": Shape("CUSTOM_TOOLS = []\nCUSTOM_TOOLS.append(f)\nCUSTOM_TOOLS.append({'function': g, 'name': 'gg'})"),
    "extended": Shape("CUSTOM_TOOLS = [f]\nCUSTOM_TOOLS.extend([g, h])"),
    "extended by a generator": Shape("CUSTOM_TOOLS = [f]\nCUSTOM_TOOLS.extend(t for t in (g, h))"),
    "inserted": Shape("CUSTOM_TOOLS = [f, g]\nCUSTOM_TOOLS.insert(0, h)"),
    "inserted before the last": Shape("CUSTOM_TOOLS = [f, g]\nCUSTOM_TOOLS.insert(-1, h)"),
    "replaced element": Shape("CUSTOM_TOOLS = [f, g]\nCUSTOM_TOOLS[0] = h"),
    "replaced whole": Shape("CUSTOM_TOOLS = [f, g]\nCUSTOM_TOOLS[:] = [h]"),
    "removed": Shape("CUSTOM_TOOLS = [f, g, h]\nCUSTOM_TOOLS.remove(g)"),
    "popped": Shape("CUSTOM_TOOLS = [f, g, h]\nCUSTOM_TOOLS.pop()\nCUSTOM_TOOLS.pop(0)"),
    "deleted element": Shape("CUSTOM_TOOLS = [f, g, h]\ndel CUSTOM_TOOLS[1]"),
    "cleared": Shape("CUSTOM_TOOLS = [f]\nCUSTOM_TOOLS.clear()\nCUSTOM_TOOLS.append(g)"),
    "reversed": Shape("CUSTOM_TOOLS = [f, g]\nCUSTOM_TOOLS.reverse()"),
    "deleted and made again": Shape("CUSTOM_TOOLS = [f]\ndel CUSTOM_TOOLS\nCUSTOM_TOOLS = [g]"),
    "starred": Shape("BASE = [f, g]\nCUSTOM_TOOLS = [*BASE, h]"),
    "starred tuple display": Shape("CUSTOM_TOOLS = [*(f, g), *[h]]"),
    "starred set": Shape("CUSTOM_TOOLS = [*{f}]"),
    "two stars": Shape("A = [f]\nB = (g,)\nCUSTOM_TOOLS = (*A, *B)"),
    "alias of the list": Shape("TOOLS = [f]\nCUSTOM_TOOLS = TOOLS\nTOOLS.append(g)"),
    "two names": Shape("TOOLS = CUSTOM_TOOLS = [f]\nTOOLS.append(g)"),
    "copy is another list": Shape("TOOLS = [f]\nCUSTOM_TOOLS = list(TOOLS)\nTOOLS.append(g)"),
    "slice is another list": Shape("TOOLS = [f]\nCUSTOM_TOOLS = TOOLS[:]\nTOOLS.append(g)"),
    "copy method": Shape("TOOLS = [f]\nCUSTOM_TOOLS = TOOLS.copy()\nTOOLS.append(g)"),
    "list of a tuple": Shape("CUSTOM_TOOLS = list((f, g))"),
    "tuple of a list": Shape("CUSTOM_TOOLS = tuple([f, g])"),
    "list of a generator": Shape("CUSTOM_TOOLS = list(t for t in [f, g])"),
    "chain": Shape("CUSTOM_TOOLS = list(itertools.chain([f], (g,)))"),
    "chain from iterable": Shape("GROUPS = [[f], [g]]\nCUSTOM_TOOLS = [*itertools.chain.from_iterable(GROUPS)]"),
    "sum call": Shape("CUSTOM_TOOLS = sum([[f], [g, h]], [])"),
    "reversed call": Shape("CUSTOM_TOOLS = list(reversed([f, g]))"),
    "comprehension over names": Shape("CUSTOM_TOOLS = [t for t in (f, g)]"),
    "comprehension into dicts": Shape(
        'READ_ONLY = (f, g)\nCUSTOM_TOOLS = [{"function": t, "require_approval": False} for t in READ_ONLY] + [h]'
    ),
    "comprehension over pairs": Shape(
        'CUSTOM_TOOLS = [{"function": t, "name": n} for t, n in [(f, "one"), (g, "two")]]'
    ),
    "comprehension of groups": Shape("GROUPS = ([f], [g, h])\nCUSTOM_TOOLS = [t for group in GROUPS for t in group]"),
    "comprehension over a table": Shape(
        'TABLE = {"one": f, "two": g}\nCUSTOM_TOOLS = [{"name": n, "function": t} for n, t in TABLE.items()]'
    ),
    "values of a table": Shape('TABLE = {"one": f, "two": g}\nCUSTOM_TOOLS = list(TABLE.values())'),
    "values of a display": Shape('CUSTOM_TOOLS = list({"one": f, "two": g}.values())'),
    "starred values": Shape('TABLE = {"one": f, "two": g}\nCUSTOM_TOOLS = [*TABLE.values()]'),
    "loop": Shape("CUSTOM_TOOLS = []\nfor t in (f, g):\n    CUSTOM_TOOLS.append(t)"),
    "loop into dicts": Shape(
        "CUSTOM_TOOLS = []\nfor t, ask in ((f, True), (g, False)):\n"
        '    CUSTOM_TOOLS.append({"function": t, "require_approval": ask})'
    ),
    "loop in a loop": Shape(
        "CUSTOM_TOOLS = []\nfor group in ([f], [g, h]):\n    for t in group:\n        CUSTOM_TOOLS += [t]"
    ),
    "assignment expression": Shape("(CUSTOM_TOOLS := [f, g])"),
    "main guard": Shape('CUSTOM_TOOLS = [f]\nif __name__ == "__main__":\n    CUSTOM_TOOLS = []'),
    "type checking": Shape("if TYPE_CHECKING:\n    CUSTOM_TOOLS = [g]\nelse:\n    CUSTOM_TOOLS = [f]"),
    "constant condition": Shape(
        "CUSTOM_TOOLS = [f]\nif False:\n    CUSTOM_TOOLS.append(g)\nif True:\n    CUSTOM_TOOLS += [h]"
    ),
    "with": Shape("with open(os.devnull) as null:\n    CUSTOM_TOOLS = [f]"),
    "try and finally": Shape("try:\n    CUSTOM_TOOLS = [f]\nfinally:\n    CUSTOM_TOOLS += [g]"),
    "function in branches": Shape(
        'try:\n    import fancy\n\n    def k(x: str) -> str:\n        """K."""\n        return x\n\n'
        "except ImportError:\n\n"
        '    def k(x: str) -> str:\n        """K."""\n        return x\n\n\nCUSTOM_TOOLS = [k]'
    ),
    "function alias": Shape("k = f\nCUSTOM_TOOLS = [k, g]"),
    "defined twice": Shape('def f(a: int) -> int:\n    """Again."""\n    return a\n\n\nCUSTOM_TOOLS = [f]'),
    "overloads": Shape(
        "@overload\ndef k(x: str) -> str: ...\n@overload\ndef k(x: int) -> int: ...\ndef k(x):\n    return x\n\n\n"
        "CUSTOM_TOOLS = [k]"
    ),
    "decorated with wraps": Shape(
        "def logged(fn):\n    @functools.wraps(fn)\n    def wrapper(*args, **kwargs):\n"
        "        return fn(*args, **kwargs)\n\n"
        '    return wrapper\n\n\n@logged\ndef k(x: str) -> str:\n    """K."""\n    return x\n\n\nCUSTOM_TOOLS = [k]'
    ),
    "registered": Shape(
        _REGISTRY + '@tool\ndef k(x: str) -> str:\n    """K."""\n    return x\n\n\n@tool\nasync def l(x: int) -> int:\n'
        '    """L."""\n    return x\n\n\nCUSTOM_TOOLS = _TOOLS'
    ),
    "registered by a call": Shape(_REGISTRY + "tool(f)\ntool(g)\nCUSTOM_TOOLS = [*_TOOLS, h]"),
    "registered into dicts": Shape(
        'CUSTOM_TOOLS = []\n\n\ndef tool(fn):\n    CUSTOM_TOOLS.append({"function": fn, "require_approval": False})\n'
        '    return fn\n\n\n@tool\ndef k(x: str) -> str:\n    """K."""\n    return x\n'
    ),
    "registered wrapper": Shape(
        "CUSTOM_TOOLS = []\n\n\ndef tool(fn):\n    @functools.wraps(fn)\n    def inner(*a, **k):\n"
        "        return fn(*a, **k)\n\n"
        "    CUSTOM_TOOLS.append(inner)\n    return inner\n\n\n"
        '@tool\ndef k(x: str) -> str:\n    """K."""\n    return x\n'
    ),
    "entry by a function": Shape(
        'def entry(fn, ask=True):\n    """An entry."""\n    return {"function": fn, "require_approval": ask}\n\n\n'
        "CUSTOM_TOOLS = [entry(f), entry(g, False), entry(fn=h, ask=False)]"
    ),
    "list by a function": Shape("def tools():\n    return [f, g]\n\n\nCUSTOM_TOOLS = tools()"),
    "tools inside a function": Shape(
        'def tools():\n    def one(x: str) -> str:\n        """One."""\n        return x\n\n    def two() -> None:\n'
        '        """Two."""\n\n    return [one, two]\n\n\nCUSTOM_TOOLS = tools()'
    ),
    "made by a factory": Shape(
        _FACTORY + 'k = make("kg")\nCUSTOM_TOOLS = [k, {"function": make("g"), "name": "grams"}]'
    ),
    "entry in a name": Shape('ENTRY = {"function": f, "name": "one"}\nCUSTOM_TOOLS = [ENTRY, g]'),
    "entry with a base": Shape(
        'SAFE = {"require_approval": False}\nCUSTOM_TOOLS = [{**SAFE, "function": f}, {"function": g} | SAFE]'
    ),
    "entry by dict": Shape('CUSTOM_TOOLS = [dict(function=f, name="one", require_approval=False)]'),
    "values in names": Shape(
        'NAME = "one"\nASK = False\nTEXT = "Says it."\n'
        'CUSTOM_TOOLS = [{"function": f, "name": NAME, "description": TEXT, "require_approval": ASK}]'
    ),
    "names put together": Shape(
        'PREFIX = "db"\nNUMBER = 2\nCUSTOM_TOOLS = [{"function": f, "name": f"{PREFIX}_read"}, '
        '{"function": f, "name": PREFIX + "_" + "look", "description": f"Look, {PREFIX}."}, '
        '{"function": g, "name": g.__name__ + "_again"}, {"function": g, "name": f"{g.__name__}_{NUMBER!s}"}]'
    ),
    "names of a comprehension": Shape(
        'CUSTOM_TOOLS = [{"function": partial(g, y=n), "name": f"{g.__name__}_{n}_{where}"} '
        'for n, where in ((1, "eu"), (2, "us"))]'
    ),
    "bad names put together": Shape('PREFIX = "my"\nCUSTOM_TOOLS = [{"function": f, "name": f"{PREFIX}-f"}, g]'),
    "lambda with a name": Shape('CUSTOM_TOOLS = [{"function": lambda q: q, "name": "same"}]'),
    "lambda in a variable": Shape('k = lambda q, n=3: q\nCUSTOM_TOOLS = [{"function": k, "name": "same"}]'),
    "lambda without a name": Shape("k = lambda q: q\nCUSTOM_TOOLS = [f, k]"),
    "partial with a name": Shape('CUSTOM_TOOLS = [{"function": partial(g, y=3), "name": "thrice"}]'),
    "partial by position": Shape('CUSTOM_TOOLS = [{"function": functools.partial(g, "a"), "name": "a_times"}]'),
    "partial in a variable": Shape('k = partial(g, y=3)\nCUSTOM_TOOLS = [{"function": k, "name": "thrice"}]'),
    "partial without a name": Shape("k = partial(g, y=3)\nCUSTOM_TOOLS = [f, k]"),
    "partial that got a name": Shape('k = partial(g, y=3)\nk.__name__ = "thrice"\nCUSTOM_TOOLS = [k]'),
    "partial with update_wrapper": Shape("k = partial(g, y=3)\nfunctools.update_wrapper(k, g)\nCUSTOM_TOOLS = [k]"),
    "renamed function": Shape('f.__name__ = "other"\nCUSTOM_TOOLS = [f]'),
    "method of an object": Shape(_DESK + "CUSTOM_TOOLS = [desk.find]"),
    "method of a new object": Shape(_DESK + "CUSTOM_TOOLS = [Desk().find]"),
    "static and class methods": Shape(_DESK + "CUSTOM_TOOLS = [Desk.greet, desk.open]"),
    "class method of a class": Shape(_DESK + "CUSTOM_TOOLS = [Desk.open]"),
    "static method of an object": Shape(_DESK + "CUSTOM_TOOLS = [desk.greet]"),
    "method in a variable": Shape(_DESK + "look = desk.find\nCUSTOM_TOOLS = [look]"),
    "inherited method": Shape(
        _DESK + "class Other:\n    pass\nclass Table(Other, Desk):\n    pass\nCUSTOM_TOOLS = [Table().find, Table.open]"
    ),
    "overridden method": Shape(
        _DESK
        + "class Table(Desk):\n    def find(self, n: int) -> int:\n        return n\nCUSTOM_TOOLS = [Table().find]"
    ),
    "object that can be called": Shape(_DESK + 'CUSTOM_TOOLS = [{"function": desk, "name": "ask"}]'),
    "new object that can be called": Shape(_DESK + 'CUSTOM_TOOLS = [{"function": Desk(), "name": "ask"}]'),
    "object without a name": Shape(_DESK + "CUSTOM_TOOLS = [f, Desk()]"),
    "object whose class says what it does": Shape(
        'class Adder:\n    """Add.\n\n    Args:\n        a: What to add to.\n    """\n\n'
        "    def __init__(self, b: int) -> None:\n        self.b = b\n\n"
        "    async def __call__(self, a: int) -> int:\n        return a + self.b\n\n\n"
        'CUSTOM_TOOLS = [{"function": Adder(3), "name": "add"}]'
    ),
    "same tool twice": Shape("CUSTOM_TOOLS = [f, f]"),
    "same name twice": Shape('CUSTOM_TOOLS = [f, {"function": g, "name": "f"}, h]'),
    "set": Shape("CUSTOM_TOOLS = {f, g}"),
    "set in a name": Shape("TOOLS = {f, g}\nCUSTOM_TOOLS = TOOLS"),
    "iterator": Shape("CUSTOM_TOOLS = reversed([f, g])"),
    "view": Shape('TABLE = {"one": f}\nCUSTOM_TOOLS = TABLE.values()'),
    "generator function": Shape("def tools():\n    yield f\n\n\nCUSTOM_TOOLS = tools()"),
    "generator": Shape("CUSTOM_TOOLS = (t for t in (f, g))"),
    "no list": Shape("TOOLS = [f]"),
}

BRANCHES: dict[str, Shape] = {
    "added under a condition": Shape(
        'CUSTOM_TOOLS = [f]\nif os.environ.get("X"):\n    CUSTOM_TOOLS.append(g)', computed=True
    ),
    "added under a condition that holds": Shape(
        "CUSTOM_TOOLS = [f]\nif sys.version_info > (3,):\n    CUSTOM_TOOLS += [g]", computed=True
    ),
    "either list": Shape(
        'if os.environ.get("X"):\n    CUSTOM_TOOLS = [f, g]\nelif h:\n    CUSTOM_TOOLS = [f, h]\nelse:\n'
        "    CUSTOM_TOOLS = [f]",
        computed=True,
    ),
    "import that fails": Shape(
        "try:\n    import fancy_nowhere\n    CUSTOM_TOOLS = [f, g]\nexcept ImportError:\n    CUSTOM_TOOLS = [f]",
        computed=True,
    ),
    "else of try": Shape(
        "CUSTOM_TOOLS = [f]\ntry:\n    import json\nexcept ImportError:\n    pass\nelse:\n    CUSTOM_TOOLS.append(g)",
        computed=True,
    ),
    "suppressed": Shape(
        "CUSTOM_TOOLS = [f]\nwith suppress(ImportError):\n    import fancy_nowhere\n    CUSTOM_TOOLS.append(g)",
        computed=True,
    ),
    "conditional value": Shape('CUSTOM_TOOLS = [f, g] if os.environ.get("X") else [f]', computed=True),
    "conditional entry": Shape('CUSTOM_TOOLS = [h, f if os.environ.get("X") else g]', computed=True),
    "filter": Shape("CUSTOM_TOOLS = [t for t in (f, g, h) if t.__name__ != 'g']", computed=True),
    "loop with a condition": Shape(
        "CUSTOM_TOOLS = []\nfor t in (f, g):\n    if t is not g:\n        CUSTOM_TOOLS.append(t)", computed=True
    ),
    "filtered into another list": Shape(
        "ALL = [f]\nALL += [g]\nKEPT = []\nfor t in ALL:\n    if t.__doc__:\n        KEPT.append(t)\n"
        "CUSTOM_TOOLS = KEPT",
        computed=True,
    ),
    "while": Shape("CUSTOM_TOOLS = []\nwhile not CUSTOM_TOOLS:\n    CUSTOM_TOOLS.append(f)", computed=True),
    "match": Shape(
        "CUSTOM_TOOLS = [f]\nmatch sys.platform:\n    case 'plan9':\n        CUSTOM_TOOLS = [g]\n    case _:\n"
        "        CUSTOM_TOOLS += [h]",
        computed=True,
    ),
    "break": Shape("CUSTOM_TOOLS = []\nfor t in (f, g):\n    CUSTOM_TOOLS.append(t)\n    break", computed=True),
}
"""What lint reads is what may be listed; the run has some of it."""

COMPUTED: dict[str, Shape] = {
    "method of a base that is not read": Shape(
        "import collections\nclass Row(collections.UserList):\n    pass\nCUSTOM_TOOLS = [f, Row().count]",
        computed=True,
    ),
    "defined in a loop": Shape(
        "CUSTOM_TOOLS = [f]\nfor name in ('one', 'two'):\n    def k(x: str) -> str:\n        return x\n\n"
        "    k.__name__ = name\n    CUSTOM_TOOLS.append(k)",
        computed=True,
    ),
    "globals": Shape("CUSTOM_TOOLS = [v for k, v in globals().items() if k in ('f', 'g')]", computed=True),
    "getattr": Shape(
        "me = sys.modules[__name__]\nCUSTOM_TOOLS = [getattr(me, name) for name in ('f', 'g')]", computed=True
    ),
    "sum with something": Shape("CUSTOM_TOOLS = [f] + list(filter(None, [g]))", computed=True),
    "extended by something": Shape("CUSTOM_TOOLS = [f]\nCUSTOM_TOOLS.extend(filter(None, [g]))", computed=True),
    "starred something": Shape("CUSTOM_TOOLS = [f, *filter(None, [g])]", computed=True),
    "handed to a function": Shape(
        "def fill(tools):\n    tools.append(g)\n\n\nCUSTOM_TOOLS = [f]\nfill(CUSTOM_TOOLS)", computed=True
    ),
    "global statement": Shape(
        "CUSTOM_TOOLS = []\n\n\ndef setup():\n    global CUSTOM_TOOLS\n    CUSTOM_TOOLS = [f]\n\n\nsetup()",
        computed=True,
    ),
    "registered by a factory": Shape(
        "CUSTOM_TOOLS = [g]\n\n\ndef tool(ask=True):\n    def register(fn):\n        CUSTOM_TOOLS.append(fn)\n"
        "        return fn\n\n    return register\n\n\n@tool()\ndef k(x: str) -> str:\n    return x",
        computed=True,
    ),
    "registered under a condition": Shape(
        "CUSTOM_TOOLS = [g]\n\n\ndef tool(fn):\n    if fn.__doc__:\n        CUSTOM_TOOLS.append(fn)\n"
        "    return fn\n\n\ntool(f)",
        computed=True,
    ),
    "several targets": Shape("CUSTOM_TOOLS, other = [f], 1", computed=True),
    "loop variable": Shape("for CUSTOM_TOOLS in [[f]]:\n    pass", computed=True),
    "loop over something": Shape(
        "CUSTOM_TOOLS = [f]\nfor t in filter(None, [g]):\n    CUSTOM_TOOLS.append(t)", computed=True
    ),
    "name of a format": Shape('CUSTOM_TOOLS = [f, {"function": g, "name": f"{1:02}" + "x" * 2}]', computed=True),
    "name of a partial that is computed": Shape(
        'CUSTOM_TOOLS = [f, {"function": partial(g, y=2), "name": "x".upper()}]', computed=True
    ),
    "name by a function": Shape(
        'def name():\n    return "x".upper()\n\n\nCUSTOM_TOOLS = [f, {"function": g, "name": name()}]', computed=True
    ),
    "approval by a function": Shape(
        'CUSTOM_TOOLS = [{"function": g, "require_approval": bool(os.environ.get("X"))}]', computed=True
    ),
    "keys by a function": Shape(
        "def base():\n    return dict([('name', 'k')])\n\n\nCUSTOM_TOOLS = [f, {'function': g, **base()}]",
        computed=True,
    ),
    "multiplied": Shape("CUSTOM_TOOLS = [f] * 1", computed=True),
    "part of a list": Shape("ALL = [f, g]\nCUSTOM_TOOLS = ALL[:1]", computed=True),
    "updated table": Shape('TABLE = {"one": f}\nTABLE["two"] = g\nCUSTOM_TOOLS = list(TABLE.values())', computed=True),
}
"""What only the run tells, beside what lint can read."""
