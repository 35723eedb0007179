"""The built-in tools there are: what a model is told about each. Data; no tool's code is imported here.

Every entry is a reserved name of `naming`, and its group is the one there.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from adal_ls import naming


@dataclass(frozen=True, slots=True)
class Builtin:
    """A built-in tool. `read_only` tools change nothing and run unasked inside the workspace in mode `default`.

    `group` None: it touches nothing but the run itself. `key`: the environment variable without which it is not there.
    """

    name: str
    group: naming.Group | None
    description: str
    parameters: Mapping[str, Any]
    read_only: bool
    key: str | None = None


def _object(required: list[str], **properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


SEARCH_KEY = "TAVILY_API_KEY"
"""The environment variable with the key of the search service."""

_FILE = _text("Path of the file, relative to the workspace.")

_ALL = (
    Builtin(
        name="read_file",
        group="Read",
        description=(
            "Read a UTF-8 text file of the workspace. Gives at most 1,000,000 bytes; read a larger file in parts "
            "with offset and limit."
        ),
        parameters=_object(
            ["path"],
            path=_FILE,
            offset={"type": "integer", "minimum": 1, "description": "First line to read, counted from 1."},
            limit={"type": "integer", "minimum": 1, "description": "Number of lines to read."},
        ),
        read_only=True,
    ),
    Builtin(
        name="list_files",
        group="Read",
        description=(
            "List the names in one folder of the workspace, one a line, hidden ones too: folders end in /, links in @. "
            "For files below it use glob."
        ),
        parameters=_object([], path=_text("Path of the folder, relative to the workspace; left out: the workspace.")),
        read_only=True,
    ),
    Builtin(
        name="glob",
        group="Search",
        description=(
            "Find files by the pattern of their path, such as src/**/*.py: * and ? stay within one folder, ** is any "
            "number of folders, {a,b} either. Leaves out .git and what .gitignore names. Gives 1,000 paths at most."
        ),
        parameters=_object(
            ["pattern"],
            pattern=_text("The pattern, relative to path. *.py finds files of that folder alone, **/*.py all below."),
            path=_text("The folder to look in, relative to the workspace; left out: the workspace."),
        ),
        read_only=True,
    ),
    Builtin(
        name="grep",
        group="Search",
        description=(
            "Find lines that match a regular expression (no look-around, no references back), as path:line:text. "
            "Leaves out .git, .env files, binary files, files over 10 MB and what .gitignore names. Gives 500 lines at "
            "most."
        ),
        parameters=_object(
            ["pattern"],
            pattern=_text("The regular expression; (?i) at its start ignores case."),
            path=_text("The folder or file to search, relative to the workspace; left out: the workspace."),
        ),
        read_only=True,
    ),
    Builtin(
        name="edit_file",
        group="Edit",
        description=(
            "Replace one text of a file by another. old_text must be in the file exactly once, so give enough of the "
            "lines around it; read the file first. Line ends of the file are kept."
        ),
        parameters=_object(
            ["path", "old_text", "new_text"],
            path=_FILE,
            old_text=_text("The text to replace, copied exactly, with its indentation."),
            new_text=_text("What takes its place; empty to delete it."),
        ),
        read_only=False,
    ),
    Builtin(
        name="write_file",
        group="Edit",
        description=(
            "Make a file, or replace all of it. Its folder must exist. At most 1,000,000 bytes. To change a part of a "
            "file use edit_file."
        ),
        parameters=_object(["path", "content"], path=_FILE, content=_text("All of the text of the file.")),
        read_only=False,
    ),
    Builtin(
        name="bash",
        group="Bash",
        description=(
            "Run a shell command in the workspace, in a sandbox: no network, nothing outside the workspace can be "
            "changed, 30 seconds at most. Gives its output and exit code; a non-zero exit code is no error of the "
            "tool. Every call starts in the workspace folder with a fresh shell, and what runs in the background ends "
            "with it."
        ),
        parameters=_object(["command"], command=_text("The command line, as for bash -c.")),
        read_only=False,
    ),
    Builtin(
        name="fetch_url",
        group="Web",
        description=(
            "Fetch a public http or https URL (GET). A page is given as Markdown, text and JSON as they are, other "
            "types are refused. An answer such as 404 is given, too. At most 1,000,000 bytes."
        ),
        parameters=_object(["url"], url=_text("The whole URL, with http:// or https://.")),
        read_only=True,
    ),
    Builtin(
        name="web_search",
        group="Web",
        description="Search the web. Gives title, URL and an extract of each result; fetch_url gives a whole page.",
        parameters=_object(["query"], query=_text("What to search for.")),
        read_only=True,
        key=SEARCH_KEY,
    ),
    Builtin(
        name="write_todos",
        group=None,
        description=(
            "Keep a list of what this task still needs, for work of several steps; the user sees it. Give the whole "
            "list each time, with one entry in_progress."
        ),
        parameters=_object(
            ["todos"],
            todos={
                "type": "array",
                "maxItems": 100,
                "items": _object(
                    ["content", "status"],
                    content=_text("What is to do, in a line."),
                    status={"type": "string", "enum": ["pending", "in_progress", "completed"]},
                ),
            },
        ),
        read_only=True,
    ),
    Builtin(
        name="read_todos",
        group=None,
        description="The list that write_todos keeps.",
        parameters=_object([]),
        read_only=True,
    ),
)

BUILTINS: Mapping[str, Builtin] = MappingProxyType({builtin.name: builtin for builtin in _ALL})
"""Name → tool, in the order in which a model sees them. Some are there only with a key: `available`."""

UNCONFINED_BASH = (
    "Run a shell command in the workspace folder, with the user's own rights, 30 seconds at most. Gives its output and "
    "exit code; a non-zero exit code is no error of the tool. Every call starts in the workspace folder with a fresh "
    "shell, and what runs in the background ends with it."
)
"""What a model is told about bash where it runs without a sandbox."""

DESCRIBE = Builtin(
    name="describe_workspace_env",
    group="Read",
    description="Where the file tools and bash of this workspace are, and what they may read, write and reach.",
    parameters=_object([]),
    read_only=True,
)
"""Only workspaces of a provider have it; its name is not reserved."""


def available(environ: Mapping[str, str] = os.environ) -> Mapping[str, Builtin]:
    """The built-in tools that can be used here: those that need no key, or have it."""
    return {name: tool for name, tool in BUILTINS.items() if tool.key is None or environ.get(tool.key)}
