"""`adal/tools/list`: what is read statically, merged with what the host loaded. Plain dictionaries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adal_ls.server.diagnostics.analysis import Analysis
from adal_ls.server.diagnostics.diagnostic_items import lsp_range
from adal_ls.server.documents.positions import Encoding
from adal_ls.server.transport.rpc import Json
from adal_ls.workspace.projects import Project

if TYPE_CHECKING:
    from adal_ls.lint.model import ToolFile


def entry(
    project: Project,
    analysis: Analysis | None,
    loaded: dict[str, Json] | None,
    builtins: list[Json],
    encoding: Encoding,
) -> dict[str, Json]:
    """One project of the list.

    `loaded` is what the host told last (`Project` of the protocol), None before, and `builtins` its built-in tools. The
    host knows what runs: its tools, in its order, win. Lint knows where they stand and what is wrong with them, also
    with those that were left out.
    A tool that an edit has renamed or taken away is not listed any more; what an edit has added is pending.
    """
    static = {} if analysis is None else _static(analysis, encoding)
    told = loaded or {}
    known: list[Json] = told.get("tools", [])
    # After a failed load the last good tools stay: runs have them for as long as it fails.
    if analysis is not None and told.get("state") == "loaded" and _is_readable(analysis.file):
        known = [tool for tool in known if tool.get("kind", "custom") != "custom" or tool.get("name") in static]
    tools = [
        _merged(tool, static.pop(tool.get("name"), None)) if tool.get("kind", "custom") == "custom" else tool
        for tool in known
    ]
    tools += [{**tool, "pending": True} if loaded else tool for tool in static.values()]
    out: dict[str, Json] = {
        "root": project.root,
        "file": project.file,
        "state": told.get("state", "static"),
        "generation": told.get("generation", 0),
        "tools": tools + builtins,
    }
    if told.get("error") is not None:
        out["error"] = told["error"]
    return out


def _static(analysis: Analysis, encoding: Encoding) -> dict[str, dict[str, Json]]:
    """Name → tool as the message carries it."""
    from adal_ls import lint  # after `initialize` is answered

    return {
        tool.name: {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.parameters,
            "requireApproval": tool.require_approval,
            "kind": "custom",
            "location": {
                "uri": analysis.document.uri,
                "range": lsp_range(analysis.document, tool.name_range, encoding),
            },
            "problems": list(tool.problems),
        }
        for tool in lint.tools_with_problems(analysis.file, analysis.findings)
    }


def _is_readable(file: ToolFile) -> bool:
    """Whether the text names every tool that the file has once it is loaded."""
    listed = file.tool_list
    return (
        listed.range is not None
        and not (listed.computed or listed.wrong or file.unreadable or file.syntax)
        and all(entry.name is not None for entry in listed.entries)
    )


def _merged(tool: dict[str, Json], static: dict[str, Json] | None) -> dict[str, Json]:
    if static is None:
        return tool
    codes = [*tool.get("problems", []), *static["problems"]]
    return {**tool, "location": static["location"], "problems": list(dict.fromkeys(codes))}
