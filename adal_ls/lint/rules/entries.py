"""ADAL20x: the entries of CUSTOM_TOOLS, above all in dict form. Source: the custom-tools document, "Dict form"."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator

from adal_ls.lint.findings import Finding, Fix, Severity, TextEdit
from adal_ls.lint.fixes.edits import replace_string
from adal_ls.lint.lists.no_function import no_function
from adal_ls.lint.lists.values import Value, ValueKind
from adal_ls.lint.model import KEYS, Entry, EntryKind, Item
from adal_ls.lint.modules.bindings import Binding
from adal_ls.lint.reading.text import Range
from adal_ls.lint.rules.base import Rule, entry_rule
from adal_ls.lint.rules.shape import uncall, unquote
from adal_ls.lint.subjects import is_nameless
from adal_ls.lint.view import ListedEntry, View

_MEANT = {
    "func": "function",
    "fn": "function",
    "callable": "function",
    "handler": "function",
    "tool": "function",
    "tool_name": "name",
    "desc": "description",
    "doc": "description",
    "docstring": "description",
    "approve": "require_approval",
    "approval": "require_approval",
    "confirm": "require_approval",
    "needs_approval": "require_approval",
}
"""Keys that other tool formats use or that come to mind, spelled too far from ours to be seen as typos."""

_CERTAIN = (ValueKind.CONSTANT, ValueKind.CONTAINER, ValueKind.F_STRING)


@entry_rule(
    code="ADAL204",
    name="missing-function",
    severity=Severity.ERROR,
    why='A dict entry names its function under the key "function"; without it there is nothing to call.',
    failing='CUSTOM_TOOLS = [{"name": "f"}]\n',
    passing='CUSTOM_TOOLS = [{"function": f, "name": "f"}]\n',
    fix="Write the key that was meant by a similar one.",
)
def missing_function(rule: Rule[ListedEntry], listed: ListedEntry) -> Iterator[Finding]:
    entry = listed.entry
    if entry.kind is not EntryKind.DICT:
        return
    if entry.open or entry.item("function") is not None:
        return
    near = _meant_function(entry)
    if near is None:
        yield rule.finding('This entry has no "function"', entry.range)
    else:
        message = f'This entry has no "function"; did you mean it by {_key(near)}?'
        yield rule.finding(message, near.key_range, fixes=_fix_key(near))


@entry_rule(
    code="ADAL205",
    name="unknown-key",
    severity=Severity.WARNING,
    why="The runtime does not know the key: what it was meant to say is not heard, and the tool works in another way.",
    failing='CUSTOM_TOOLS = [{"function": f, "approve": False}]\n',
    passing='CUSTOM_TOOLS = [{"function": f, "require_approval": False}]\n',
    fix="Write the key that is meant, or put quotes around it.",
)
def unknown_key(rule: Rule[ListedEntry], listed: ListedEntry) -> Iterator[Finding]:
    entry = listed.entry
    if entry.kind is not EntryKind.DICT:
        return
    told = None if entry.open or entry.item("function") is not None else _meant_function(entry)
    for item in entry.items:
        if item is told:
            continue  # missing-function says it of this key
        if item.bare_key is not None:
            message = f'The key {item.bare_key} needs quotes: "{item.bare_key}"'
            yield rule.finding(message, item.key_range, fixes=_fix_key(item))
        elif item.key is not None and item.key not in KEYS:
            meant = _meant(item)
            keys = ", ".join(KEYS)
            advice = f'did you mean "{meant}"?' if meant else f"the keys are {keys}"
            fixes = _fix_key(item) if meant and entry.item(meant) is None else ()
            yield rule.finding(f"Unknown key {_key(item)}; {advice}", item.key_range, fixes=fixes)


@entry_rule(
    code="ADAL206",
    name="bad-value",
    severity=Severity.ERROR,
    why="A name and a description are strings and a function is callable; the runtime cannot use anything else.",
    failing='CUSTOM_TOOLS = [{"function": "f"}]\n',
    passing='CUSTOM_TOOLS = [{"function": f}]\n',
    fix="Write the function itself for a string that names one of this file, or for a call of one.",
)
def bad_value(rule: Rule[ListedEntry], listed: ListedEntry) -> Iterator[Finding]:
    entry = listed.entry
    if entry.kind is not EntryKind.DICT:
        return
    for key in ("name", "description"):
        item = entry.item(key)
        if item is not None and _is_not_string(item.value):
            yield rule.finding(f'"{key}" must be a string, got {item.value.words}', item.value.range)
    function = entry.item("function")
    if function is not None and function.value.kind in _CERTAIN:
        message = f'"function" must be callable, got {function.value.words}'
        yield rule.finding(message, function.value.range, fixes=unquote(listed.file, function.value))
    elif function is not None and (other := no_function(function.value, listed.file.bindings)) is not None:
        message = f'"function" must be callable, got {other.words}'
        yield rule.finding(message, function.value.range, fixes=uncall(function.value, other))


@entry_rule(
    code="ADAL207",
    name="undefined-function",
    severity=Severity.ERROR,
    why="The name is bound nowhere in the file, so loading it ends in a NameError and none of its tools can run.",
    failing="CUSTOM_TOOLS = [f, g]\n",
    passing="CUSTOM_TOOLS = [f]\n",
    fix="Use the function of the most similar name.",
)
def undefined_function(rule: Rule[ListedEntry], listed: ListedEntry) -> Iterator[Finding]:
    entry = listed.entry
    function = entry.function
    root = function.root if function else None
    if function is None or function.module_name is None or root is None or hasattr(builtins, root):
        return
    if not listed.file.bindings.knows(root):
        near = listed.file.function_names.nearest(root)
        advice = f"; did you mean '{near}'?" if near else ""
        fixes = (Fix(f"Use {near}", (TextEdit(function.range, near),)),) if near and root == function.name else ()
        yield rule.finding(f"'{root}' is not defined{advice}", function.range, fixes=fixes)
    elif not entry.conditional and _is_below(listed.file, root, entry.range):
        message = f"'{root}' is defined only further down: move CUSTOM_TOOLS to the end of the file"
        related = ((listed.file.bindings.definitions[root][0].name_range, "Defined here"),)
        yield rule.finding(message, function.range, related=related)


@entry_rule(
    code="ADAL208",
    name="bad-require-approval",
    severity=Severity.ERROR,
    why="Only the literal False lets a tool run without asking; anything else is the safe side, whatever was meant.",
    failing='CUSTOM_TOOLS = [{"function": f, "require_approval": "False"}]\n',
    passing='CUSTOM_TOOLS = [{"function": f, "require_approval": False}]\n',
    fix="Use True (as it works now) or False.",
)
def bad_require_approval(rule: Rule[ListedEntry], listed: ListedEntry) -> Iterator[Finding]:
    entry = listed.entry
    if entry.kind is not EntryKind.DICT:
        return
    item = entry.item("require_approval")
    kinds = (*_CERTAIN, ValueKind.LAMBDA, ValueKind.PARTIAL)
    if item is None or item.value.kind not in kinds or isinstance(item.value.constant, bool):
        return
    message = f'"require_approval" must be True or False, got {item.value.words}: the tool will ask'
    # Neither is preferred: applied unseen, the second would let a tool run that asks today.
    fixes = (
        Fix("Use True: the tool asks, as it does now", (TextEdit(item.value.range, "True"),)),
        Fix("Use False: the tool runs without asking", (TextEdit(item.value.range, "False"),)),
    )
    yield rule.finding(message, item.value.range, fixes=fixes)


def _is_below(file: View, name: str, place: Range) -> bool:
    """Whether every definition of a name comes after `place`."""
    if file.bindings.open or name in file.bindings.unreadable:
        return False
    return all(file.is_after(definition.range.start, place.end) for definition in file.bindings.definitions[name])


@entry_rule(
    code="ADAL210",
    name="class-entry",
    severity=Severity.ERROR,
    why="Calling a class makes an object, which is no result for a model; the runtime leaves the entry out.",
    failing="class Finder:\n    pass\n\n\nCUSTOM_TOOLS = [Finder]\n",
    passing="CUSTOM_TOOLS = [f]\n",
)
def class_entry(rule: Rule[ListedEntry], listed: ListedEntry) -> Iterator[Finding]:
    entry = listed.entry
    function = entry.function
    if function is None or function.kind is not ValueKind.NAME or function.module_name is None:
        return
    definition = listed.file.bindings.effective(function.module_name)
    if definition is not None and definition.kind is Binding.CLASS:
        message = f"'{function.name}' is a class, so this entry is left out: list a function"
        yield rule.finding(message, function.range, related=((definition.name_range, "Defined here"),))


@entry_rule(
    code="ADAL211",
    name="nameless-function",
    severity=Severity.WARNING,
    why="A lambda, a partial or an object has no name of its own: the runtime leaves it out unless its entry has one.",
    failing="CUSTOM_TOOLS = [lambda x: x]\n",
    passing='CUSTOM_TOOLS = [{"function": lambda x: x, "name": "same"}]\n',
)
def nameless_function(rule: Rule[ListedEntry], listed: ListedEntry) -> Iterator[Finding]:
    entry = listed.entry
    function = entry.function
    if function is None or entry.named or not is_nameless(listed.file.bindings, entry):
        return
    message = f'{_capital(function.words)} has no name: write {{"function": ..., "name": "..."}}'
    yield rule.finding(message, function.range)


def _capital(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"


def _is_not_string(value: Value) -> bool:
    if value.kind is ValueKind.CONSTANT:
        return not isinstance(value.constant, str)
    return value.kind in (ValueKind.CONTAINER, ValueKind.LAMBDA)


def _meant(item: Item) -> str | None:
    """The key that an unknown key stands for, if that can be told."""
    if item.bare_key is not None:
        return item.bare_key
    if item.key is None or item.key in KEYS:
        return None
    plain = item.key.strip().lower().replace("-", "_")
    return _MEANT.get(plain) or _closest(plain, KEYS)


def _meant_function(entry: Entry) -> Item | None:
    """The key that stands where "function" should."""
    return next((item for item in entry.items if _meant(item) == "function"), None)


def _closest(word: str, known: Iterable[str]) -> str | None:
    from difflib import get_close_matches  # only a file with a slip pays for the import

    return next(iter(get_close_matches(word, list(known), n=1, cutoff=0.7)), None)


def _key(item: Item) -> str:
    return item.key_words.removeprefix("the string ")


def _fix_key(item: Item) -> tuple[Fix, ...]:
    meant = _meant(item)
    if meant is None:
        return ()
    edit = _quoted(item.key_range, meant) if item.bare_key else replace_string(item.lines, item.key_range, meant)
    # Never applied unseen where it can let a tool run that asks today.
    approval = meant == "require_approval"
    unasked = ": the tool runs without asking" if approval and item.value.constant is False else ""
    return (Fix(f'Use the key "{meant}"{unasked}', (edit,), preferred=not approval),)


def _quoted(place: Range, key: str) -> TextEdit:
    return TextEdit(place, f'"{key}"')
