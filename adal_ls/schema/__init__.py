"""A function's signature and docstring as the JSON Schema that a model sees. Standard library only.

Two readers, one result: `from_ast` reads source and runs nothing, `from_runtime` reads the live function. For every
function that both can read they give the same schema. `from_runtime` arrives when it is first used (PEP 562): the
language server, which starts in milliseconds, needs the other one only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adal_ls.schema.from_ast import from_ast
from adal_ls.schema.signature import SchemaProblem, ToolSchema

if TYPE_CHECKING:
    from adal_ls.schema.from_runtime import from_runtime

__all__ = ["SchemaProblem", "ToolSchema", "from_ast", "from_runtime"]


def __getattr__(name: str) -> object:
    if name == "from_runtime":
        from adal_ls.schema.from_runtime import from_runtime

        return from_runtime
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
