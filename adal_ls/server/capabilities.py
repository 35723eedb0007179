"""What the client can do, read once into flags; and what the server offers it, a pure function of those flags."""

from __future__ import annotations

from dataclasses import dataclass

from adal_ls.protocol.methods import COMMANDS, PROTOCOL_VERSION
from adal_ls.server.documents.positions import Encoding, choose
from adal_ls.server.transport.rpc import Json

TYPED_METHODS = (
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/signatureHelp",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/inlayHint",
    "textDocument/codeLens",
    "codeLens/resolve",
    "textDocument/codeAction",
    "codeAction/resolve",
    "textDocument/prepareRename",
    "textDocument/rename",
    "workspace/symbol",
)
"""Requests that the typed dispatcher answers (one module in `features/` each)."""

FIX_ALL = "source.fixAll.adal"

CODE_ACTION_KINDS = ("quickfix", FIX_ALL)

COMPLETION_TRIGGERS = ('"', "'", "{", "[", "(")

SIGNATURE_TRIGGERS = ("(", "{", ",")
SIGNATURE_RETRIGGERS = ("=", ":", ")", "}")

CLIENT_RUN_COMMAND = "adal.runAgent"
"""The client's own command that shows the prompt for a run, where it says that it has one."""

CLIENT_TRY_COMMAND = "adal.tryTool"
"""The client's own command that asks for a tool's arguments and runs it, where it says that it has one."""


@dataclass(frozen=True, slots=True)
class Client:
    """A client's capabilities, as far as the server's behaviour depends on them."""

    encoding: Encoding
    pull_diagnostics: bool
    refresh_diagnostics: bool
    related_information: bool
    code_descriptions: bool
    watches_files: bool
    asks_configuration: bool
    code_action_literals: bool
    code_action_preferred: bool
    code_action_resolves_edit: bool
    versioned_edits: bool
    markdown_hover: bool
    completion_snippets: bool
    label_offsets: bool
    nested_symbols: bool
    folds_lines_only: bool
    prepares_rename: bool
    work_done_progress: bool
    adal_approval: bool
    adal_run_updates: bool
    adal_run_command: bool
    adal_try_command: bool


def read(capabilities: Json) -> Client:
    """The flags of `initialize`'s `capabilities`. What is missing or has a wrong type counts as not supported."""

    def has(*path: str) -> bool:
        return bool(_at(capabilities, path))

    formats = _at(capabilities, ("textDocument", "hover", "contentFormat"))
    resolved = _at(capabilities, ("textDocument", "codeAction", "resolveSupport", "properties"))
    commands = _at(capabilities, ("experimental", "adal", "commands"))
    return Client(
        encoding=choose(_at(capabilities, ("general", "positionEncodings"))),
        pull_diagnostics=_at(capabilities, ("textDocument", "diagnostic")) is not None,
        refresh_diagnostics=has("workspace", "diagnostics", "refreshSupport"),
        related_information=has("textDocument", "publishDiagnostics", "relatedInformation")
        or has("textDocument", "diagnostic", "relatedInformation"),
        code_descriptions=has("textDocument", "publishDiagnostics", "codeDescriptionSupport")
        or has("textDocument", "diagnostic", "codeDescriptionSupport"),
        watches_files=has("workspace", "didChangeWatchedFiles", "dynamicRegistration"),
        asks_configuration=has("workspace", "configuration"),
        code_action_literals=has("textDocument", "codeAction", "codeActionLiteralSupport"),
        code_action_preferred=has("textDocument", "codeAction", "isPreferredSupport"),
        code_action_resolves_edit=has("textDocument", "codeAction", "dataSupport")
        and isinstance(resolved, list)
        and "edit" in resolved,
        versioned_edits=has("workspace", "workspaceEdit", "documentChanges"),
        markdown_hover=isinstance(formats, list) and "markdown" in formats,
        completion_snippets=has("textDocument", "completion", "completionItem", "snippetSupport"),
        label_offsets=has(
            "textDocument", "signatureHelp", "signatureInformation", "parameterInformation", "labelOffsetSupport"
        ),
        nested_symbols=has("textDocument", "documentSymbol", "hierarchicalDocumentSymbolSupport"),
        folds_lines_only=has("textDocument", "foldingRange", "lineFoldingOnly"),
        prepares_rename=has("textDocument", "rename", "prepareSupport"),
        work_done_progress=has("window", "workDoneProgress"),
        adal_approval=has("experimental", "adal", "approval"),
        adal_run_updates=has("experimental", "adal", "runUpdates"),
        adal_run_command=isinstance(commands, list) and CLIENT_RUN_COMMAND in commands,
        adal_try_command=isinstance(commands, list) and CLIENT_TRY_COMMAND in commands,
    )


def offer(client: Client) -> dict[str, Json]:
    """`ServerCapabilities` for `client`: exactly what is handled, no more."""
    offered: dict[str, Json] = {
        "positionEncoding": client.encoding,
        "textDocumentSync": {"openClose": True, "change": 2, "save": {"includeText": False}},
        "hoverProvider": True,
        "completionProvider": {"triggerCharacters": list(COMPLETION_TRIGGERS)},
        "signatureHelpProvider": {
            "triggerCharacters": list(SIGNATURE_TRIGGERS),
            "retriggerCharacters": list(SIGNATURE_RETRIGGERS),
        },
        "definitionProvider": True,
        "referencesProvider": True,
        "documentHighlightProvider": True,
        "documentSymbolProvider": True,
        "workspaceSymbolProvider": {"resolveProvider": False},
        "foldingRangeProvider": True,
        "inlayHintProvider": {"resolveProvider": False},
        "codeLensProvider": {"resolveProvider": True},
        # LSP 3.17, "Rename": options only for a client that knows prepareRename.
        "renameProvider": {"prepareProvider": True} if client.prepares_rename else True,
        "executeCommandProvider": {"commands": list(COMMANDS)},
        "workspace": {"workspaceFolders": {"supported": True, "changeNotifications": True}},
        "experimental": {"adal": {"protocolVersion": PROTOCOL_VERSION}},
    }
    if client.code_action_literals:  # without them an action must be a command, and edits cannot be offered
        offered["codeActionProvider"] = {"codeActionKinds": list(CODE_ACTION_KINDS), "resolveProvider": True}
    if client.pull_diagnostics:
        offered["diagnosticProvider"] = {
            "identifier": "adal-ls",
            # An edit of a module beside a tools file changes what is said of that; who can be told is told.
            "interFileDependencies": not client.refresh_diagnostics,
            "workspaceDiagnostics": True,
        }
    return offered


def _at(value: Json, path: tuple[str, ...]) -> Json:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value
