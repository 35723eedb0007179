"""`textDocument/codeLens` and `codeLens/resolve`: run the agent with a tool, and how the tool stands to approval.

What a lens says follows from the text alone, so a client that asks again after an edit, as all do, needs no refresh.
"""

from __future__ import annotations

import os
from typing import Any

from lsprotocol import types

from adal_ls.lint.lenses import Lens, example_call, lenses, state
from adal_ls.protocol.methods import COMMAND_RUN_AGENT
from adal_ls.server.capabilities import CLIENT_RUN_COMMAND
from adal_ls.server.diagnostics import Analysis
from adal_ls.server.features.places import types_range
from adal_ls.server.features.refusal import Outdated
from adal_ls.server.snapshot import Snapshot
from adal_ls.workspace import uris

_TITLES = ("run", "approval")


def code_lens(
    snapshot: Snapshot,
    params: types.CodeLensParams,  # noqa: ARG001 - the snapshot is of that document
) -> list[types.CodeLens]:
    """Two lenses for each place of a tool, without what they say: that is resolved for those that are seen."""
    analysis = snapshot.analysis
    if analysis is None:
        return []
    return [
        types.CodeLens(
            range=types_range(analysis.document, lens.place, snapshot.client.encoding),
            data=_data(analysis, lens, shows),
        )
        for lens in lenses(analysis.file)
        for shows in _TITLES
    ]


def code_lens_resolve(snapshot: Snapshot, lens: types.CodeLens) -> types.CodeLens:
    """Title and command of a lens.

    Raises:
        Outdated: the tool is not in the file any more.
    """
    analysis, data = snapshot.analysis, lens.data
    if analysis is None or not isinstance(data, dict) or not isinstance(data.get("tool"), str):
        raise Outdated
    tool = data["tool"]
    said = state(analysis.file, analysis.findings, tool)
    if said is None:
        raise Outdated
    if data.get("shows") == "approval":
        title = f"{tool}: {said}" if data.get("shared") else said
        lens.command = types.Command(title=title, command="")  # shown, and nothing to press
    else:
        title = f"Run agent with {tool}" if data.get("shared") else "Run agent with this tool"
        lens.command = _run(snapshot, analysis, title, tool)
    return lens


def _data(analysis: Analysis, lens: Lens, shows: str) -> dict[str, Any]:
    return {"uri": analysis.document.uri, "tool": lens.tool, "shared": lens.shared, "shows": shows}


def _run(snapshot: Snapshot, analysis: Analysis, title: str, tool: str) -> types.Command:
    """The client's own command, which shows the prompt for the person to write; else the server's, which starts."""
    path = uris.to_path(analysis.document.uri)
    where = {"projectRoot": os.path.dirname(os.path.dirname(path))} if path is not None else {}
    if snapshot.client.adal_run_command:
        draft = example_call(analysis.file, tool)
        return types.Command(title=title, command=CLIENT_RUN_COMMAND, arguments=[{**where, "draft": draft}])
    prompt = f"Try the tool {tool} once with arguments that make sense here, and tell what it returned."
    return types.Command(title=title, command=COMMAND_RUN_AGENT, arguments=[{**where, "prompt": prompt}])
