"""A function's signature and docstring as the JSON Schema that a model sees. Standard library only.

Two readers, one result: `from_ast` reads source and runs nothing, `from_runtime` reads the live function. For every
function that both can read they give the same schema.

The readers arrive when they are first used (PEP 562): lint seldom makes a schema, and never of a live function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adal_ls.schema.ast_signature import from_ast
    from adal_ls.schema.live_signature import from_runtime
    from adal_ls.schema.signature import SchemaProblem, ToolSchema

_MODULES = {
    "SchemaProblem": "signature",
    "ToolSchema": "signature",
    "from_ast": "ast_signature",
    "from_runtime": "live_signature",
}

__all__ = ["SchemaProblem", "ToolSchema", "from_ast", "from_runtime"]


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'adal_ls.schema' has no attribute '{name}'")
    import importlib

    value: object = getattr(importlib.import_module(f"adal_ls.schema.{_MODULES[name]}"), name)
    globals()[name] = value
    return value
