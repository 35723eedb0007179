"""Classes in modules beside the tools file, read from their sources."""

from __future__ import annotations

import ast
import subprocess
import sys
from typing import Any

import pytest

from adal_ls.schema import from_ast
from adal_ls.schema.scope import Siblings
from adal_ls.schema.scope import read as read_scope
from tests.schema.reading import both, statically

INTEGER = {"type": "integer"}
STRING = {"type": "string"}
NULL = {"type": "null"}


def record(properties: dict[str, Any], required: list[str] | None = None, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, **({"required": required} if required else {}), **more}


SIBLINGS = {
    "kinds": "import enum\nclass Kind(enum.Enum):\n    A = 'a'\nLIMIT = 7\nNAMES = ['x']\n",
    "models": (
        "from __future__ import annotations\nfrom typing import Optional\nfrom pydantic import BaseModel, Field\n"
        "import kinds\nfrom kinds import *\n"
        "class Part(BaseModel):\n    kind: Kind\n    other: Optional[kinds.Kind] = None\n"
        "class Order(BaseModel):\n    parts: list[Part] = Field(description='what', max_length=LIMIT)\n"
    ),
}


@pytest.mark.parametrize(
    "imports",
    [
        "from models import Order\nfrom kinds import LIMIT\n",
        "import models\nfrom kinds import LIMIT\nOrder = models.Order\n",
        "import models as m, kinds\nOrder = m.Order\nLIMIT = kinds.LIMIT\n",
        "from models import *\n",
        "try:\n    from models import Order\nexcept ImportError:\n    from elsewhere import Order\n"
        "from kinds import LIMIT\n",
    ],
)
def test_classes_of_modules_beside_the_file_are_read_there(imports: str) -> None:
    schema = both(imports + "def f(order: Order, top: int = LIMIT): ...\n", siblings=SIBLINGS)
    part = record(
        {
            "kind": {"type": "string", "enum": ["a"]},
            "other": {"anyOf": [{"type": "string", "enum": ["a"]}, NULL], "default": None},
        },
        ["kind"],
    )
    assert schema.parameters["properties"] == {
        "order": record({"parts": {"type": "array", "items": part, "maxItems": 7, "description": "what"}}, ["parts"]),
        "top": {"type": "integer", "default": 7},
    }
    assert schema.problems == ()


def test_relative_imports_of_a_sibling_are_found_in_its_package() -> None:
    texts = {
        "shop": "from .models import Order\n",
        "shop.models": (
            "from pydantic import BaseModel\nfrom .parts import Part\nclass Order(BaseModel):\n    part: Part\n"
        ),
        "shop.parts": "from typing import TypedDict\nclass Part(TypedDict):\n    x: int\n",
    }
    schema = statically("from shop import Order\ndef f(a: Order): ...\n", siblings=texts)
    assert schema.parameters["properties"]["a"] == record({"part": record({"x": INTEGER}, ["x"])}, ["part"])


def test_modules_that_cannot_be_read_or_import_each_other_in_a_circle_end_in_a_problem() -> None:
    texts = {"one": "from two import Thing\n", "two": "from one import Thing\n"}
    for module in ("one", "missing"):
        schema = statically(f"from {module} import Thing\ndef f(a: Thing): ...\n", siblings=texts)
        assert schema.parameters["properties"]["a"] == {}
        (problem,) = schema.problems
        assert problem.place is not None


def test_each_sibling_is_asked_for_once_and_the_standard_library_never() -> None:
    asked: list[str] = []

    def resolve(module: str, level: int) -> ast.Module | None:
        asked.append("." * level + module)
        return ast.parse(SIBLINGS[module]) if module in SIBLINGS else None

    module = ast.parse(
        "import datetime\nfrom typing import Optional\nfrom models import Order, Part\n"
        "def f(a: Order, b: Optional[Part], c: datetime.date): ...\ndef g(a: Order): ...\n"
    )
    scope = read_scope(module.body, Siblings(resolve))
    for function in module.body[-2:]:
        assert isinstance(function, ast.FunctionDef)
        assert from_ast(function, scope).problems == ()
    assert sorted(set(asked)) == sorted(asked)
    assert not {"typing", "datetime"} & set(asked)


def test_reading_a_live_function_imports_no_pydantic() -> None:
    code = (
        "import sys, dataclasses, typing\nfrom adal_ls.schema import from_runtime\n"
        "Point = dataclasses.make_dataclass('Point', [('x', int)])\n"
        "Point.__module__ = '__main__'\n"
        "def f(a: typing.Annotated[int, 'x'], b: Point): ...\n"
        "assert from_runtime(f).problems == ()\nassert 'pydantic' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
