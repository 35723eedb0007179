"""ADAL20x: CUSTOM_TOOLS as a whole. Source: the custom-tools document, "The CUSTOM_TOOLS List"."""

from __future__ import annotations

from collections.abc import Iterator

from adal_ls.lint.findings import Finding, Fix, Severity, TextEdit
from adal_ls.lint.lists.no_function import NoFunction, no_function
from adal_ls.lint.lists.values import Value, ValueKind
from adal_ls.lint.model import EntryKind
from adal_ls.lint.modules.bindings import Binding, Bindings
from adal_ls.lint.reading.chunks import LIST_NAME
from adal_ls.lint.reading.text import Position, Range
from adal_ls.lint.rules.base import ENTRY_RULES, Rule, also, entry_rule, file_rule
from adal_ls.lint.rules.misnamed import hidden, is_missing, misnamed
from adal_ls.lint.subjects import is_nameless
from adal_ls.lint.view import ListedEntry, Overview, View

_ONE_LINE = 88
_ITERABLE = ("a set", "a frozenset", "a generator", "an iterator", "a view of a dict")
_UNTOLD = (ValueKind.NAME, ValueKind.ATTRIBUTE, ValueKind.COMPUTED)
_F = 'def f(x: str) -> str:\n    """Do f."""\n    return x\n\n\n'


@file_rule(
    code="ADAL201",
    name="missing-custom-tools",
    severity=Severity.INFORMATION,
    why="The runtime reads the module-level list CUSTOM_TOOLS and nothing else; a function outside of it is no tool.",
    failing='def f(x: str) -> str:\n    """Do f."""\n    return x\n',
    passing="CUSTOM_TOOLS = [f]\n",
    fix="Add the list, with the public functions of the file.",
)
def missing_custom_tools(rule: Rule[Overview], file: Overview) -> Iterator[Finding]:
    if not is_missing(file) or misnamed(file) or any(hidden(file)):  # ADAL215 says more
        return
    functions = _public_functions(file)
    fixes = (_add_list(file, functions),) if functions else ()
    yield rule.finding("This file gives no tools: it has no list CUSTOM_TOOLS", _last_line(file), fixes=fixes)


@file_rule(
    code="ADAL202",
    name="not-a-list",
    severity=Severity.ERROR,
    why="The runtime takes a list or a tuple; from any other value it gets no tools.",
    failing="CUSTOM_TOOLS = {f}\n",
    passing="CUSTOM_TOOLS = [f]\n",
    fix="Make a set, a generator, an iterator or a single function a list.",
)
def not_a_list(rule: Rule[Overview], file: Overview) -> Iterator[Finding]:
    wrong = file.tool_list.wrong
    if wrong is not None:
        message = f"CUSTOM_TOOLS must be a list or tuple, not {_words(wrong)}"
        yield rule.finding(message, wrong.range, fixes=_as_list(file, wrong))


@entry_rule(
    code="ADAL203",
    name="bad-entry",
    severity=Severity.ERROR,
    why="An entry of CUSTOM_TOOLS is a function, or a dict with a function in it; anything else is no tool.",
    failing='CUSTOM_TOOLS = ["f"]\n',
    passing="CUSTOM_TOOLS = [f]\n",
    fix="Write the function itself for a string that names one of this file, or for a call of one.",
)
def bad_entry(rule: Rule[ListedEntry], listed: ListedEntry) -> Iterator[Finding]:
    entry = listed.entry
    if entry.kind is EntryKind.WRONG:
        message = f"An entry of CUSTOM_TOOLS must be a function or a dict, not {entry.value.words}"
        yield rule.finding(message, entry.range, fixes=unquote(listed.file, entry.value))
    elif entry.kind is not EntryKind.DICT and (other := no_function(entry.value, listed.file.bindings)) is not None:
        message = f"An entry of CUSTOM_TOOLS must be a function or a dict, not {other.words}"
        yield rule.finding(message, entry.range, fixes=uncall(entry.value, other))


@file_rule(
    code="ADAL209",
    name="dynamic-list",
    severity=Severity.INFORMATION,
    why="What is computed is known only once the file is loaded; until then it is neither listed nor checked.",
    failing=f"import shop\n\n\n{_F}CUSTOM_TOOLS = [f] + shop.make_tools()\n",
    passing="CUSTOM_TOOLS = [f]\n",
)
def dynamic_list(rule: Rule[Overview], file: Overview) -> Iterator[Finding]:
    for part in file.tool_list.computed:
        yield rule.finding(f"CUSTOM_TOOLS is {part.what}: what it holds is known once the file is loaded", part.range)


@also(dynamic_list, ENTRY_RULES)
def dynamic_entry(rule: Rule[ListedEntry], listed: ListedEntry) -> Iterator[Finding]:
    entry = listed.entry
    if entry.kind is not EntryKind.DICT and no_function(entry.value, listed.file.bindings) is not None:
        return  # ADAL203 says more
    if entry.kind is EntryKind.COMPUTED:
        yield rule.finding("This entry is computed: which tool it is is known once the file is loaded", entry.range)
    elif entry.kind is EntryKind.DICT and entry.open:
        yield rule.finding("Keys of this entry are computed: they are known once the file is loaded", entry.range)
    elif entry.name is None and (place := _unknown_name(listed)) is not None:
        yield rule.finding("The name of this tool is computed: it is known once the file is loaded", place)
    elif (approval := entry.item("require_approval")) is not None and approval.value.kind in _UNTOLD:
        message = "Whether this tool asks is computed: it is known once the file is loaded"
        yield rule.finding(message, approval.value.range)


def unquote(file: View, value: Value) -> tuple[Fix, ...]:
    """For a string that is the name of a function of this file: write the name itself."""
    name = value.constant
    if not isinstance(name, str) or not _is_function(file.bindings, name):
        return ()
    return (Fix(f"Use the function {name}", (TextEdit(value.range, name),), preferred=True),)


def uncall(value: Value, other: NoFunction) -> tuple[Fix, ...]:
    """For a call of a function of this file: write the function itself."""
    if other.function is None:
        return ()
    return (Fix(f"List {other.function} itself, without a call", (TextEdit(value.range, other.function),)),)


def _is_function(bindings: Bindings, name: str) -> bool:
    definition = bindings.effective(name)
    return definition is not None and definition.kind is Binding.FUNCTION


def _unknown_name(listed: ListedEntry) -> Range | None:
    name, function = listed.entry.item("name"), listed.entry.function
    if name is not None:
        computed = name.value.kind not in (ValueKind.CONSTANT, ValueKind.CONTAINER)
        return name.value.range if computed else None
    if is_nameless(listed.file.bindings, listed.entry):
        return None
    referred = function is not None and function.kind in (ValueKind.NAME, ValueKind.COMPUTED)
    return function.range if function is not None and referred else None


def _words(value: Value) -> str:
    return f"the function {value.words}" if value.words.startswith("'") else value.words


def _as_list(file: Overview, wrong: Value) -> tuple[Fix, ...]:
    written = file.lines_at(wrong.range.start).slice(wrong.range)
    if wrong.kind is ValueKind.NAME and wrong.words.startswith("'"):
        replacement = f"[{written}]"
    elif wrong.words in ("a set", "a generator") and written[:1] in "{(":
        replacement = f"[{written[1:-1]}]"
    elif wrong.kind is ValueKind.COMPUTED and wrong.words in _ITERABLE and not file.bindings.knows("list"):
        replacement = f"list({written})"
    else:
        return ()
    return (Fix("Make it a list", (TextEdit(wrong.range, replacement),), preferred=True),)


def _public_functions(file: Overview) -> list[str]:
    found = sorted(file.bindings.functions(), key=lambda definition: file.order(definition.range))
    return [definition.name for definition in found if not definition.name.startswith("_")]


def _add_list(file: Overview, names: list[str]) -> Fix:
    end = file.line_end
    line = f"{LIST_NAME} = [{', '.join(names)}]"
    if len(line) > _ONE_LINE:
        line = f"{LIST_NAME} = [{end}{''.join(f'    {name},{end}' for name in names)}]"
    place = file.last_lines.position(len(file.last_lines.text))
    finished = place.column == 0
    text = f"{end}{end}{line}{end}" if finished else f"{end}{end}{end}{line}"
    return Fix(f"Add {LIST_NAME}", (TextEdit(Range(place, place), text),), preferred=True)


def _last_line(file: Overview) -> Range:
    lines = file.last_lines
    for number in range(lines.first + len(lines.starts) - 1, lines.first - 1, -1):
        if (line := lines.line(number)).strip():
            return Range(Position(number, 0), Position(number, len(line)))
    start = Position(lines.first, 0)
    return Range(start, start)
