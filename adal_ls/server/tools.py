"""`adal/tools/list`: what is read statically, merged with what the host loaded. Plain dictionaries."""

from __future__ import annotations

from adal_ls.server.diagnostics import Analysis, lsp_range
from adal_ls.server.positions import Encoding
from adal_ls.server.projects import Project
from adal_ls.server.rpc import Json


def entry(
    project: Project, analysis: Analysis | None, loaded: dict[str, Json] | None, encoding: Encoding
) -> dict[str, Json]:
    """One project of the list.

    `loaded` is what the host told last (`Project` of the protocol), None before. The host knows what runs: its tools,
    in its order, win. Lint knows where they stand and what is wrong with them, also with those that were left out.
    """
    static = {} if analysis is None else _static(analysis, encoding)
    told = loaded or {}
    tools = [_merged(tool, static.pop(tool.get("name"), None)) for tool in told.get("tools", [])]
    tools += static.values()
    out: dict[str, Json] = {
        "root": project.root,
        "file": project.file,
        "state": told.get("state", "static"),
        "generation": told.get("generation", 0),
        "tools": tools,
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


def _merged(tool: dict[str, Json], static: dict[str, Json] | None) -> dict[str, Json]:
    if static is None:
        return tool
    codes = [*tool.get("problems", []), *static["problems"]]
    return {**tool, "location": static["location"], "problems": list(dict.fromkeys(codes))}
