"""A function's signature and docstring as the JSON Schema that a model sees. Standard library only.

Two readers, one result: `from_ast` reads source and runs nothing, `from_runtime` reads the live function. For every
function that both can read they give the same schema.
"""

from adal_ls.schema.from_ast import from_ast
from adal_ls.schema.from_runtime import from_runtime
from adal_ls.schema.signature import SchemaProblem, ToolSchema

__all__ = ["SchemaProblem", "ToolSchema", "from_ast", "from_runtime"]
