"""A first parameter for a context object: other frameworks fill it, a model cannot."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from adal_ls.worker.client import WorkerClient
from tests.schema.reading import both

HEAD = """\
from typing import Optional
from pydantic import BaseModel
class Context: ...
class Wrapped(BaseModel):
    a: int
class OrderContext(BaseModel):
    order: int
"""


@pytest.mark.parametrize(
    "parameter",
    [
        "ctx",
        "ctx: Context",
        "context: Context",
        "ctx: Optional[Context]",
        "ctx: 'RunContext[int]'",
        "ctx: 'Context | int'",
    ],
)
@pytest.mark.parametrize("future", [False, True], ids=["evaluated", "postponed"])
def test_a_context_object_is_no_parameter_of_the_model(parameter: str, future: bool) -> None:
    # https://github.com/pab1it0/prometheus-mcp-server/pull/95
    head = "from __future__ import annotations\n" if future else ""
    schema = both(f"{head}{HEAD}def f({parameter}, q: str): ...\n")
    assert schema.parameters == {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
    assert [(problem.parameter, problem.kind) for problem in schema.problems] == [
        (parameter.partition(":")[0], "context")
    ]


@pytest.mark.parametrize(
    "parameters",
    [
        "ctx: str",
        "context",
        "context: str",
        "context: OrderContext",
        "ctx: dict",
        "ctx: Wrapped",
        "q: str, ctx: Context",
    ],
)
def test_what_may_be_data_is_a_parameter_like_any_other(parameters: str) -> None:
    schema = both(f"{HEAD}def f({parameters}): ...\n")
    assert any(name in schema.parameters["properties"] for name in ("ctx", "context"))
    assert "context" not in [problem.kind for problem in schema.problems]


TOOLS = """\
from elsewhere import Context


def noted(ctx: Context, /, q: str) -> list[str]:
    return [str(ctx), q]


async def kept(ctx: Context = 3, q: str = "") -> list[str]:
    return [str(ctx), q]


CUSTOM_TOOLS = [noted, kept]
"""
ELSEWHERE = "from pydantic import BaseModel\nclass Context(BaseModel):\n    a: int\n"


async def test_the_worker_gives_none_for_it_and_takes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The class of another package may have a schema: the model is not told of it all the same."""
    (tmp_path / "packages" / "elsewhere").mkdir(parents=True)
    (tmp_path / "packages" / "elsewhere" / "__init__.py").write_text(ELSEWHERE)
    root = tmp_path / "project"
    (root / ".adal").mkdir(parents=True)
    head = f"import sys\nsys.path.append({str(tmp_path / 'packages')!r})\n"
    (root / ".adal" / "tools.py").write_text(head + TOOLS)
    worker = await WorkerClient.start(sys.executable, root)
    try:
        project = await worker.load()
        assert project.error is None
        shown = {tool.name: [*tool.parameters["properties"]] for tool in project.tools}
        assert shown == {"noted": ["q"], "kept": ["q"]}
        assert (await worker.call("noted", {"q": "x"})).output == ["None", "x"]
        assert (await worker.call("kept", {"q": "x"})).output == ["3", "x"]
        refused = await worker.call("noted", {"q": "x", "ctx": {"a": 1}})
        assert (refused.status, "unknown argument 'ctx' (it takes: q)" in refused.observation) == ("error", True)
    finally:
        await worker.close()
