"""Tools files in the shapes that public ones have, made from a fixed seed; some with faults planted.

The shapes and their shares come from counts over public repositories: future annotations, Annotated with Field, CRLF,
tabs, tools in classes and factories, guarded imports, TYPE_CHECKING, decorators, async, generators, docstrings in many
languages, code at import, computed lists, PEP 604.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

SIZE = 240


@dataclass(frozen=True)
class ToolsFile:
    """One file. `planted` are the codes of the warnings it must have; it must have no others, and no error."""

    text: str
    planted: frozenset[str]
    number: int


@dataclass
class _Draft:
    head: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    entries: list[str] = field(default_factory=list)
    tail: list[str] = field(default_factory=list)
    planted: set[str] = field(default_factory=set)


IMPORTS = """\
import asyncio
import enum
import functools
import json
import logging
import os
import pathlib
import subprocess
import sys
import time
import typing as t
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Dict, List, Literal, Optional, TypedDict, Union
from uuid import UUID

import httpx
import requests
from pydantic import BaseModel, Field
from adalflow.core.types import ToolOutput
"""

GUARDED = """\
try:
    import pandas as pd
except ImportError:
    pd = None

if TYPE_CHECKING:
    from collections.abc import Iterator

try:
    from fast import search_index
except ImportError:

    def search_index(text):
        return [text]
"""

CODE = """\
logging.basicConfig(level=logging.INFO)
sys.path.insert(0, os.path.dirname(__file__))
log = logging.getLogger(__name__)
API_KEY = os.environ.get("SHOP_API_KEY", "")
BASE_URL = os.getenv("BASE_URL", "https://api.shop.internal/v2")
TOKEN_URL = f"{BASE_URL}/oauth/token"
ROOT = Path(__file__).resolve().parent
print("shop tools loaded")
CACHE = {}
for _name in ("a", "b"):
    CACHE[_name] = None
"""

TYPES = """\
class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Order(BaseModel):
    \"\"\"Eine Bestellung.\"\"\"

    number: int = Field(..., description="Its number")
    lines: list[str] = Field(default_factory=list)


@dataclass
class Address:
    street: str
    tags: list = field(default_factory=list)


class Span(TypedDict, total=False):
    start: str
    end: str


Limit = Annotated[int, Field(ge=1, le=100)]
"""

HELPERS = """\
def _load(path, mode="r"):
    with open(path, mode) as handle:
        return json.load(handle)


def _log_call(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        print("calling", fn.__name__)
        return fn(*args, **kwargs)

    return wrapper


def _retry(times=3):
    def decorate(fn):
        @functools.wraps(fn)
        async def wrapper(*args, **kwargs):
            return await fn(*args, **kwargs)

        return wrapper

    return decorate


def main():
    if len(sys.argv) < 2:
        sys.exit(1)
    print(input("? "))
"""

REQUIRED = (
    "query: str",
    "tags: list[str]",
    "skus: list",
    "labels: Dict[str, Any]",
    "order: Order",
    "place: Address",
    "span: Span",
    'text: Annotated[str, "What to say"]',
    "top: Limit",
    "day: date",
    "price: Decimal",
    "path: Path",
    "file: pathlib.Path",
    "key: UUID",
    "value: Union[int, str]",
    "pair: tuple[int, str]",
    "kinds: set[str]",
    "t_list: t.List[t.Dict[str, str]]",
    "schema: str",
    "args: str",
    "context_id: str",
    "untyped",
    "input: str",
)

OPTIONAL = (
    "limit: int = 5",
    "score: float = 0.5",
    "verbose: bool = False",
    "names: List[str] = None",
    "options: dict = None",
    "status: Optional[str] = None",
    "owner: str | None = None",
    "color: Color = Color.RED",
    "orders: list[Order] | None = None",
    'level: Literal["low", "high"] = "low"',
    'size: Literal["M", "L"] | None = None',
    'count: Annotated[int, Field(description="How many", ge=0, le=9)] = 3',
    "depth: int = Field(3, description='How deep')",
    "since: datetime | None = None",
    "anything: Any = None",
    'quoted: "str | None" = None',
    "flag=False",
    "items: list[str] = []",
    "password: str = ''",
    "next_token: str = ''",
)

SUMMARIES = (
    "Find products by name.",
    "Tìm kiếm hóa đơn theo số.",
    "Busca el pedido — rápido “y” fácil.",
    "检查服务的健康状况。",
    "Ship it 🚢 to the customer's door.",
    "Return what is left, e.g. 3: the rest.",
)

BODIES = (
    "return {{'ok': True}}",
    "return [{first}]",
    "print('working')\nreturn str({first})",
    "with open('data.json') as handle:\n    return json.load(handle)",
    "try:\n    return requests.get(BASE, timeout=5).json()\nexcept requests.RequestException as error:\n"
    "    return {{'error': str(error)}}",
    "import math\nreturn math.sqrt(len(str({first})))",
    "return ToolOutput(output={{'x': 1}}, observation=f'done {{1}}', display='✅', status='success')",
    "if not {first}:\n    return ToolOutput(None, 'nothing', '❌', status='error')\nraise ValueError('no')",
    "def rank(item):\n    return len(item)\nreturn sorted([str({first})], key=rank)",
    "return [*map(lambda item: item, [str({first})])]",
    "subprocess.run(['ls'], check=True, capture_output=True)\nreturn 'listed'",
    "Path('out.txt').write_text('x')\nreturn 'written'",
    "...",
    "for step in range(3):\n    yield f'step {{step}}'",
)
ASYNC_BODIES = (
    "await asyncio.sleep(0.1)\nreturn 'ok'",
    "async with httpx.AsyncClient() as client:\n    response = await client.get('https://x')\n"
    "    return response.status_code",
    "return await asyncio.to_thread(time.sleep, 1)",
    "loop = asyncio.get_running_loop()\nreturn await loop.run_in_executor(None, lambda: requests.get('https://x').text)",
    "for step in range(3):\n    yield step",
)

FAULTS = {
    "ADAL105": ('{"function": _load, "name": "Bash", "description": "Run."}', ""),
    "ADAL106": ("", 'def 查询_{n}(city: str) -> str:\n    """Query."""\n    return city\n'),
    "ADAL205": ('{"function": _load, "name": "load_{n}", "description": "Load.", "desc": "x"}', ""),
    "ADAL211": ("lambda: 1", ""),
    "ADAL213": (
        "Desk_{n}.find",
        'class Desk_{n}:\n    def find(self, q: str) -> str:\n        """Find."""\n        return q\n',
    ),
    "ADAL214": (
        "",
        "def bare_{n}(fn):\n    def wrapper(*args):\n        return fn(*args)\n\n    return wrapper\n\n\n"
        '@bare_{n}\ndef wrapped_{n}(q: str) -> str:\n    """Do."""\n    return q\n',
    ),
    "ADAL301": ("", 'def star_{n}(q: str, **rest) -> str:\n    """Do."""\n    return q\n'),
    "ADAL305": ("", 'def hint_{n}(q: "Nowhere") -> str:\n    """Do."""\n    return q\n'),
    "ADAL306": ("", 'def callback_{n}(q: t.Callable[[str], str]) -> str:\n    """Do."""\n    return q\n'),
    "ADAL309": ("", 'def ctx_{n}(ctx, q: str) -> str:\n    """Do."""\n    return q\n'),
    "ADAL401": ("", "def silent_{n}(q: str) -> str:\n    return q\n"),
    "ADAL403": (
        "",
        'def docs_{n}(q: str) -> str:\n    """Do.\n\n    Args:\n        query: It.\n    """\n    return q\n',
    ),
    "ADAL501": ("", 'def out_{n}(q: str):\n    """Do."""\n    return ToolOutput(output=q, message=q)\n'),
    "ADAL502": ("", 'def state_{n}(q: str):\n    """Do."""\n    return ToolOutput(output=q, status="failed")\n'),
    "ADAL503": ("", 'def place_{n}(q: str):\n    """Do."""\n    return ToolOutput(q, q, q, "error")\n'),
    "ADAL504": ("", 'def words_{n}(q: str):\n    """Do."""\n    return ToolOutput(q, {"a": q})\n'),
    "ADAL601": (
        '{"function": wipe_{n}, "require_approval": False}',
        'def wipe_{n}(q: str) -> None:\n    """Delete."""\n    os.remove(q)\n',
    ),
    "ADAL602": ("", 'async def block_{n}(q: str) -> str:\n    """Do."""\n    time.sleep(1)\n    return q\n'),
    "ADAL604": ("", 'def ask_{n}(q: str) -> str:\n    """Do."""\n    return input(q)\n'),
    "ADAL605": ("", 'def stop_{n}(q: str) -> str:\n    """Do."""\n    sys.exit(q)\n'),
    "ADAL606": ("", "SECRET = 'tR7mQ2xV9zLw4Kp8'\n"),
}
"""Code → an entry of the list and a definition; where the entry is empty, the last function defined is listed."""


def corpus(size: int = SIZE, seed: int = 20) -> Iterator[ToolsFile]:
    """The files, the same for every run."""
    for number in range(size):
        # Text into numbers the same way in every process, as the builtin hash is not.
        yield _file(random.Random(seed * 1000 + number), number)


def _file(rng: random.Random, number: int) -> ToolsFile:
    draft = _Draft()
    _begin(draft, rng)
    for index in range(rng.randint(1, 8)):
        _add_tool(draft, rng, index)
    if rng.random() < 0.3:
        for code in rng.sample(sorted(FAULTS), rng.randint(1, 2)):
            _plant(draft, code, rng.randint(1, 99))
    if rng.random() < 0.3:
        draft.tail.append('if __name__ == "__main__":\n    main()\n    sys.exit(0)\n')
    parts = [*draft.head, *draft.body, _listed(draft, rng), *draft.tail]
    return ToolsFile(_dressed("\n\n".join(parts), rng), frozenset(draft.planted), number)


def _begin(draft: _Draft, rng: random.Random) -> None:
    if rng.random() < 0.3:
        draft.head.append(f'"""Werkzeuge für den Laden — {rng.choice(SUMMARIES)}"""\n')
    imports = "from __future__ import annotations\n\n" if rng.random() < 0.3 else ""
    draft.head.append(imports + IMPORTS)
    if rng.random() < 0.3:
        draft.head.append(GUARDED)
    draft.head.append(CODE if rng.random() < 0.4 else "BASE = 'https://x'\n")
    draft.head[-1] += "BASE = 'https://x'\n" if "BASE =" not in draft.head[-1] else ""
    draft.body += [TYPES, HELPERS]


def _add_tool(draft: _Draft, rng: random.Random, index: int) -> None:
    name = (
        f"{rng.choice(('find', 'create', 'close', 'sync', 'check'))}_{rng.choice(('order', 'ticket', 'room'))}_{index}"
    )
    function = _function(rng, name)
    shape = rng.random()
    if shape < 0.7:
        draft.body.append(function)
        draft.entries.append(name)
    elif shape < 0.8:
        draft.body.append(
            f"try:\n    import fancy\n\n{_indented(function)}\nexcept ImportError:\n\n{_indented(function)}"
        )
        draft.entries.append(name)
    elif shape < 0.9:
        method = function.replace(f"def {name}(", f"def {name}(self, ").replace("(self, )", "(self)")
        draft.body.append(f"class Tools{index}:\n{_indented(method)}\n\n_tools{index} = Tools{index}()\n")
        draft.entries.append(f"_tools{index}.{name}")
    else:
        draft.body.append(
            f"def make_{index}():\n{_indented(function)}\n    return {name}\n\n\n{name} = make_{index}()\n"
        )
        draft.entries.append(f'{{"function": {name}, "name": "{name}"}}')


def _function(rng: random.Random, name: str) -> str:
    required = rng.sample(REQUIRED, rng.randint(0, 2))
    optional = rng.sample(OPTIONAL, rng.randint(0, 3))
    parameters = [*required, *optional]
    names = [parameter.partition(":")[0].partition("=")[0].strip() for parameter in parameters]
    keyword_only = len(optional) > 1 and rng.random() < 0.2
    signature = ", ".join([*required, "*", *optional] if keyword_only else parameters)
    is_async = rng.random() < 0.4
    body = rng.choice(ASYNC_BODIES if is_async else BODIES).format(first=names[0] if names else "1")
    returns = rng.choice((" -> str", " -> dict", "", " -> ToolOutput"))
    lines = [f"{'async ' if is_async else ''}def {name}({signature}){returns}:"]
    lines += _indented(_docstring(rng, names)).split("\n")
    lines += _indented(body).rstrip("\n").split("\n")
    decorator = rng.random()
    if decorator < 0.1:
        lines.insert(0, "@_log_call")
    elif decorator < 0.15:
        lines[:0] = ["@_retry(times=2)", "@_log_call"]
    return "\n".join(lines) + "\n"


def _docstring(rng: random.Random, names: list[str]) -> str:
    summary = rng.choice(SUMMARIES)
    style = rng.random()
    if style < 0.5 or not names:
        return f'"""{summary}"""'
    if style < 0.6:
        return f'"""\n{summary} Args: {names[0]} (str), other (str, optional).\n"""'
    described = names if rng.random() < 0.7 else names[:1]
    entries = [
        f"    {name}{rng.choice(('', ' (str)', ' (list[str], optional)'))}: {rng.choice(SUMMARIES)}"
        for name in described
    ]
    if rng.random() < 0.3:
        entries.insert(1, "        one of: low,\n        note: high.")
    between = "" if rng.random() < 0.3 else "\n"
    after = "\n\nReturns:\n    dict: what was found.\n" if rng.random() < 0.4 else "\n"
    return (
        f'"""{summary}\n{between}{rng.choice(("Args", "Args", "Parameters"))}:\n' + "\n".join(entries) + after + '"""'
    )


def _plant(draft: _Draft, code: str, number: int) -> None:
    entry, definition = (text.replace("{n}", str(number)) for text in FAULTS[code])
    if definition:
        draft.body.append(definition)
    if entry:
        draft.entries.append(entry)
    elif "def " in definition:
        draft.entries.append(definition.rpartition("def ")[2].partition("(")[0])
    draft.planted.add(code)


def _listed(draft: _Draft, rng: random.Random) -> str:
    entries = [_dict_form(entry, rng) for entry in draft.entries]
    shape = rng.random()
    if shape < 0.6:
        return "CUSTOM_TOOLS = [\n" + "".join(f"    {entry},\n" for entry in entries) + "]\n"
    if shape < 0.7:
        return f"CUSTOM_TOOLS: list = [{', '.join(entries)}]\n"
    if shape < 0.8:
        return f"CUSTOM_TOOLS = ({', '.join(entries)},)\n"
    half = len(entries) // 2
    first, second = ", ".join(entries[:half]), ", ".join(entries[half:])
    if shape < 0.9:
        return f"CUSTOM_TOOLS = [{first}]\nCUSTOM_TOOLS += [{second}]\n"
    return f"CUSTOM_TOOLS = [{first}] + [{second}]\nCUSTOM_TOOLS += [tool for tool in () if tool.__doc__]\n"


def _dict_form(entry: str, rng: random.Random) -> str:
    # A description in the list would make up for the docstring that a planted fault is to lack.
    if entry.startswith(("{", "lambda", "silent_")) or rng.random() < 0.8:
        return entry
    return f'{{"function": {entry}, "description": "{rng.choice(SUMMARIES)}", "require_approval": True}}'


def _dressed(text: str, rng: random.Random) -> str:
    """Line ends, indentation and the end of the file as some people have them."""
    shape = rng.random()
    if shape < 0.1:
        text = text.replace("    ", "\t")
    elif shape < 0.2:
        text = text.replace("    ", "  ")
    if rng.random() < 0.2:
        text = text.replace("\n", "\r\n")
    return text.rstrip() if rng.random() < 0.1 else text


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" if line else "" for line in text.split("\n"))
