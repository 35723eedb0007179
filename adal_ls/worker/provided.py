"""From the entries of a tool set to tools that can be called; where the project's code runs."""

from __future__ import annotations

from adal_ls.schema import from_runtime
from adal_ls.sdk.errors import InvalidConfigError
from adal_ls.sdk.toolset import ToolEntry
from adal_ls.worker.data import LoadedTool
from adal_ls.worker.frames import message
from adal_ls.worker.listing import ListedTool, place_of


def listed(entry: ToolEntry) -> tuple[ListedTool, list[str]]:
    """The tool of an entry with a function, and what is worth knowing about its parameters.

    Raises:
        InvalidConfigError: its parameters cannot be read.
    """
    function, name = entry.function, entry.name
    if function is None or name is None:
        raise InvalidConfigError(f"tool '{name}' has no function here: the host serves it")
    try:
        schema = from_runtime(function)
    except Exception as fault:
        raise InvalidConfigError(f"tool '{name}': its parameters cannot be read ({message(fault)})") from fault
    if any(problem.kind == "self" for problem in schema.problems):
        raise InvalidConfigError(f"tool '{name}' is a method without its object: list `object.{name}`, not the class's")
    file, line, qualified = place_of(function, "")
    loaded = LoadedTool(
        name=name,
        description=schema.description if entry.description is None else entry.description,
        parameters=schema.parameters,
        require_approval=entry.require_approval,
        file=file,
        line=line,
        function=qualified,
    )
    return ListedTool(function, schema, loaded), [f"tool '{name}': {problem.message}" for problem in schema.problems]
