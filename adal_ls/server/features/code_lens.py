"""`textDocument/codeLens` and `codeLens/resolve`: run the agent with a tool, try it, how it stands to approval.

What a lens says follows from the text alone, so a client that asks again after an edit, as all do, needs no refresh.
"""

from __future__ import annotations

import os
from typing import Any

from lsprotocol import types

from adal_ls import naming
from adal_ls.lint.authoring.lenses import Lens, example_call, lenses, needs_arguments, state
from adal_ls.lint.lists.left_out import refused
from adal_ls.protocol.methods import COMMAND_RUN_AGENT, COMMAND_TRY_TOOL
from adal_ls.server.capabilities import CLIENT_RUN_COMMAND, CLIENT_TRY_COMMAND
from adal_ls.server.diagnostics.analysis import Analysis
from adal_ls.server.documents.snapshot import Snapshot
from adal_ls.server.features.places import types_range
from adal_ls.server.features.refusal import Outdated
from adal_ls.workspace import uris

_TITLES = ("try", "run", "approval")


def code_lens(
    snapshot: Snapshot,
    params: types.CodeLensParams,  # noqa: ARG001 - the snapshot is of that document
) -> list[types.CodeLens]:
    """The lenses for each place of a tool, without what they say: that is resolved for those that are seen.

    A tool that no run will have is not offered for one.
    """
    analysis = snapshot.analysis
    if analysis is None:
        return []
    left_out = refused(analysis.file, analysis.findings)
    return [
        types.CodeLens(
            range=types_range(analysis.document, lens.place, snapshot.client.encoding),
            data=_data(analysis, lens, shows),
        )
        for lens in lenses(analysis.file)
        for shows in (("approval",) if naming.canonical(lens.tool) in left_out else _TITLES)
        if shows != "try" or _can_try(snapshot, analysis, lens.tool)
    ]


def code_lens_resolve(snapshot: Snapshot, lens: types.CodeLens) -> types.CodeLens:
    """Title and command of a lens.

    Raises:
        Outdated: the tool is not in the file any more, or no run will have it.
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
    elif naming.canonical(tool) in refused(analysis.file, analysis.findings):
        raise Outdated
    elif data.get("shows") == "try":
        title = f"Try {tool}" if data.get("shared") else "Try"
        lens.command = _try(snapshot, analysis, title, tool)
    else:
        title = f"Run agent with {tool}" if data.get("shared") else "Run agent with this tool"
        lens.command = _run(snapshot, analysis, title, tool)
    return lens


def _data(analysis: Analysis, lens: Lens, shows: str) -> dict[str, Any]:
    return {"uri": analysis.document.uri, "tool": lens.tool, "shared": lens.shared, "shows": shows}


def _run(snapshot: Snapshot, analysis: Analysis, title: str, tool: str) -> types.Command:
    """The client's own command, which shows the prompt for the person to write; else the server's, which starts."""
    where = _where(analysis)
    if snapshot.client.adal_run_command:
        draft = example_call(analysis.file, tool)
        return types.Command(title=title, command=CLIENT_RUN_COMMAND, arguments=[{**where, "draft": draft}])
    prompt = f"Try the tool {tool} once with arguments that make sense here, and tell what it returned."
    return types.Command(title=title, command=COMMAND_RUN_AGENT, arguments=[{**where, "prompt": prompt}])


def _can_try(snapshot: Snapshot, analysis: Analysis, tool: str) -> bool:
    """A client without a form for arguments can try what needs none."""
    return snapshot.client.adal_try_command or not needs_arguments(analysis.file, tool)


def _try(snapshot: Snapshot, analysis: Analysis, title: str, tool: str) -> types.Command:
    command = CLIENT_TRY_COMMAND if snapshot.client.adal_try_command else COMMAND_TRY_TOOL
    return types.Command(title=title, command=command, arguments=[{**_where(analysis), "tool": tool}])


def _where(analysis: Analysis) -> dict[str, str]:
    path = uris.to_path(analysis.document.uri)
    return {"projectRoot": os.path.dirname(os.path.dirname(path))} if path is not None else {}
