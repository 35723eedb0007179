"""What can be written at a place of a tools file: keys and values of entries, functions to list, ToolOutput fields,
a new tool. Reads tokens, not the tree: where one types, there mostly is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from adal_ls.lint.authoring.typing_context import Context, Place, context
from adal_ls.lint.model import KEYS, ToolFile
from adal_ls.lint.reading.text import Position, Range, line_end
from adal_ls.lint.rules.output import FIELDS, STATUSES


class SuggestionKind(Enum):
    KEY = "key"
    FUNCTION = "function"
    FIELD = "field"
    VALUE = "value"
    SNIPPET = "snippet"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One thing to write in the place of `range`.

    `text` is plain; `snippet` the same with places to fill in (LSP 3.17, "Snippet Syntax"). `filter` is what an editor
    compares with the text that stands in the range. Suggestions come in the order in which they should be shown.
    """

    label: str
    kind: SuggestionKind
    range: Range
    text: str
    snippet: str
    filter: str
    detail: str = ""


_KEY_DETAILS = {
    "function": "the function that is called",
    "name": "the tool's name, if not the function's",
    "description": "what the model reads, if not the docstring",
    "require_approval": "whether every call asks first; True if left out",
}
_KEY_VALUES = {
    "function": ("", "$1"),
    "name": ('""', '"$1"'),
    "description": ('""', '"$1"'),
    "require_approval": ("", "${1|True,False|}"),
}
_FIELD_DETAILS = {
    "output": "the data",
    "observation": "what the model reads",
    "display": "what the person reads",
    "is_streaming": "whether more parts follow",
    "metadata": "a dict with anything else",
    "status": "success, error or cancelled",
}
_APPROVAL_DETAILS = {"True": "asks for approval", "False": "runs without asking"}


def complete(file: ToolFile, place: Position) -> list[Suggestion]:
    """The suggestions for a place; none inside comments, texts and code that is nobody's concern."""
    found = context(file, place)
    if found is None:
        return []
    if found.place is Place.KEY:
        return list(_keys(found))
    if found.place is Place.LIST:
        return [*_functions(file, found), _entry(file, found)] if found.quote is None else []
    if found.place is Place.VALUE:
        return list(_values(file, found))
    if found.place is Place.ARGUMENT:
        return list(_fields(found)) if found.quote is None else []
    if found.place is Place.STATUS:
        return list(_statuses(found))
    return list(_snippets(file, found))


def _keys(found: Context) -> Iterator[Suggestion]:
    quote = found.quote or '"'
    for key in KEYS:
        if key in found.taken:
            continue
        written = f"{quote}{key}{quote}"
        plain, filled = _KEY_VALUES[key]
        after, snippet = ("", "") if found.colon else (f": {plain}", f": {filled}")
        # Where the place begins with a quote, editors compare with that.
        compared = written if found.quote else key
        yield Suggestion(
            key, SuggestionKind.KEY, found.range, written + after, written + snippet, compared, _KEY_DETAILS[key]
        )


def _functions(file: ToolFile, found: Context) -> Iterator[Suggestion]:
    """The functions that are not listed, public ones first, each in the order of the text."""
    names = _unlisted(file, found)
    for name in sorted(names, key=lambda name: name.startswith("_")):
        yield Suggestion(name, SuggestionKind.FUNCTION, found.range, name, name, name, "function of this file")


def _unlisted(file: ToolFile, found: Context) -> list[str]:
    """The functions that no entry lists, but for the entry at the place itself."""
    listed = set(found.taken)
    for entry in file.entries:
        if entry.function is not None and entry.function.name and not entry.function.range.contains(found.range):
            listed.add(entry.function.name)
    return [definition.name for definition in file.bindings.functions() if definition.name not in listed]


def _entry(file: ToolFile, found: Context) -> Suggestion:
    names = [name for name in _unlisted(file, found) if not name.startswith("_")]
    function = names[0] if len(names) == 1 else "${1}"
    text = f'{{"function": {names[0] if len(names) == 1 else ""}}}'
    return Suggestion(
        '{"function": …}',
        SuggestionKind.SNIPPET,
        found.range,
        text,
        f'{{"function": {function}$2}}',
        '{"function"',
        "entry with a name, a description or an approval of its own",
    )


def _values(file: ToolFile, found: Context) -> Iterator[Suggestion]:
    if found.key == "function" and found.quote is None:
        yield from _functions(file, found)
    elif found.key == "require_approval" and found.quote is None:
        for value, detail in _APPROVAL_DETAILS.items():
            yield Suggestion(value, SuggestionKind.VALUE, found.range, value, value, value, detail)


def _fields(found: Context) -> Iterator[Suggestion]:
    for name in ("output", "observation", "display", "status", "metadata", "is_streaming"):
        if name in found.taken or name not in FIELDS:
            continue
        filled = f'{name}="${{1|{",".join(STATUSES)}|}}"' if name == "status" else f"{name}=$1"
        yield Suggestion(f"{name}=", SuggestionKind.FIELD, found.range, f"{name}=", filled, name, _FIELD_DETAILS[name])


def _statuses(found: Context) -> Iterator[Suggestion]:
    quote = found.quote or '"'
    for status in STATUSES:
        written = f"{quote}{status}{quote}"
        compared = written if found.quote else status
        yield Suggestion(status, SuggestionKind.VALUE, found.range, written, written, compared)


def _snippets(file: ToolFile, found: Context) -> Iterator[Suggestion]:
    end = line_end(file.text)
    plain = ["def tool_name(text: str) -> str:", '    """What the tool does, and when to use it.', "", "    Args:"]
    plain += ["        text: What it is.", '    """', "    return text"]
    filled = ["def ${1:tool_name}(${2:text}: ${3:str}) -> ${4:str}:"]
    filled += ['    """${5:What the tool does, and when to use it.}', "", "    Args:"]
    filled += ["        ${2}: ${6:What it is.}", '    """', "    ${0:return ${2}}"]
    yield Suggestion(
        "def … (new tool)",
        SuggestionKind.SNIPPET,
        found.range,
        end.join(plain),
        end.join(filled),
        "def new tool",
        "function with type hints and a docstring, as a model needs them",
    )
    begun = file.lines.slice(found.range).startswith(("def ", "async "))
    if not begun and file.tool_list.range is None and "CUSTOM_TOOLS" not in file.bindings.unreadable:
        names = ", ".join(d.name for d in file.bindings.functions() if not d.name.startswith("_"))
        yield Suggestion(
            "CUSTOM_TOOLS",
            SuggestionKind.SNIPPET,
            found.range,
            f"CUSTOM_TOOLS = [{names}]",
            f"CUSTOM_TOOLS = [{names}$0]",
            "CUSTOM_TOOLS",
            "the list of the tools that the agent gets",
        )
