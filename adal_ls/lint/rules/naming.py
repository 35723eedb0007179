"""ADAL1xx: names of tools. Source of 101 to 104: the custom-tools document, "Naming Rules"."""

from __future__ import annotations

import builtins
from collections.abc import Iterator

from adal_ls import naming
from adal_ls.lint.findings import Finding, Fix, Severity, TextEdit
from adal_ls.lint.fixes.edits import replace_string
from adal_ls.lint.model import Entry, EntryKind
from adal_ls.lint.modules.bindings import Bindings
from adal_ls.lint.reading.text import Range
from adal_ls.lint.rules.base import Rule, entry_rule
from adal_ls.lint.subjects import meant
from adal_ls.lint.view import ListedEntry

# Not `keyword.softkwlist`, which differs between Pythons: lint must not.
_SOFT_KEYWORDS = frozenset({"_", "case", "match", "type"})


def _named_example(name: str) -> str:
    return f'def {name}(x: str) -> str:\n    """List tickets."""\n    return x\n\n\nCUSTOM_TOOLS = [{name}]\n'


_BUILTINS = frozenset(name for name in dir(builtins) if not name.startswith("_"))


@entry_rule(
    code="ADAL101",
    name="invalid-identifier",
    severity=Severity.ERROR,
    why="A tool name must be a Python identifier; the runtime leaves the tool out otherwise.",
    failing='CUSTOM_TOOLS = [{"function": f, "name": "create-ticket"}]\n',
    passing='CUSTOM_TOOLS = [{"function": f, "name": "create_ticket"}]\n',
    fix='Rename the tool: in its "name", or by giving it one in dict form.',
)
def invalid_identifier(rule: Rule[ListedEntry], listed: ListedEntry) -> Iterator[Finding]:
    entry, name = listed.entry, listed.entry.name
    if name is None:
        return
    if not naming.is_identifier(name):
        message = f"The tool name {_shown(name)} is not a valid Python identifier, so the tool is left out"
        yield rule.finding(message, entry.name_range, fixes=_rename(listed))


@entry_rule(
    code="ADAL102",
    name="keyword",
    severity=Severity.ERROR,
    why="A tool name must not be a Python keyword; the runtime leaves the tool out otherwise.",
    failing='CUSTOM_TOOLS = [{"function": f, "name": "return"}]\n',
    passing='CUSTOM_TOOLS = [{"function": f, "name": "return_book"}]\n',
    fix='Rename the tool: in its "name", or by giving it one in dict form.',
)
def keyword(rule: Rule[ListedEntry], listed: ListedEntry) -> Iterator[Finding]:
    entry, name = listed.entry, listed.entry.name
    if name is None:
        return
    if naming.is_keyword(name):
        message = f"The tool name '{name}' is a Python keyword, so the tool is left out"
        yield rule.finding(message, entry.name_range, fixes=_rename(listed))


@entry_rule(
    code="ADAL103",
    name="duplicate",
    severity=Severity.ERROR,
    why="A call must never reach the wrong function, so the runtime drops every tool of a duplicated name.",
    failing='CUSTOM_TOOLS = [f, {"function": f, "name": "f"}]\n',
    passing='CUSTOM_TOOLS = [f, {"function": f, "name": "g"}]\n',
    fix='Rename the tool: in its "name", or by giving it one in dict form.',
)
def duplicate(rule: Rule[ListedEntry], listed: ListedEntry) -> Iterator[Finding]:
    entry, name = listed.entry, listed.entry.name
    if name is None:
        return
    if entry.conditional:  # another branch may list the same name
        return
    same = listed.file.tool_names[naming.canonical(name)]
    before = next(other for other in same if not other.conditional)
    if before is entry:
        return
    related = ((_listed_at(before), "First listed here"),)
    if _same(listed.file.bindings, before, entry):
        message = f"The tool '{name}' is already in CUSTOM_TOOLS: remove this entry"
        fixes: tuple[Fix, ...] = ()
    else:
        fixes = _rename(listed)
        message = f"The tool name {_shown(name)} is already used, so no tool of this name runs: rename one of them"
    yield rule.finding(message, _listed_at(entry), related=related, fixes=fixes)


@entry_rule(
    code="ADAL104",
    name="builtin-clash",
    severity=Severity.ERROR,
    why="A custom tool never replaces a built-in one: a call of `bash` must run what the person believes it runs.",
    failing='CUSTOM_TOOLS = [{"function": f, "name": "read_file"}]\n',
    passing='CUSTOM_TOOLS = [{"function": f, "name": "read_ticket"}]\n',
    fix='Rename the tool: in its "name", or by giving it one in dict form.',
)
def builtin_clash(rule: Rule[ListedEntry], listed: ListedEntry) -> Iterator[Finding]:
    entry, name = listed.entry, listed.entry.name
    if name is None:
        return
    if (reserved := naming.RESERVED.get(naming.canonical(name))) is not None:
        owner = "a built-in tool" if reserved.ours else "a built-in tool of AdaL"
        message = (
            f"The name '{name}' is reserved for {owner}, so this tool is left out. "
            f"Rename it, for example to '{_suggestion(listed)}'"
        )
        yield rule.finding(message, entry.name_range, fixes=_rename(listed))


@entry_rule(
    code="ADAL105",
    name="builtin-lookalike",
    severity=Severity.WARNING,
    why="A model, and a person who approves a call, confuse names that differ from a built-in tool only in case.",
    failing='CUSTOM_TOOLS = [{"function": f, "name": "Bash"}]\n',
    passing='CUSTOM_TOOLS = [{"function": f, "name": "run_job"}]\n',
    fix='Rename the tool: in its "name", or by giving it one in dict form.',
)
def builtin_lookalike(rule: Rule[ListedEntry], listed: ListedEntry) -> Iterator[Finding]:
    entry, name = listed.entry, listed.entry.name
    if name is None:
        return
    if naming.is_identifier(name) and (known := naming.lookalike(name)) is not None:
        what = "group of built-in tools" if known in naming.GROUPS else "built-in tool"
        message = f"The tool name '{name}' is easily mistaken for the {what} '{known}'"
        # The tool works under this name: people have given it approvals, and prompts speak of it.
        fixes = tuple(fix._replace(preferred=False) for fix in _rename(listed))
        yield rule.finding(message, entry.name_range, fixes=fixes)


@entry_rule(
    code="ADAL106",
    name="provider-name",
    severity=Severity.WARNING,
    why="Model providers take ASCII letters, digits, `_` and `-` only, at most 64; the tool travels under an alias.",
    failing='CUSTOM_TOOLS = [{"function": f, "name": "查询天气"}]\n',
    passing='CUSTOM_TOOLS = [{"function": f, "name": "query_weather"}]\n',
)
def provider_name(rule: Rule[ListedEntry], listed: ListedEntry) -> Iterator[Finding]:
    entry, name = listed.entry, listed.entry.name
    if name is None:
        return
    if naming.fits_providers(name) or naming.is_refused(name):
        return
    faults = []
    if not name.isascii():
        faults.append("has characters other than ASCII, and model providers accept ASCII only")
    if len(name) > 64:
        faults.append(f"is {len(name)} characters long, and model providers accept at most 64")
    message = f"The tool name {_shown(name)} {'; it '.join(faults)}: models see '{naming.provider_alias(name)}'"
    yield rule.finding(message, entry.name_range)


@entry_rule(
    code="ADAL107",
    name="soft-keyword-or-builtin",
    severity=Severity.HINT,
    why="The name works, but the function hides a Python builtin in this file, or reads like a keyword.",
    failing=_named_example("list"),
    passing=_named_example("list_tickets"),
)
def soft_keyword_or_builtin(rule: Rule[ListedEntry], listed: ListedEntry) -> Iterator[Finding]:
    entry, name = listed.entry, listed.entry.name
    if name is None:
        return
    if naming.is_refused(name):
        return
    if name in _SOFT_KEYWORDS:
        yield rule.finding(f"The tool name '{name}' is a soft keyword of Python; it works", entry.name_range)
    elif name in _BUILTINS and not entry.named and name in listed.file.bindings.definitions:
        yield rule.finding(f"This function hides Python's builtin '{name}' in this file", entry.name_range)


def _shown(name: str) -> str:
    return f"'{name}'" if len(name) <= 80 and name.isprintable() else f"{name[:80]!r}{'…' if len(name) > 80 else ''}"


def _listed_at(entry: Entry) -> Range:
    """Where the list gives the name: for two entries of one function, its definition would be the same place."""
    return entry.name_range if entry.named else entry.function.range if entry.function else entry.range


def _same(bindings: Bindings, one: Entry, other: Entry) -> bool:
    """Whether two entries are the same tool twice."""

    def overrides(entry: Entry) -> tuple[object, ...]:
        return (entry.name, entry.description, entry.require_approval)

    if overrides(one) != overrides(other) or one.function is None or other.function is None:
        return False
    if one.function.name is not None and one.function.name == other.function.name:
        return True
    mine, its = meant(bindings, one), meant(bindings, other)
    sources = one.value.source, other.value.source
    if sources[0] is not None and sources[1] is not None and sources[0].place() == sources[1].place():
        return bool(mine)  # one expression, whose value is in two lists that were put together
    return bool(mine) and mine == its and not any(target.made or target.owner for target in mine)


def _suggestion(listed: ListedEntry) -> str:
    return naming.suggest(listed.entry.name or "", listed.file.tool_names)


def _rename(listed: ListedEntry) -> tuple[Fix, ...]:
    """Give the tool a name that every rule takes: in its "name" string, or by turning the entry into dict form."""
    name, entry = _suggestion(listed), listed.entry
    source = entry.value.source
    if source is not None and (source.function is not None or source.shown is not None):
        return ()  # the place stands for an entry that is written elsewhere
    if entry.named:
        given = entry.item("name")
        if given is not None and given.value.source is not None and given.value.source.given:
            return ()  # one expression names several tools
        lines = given.value.source.lines if given is not None and given.value.source is not None else listed.lines
        edit = replace_string(lines, entry.name_range, name)
        return (Fix(f"Rename to '{name}'", (edit,), preferred=True),)
    if entry.kind is EntryKind.SIMPLE and entry.function is not None:
        written = listed.lines.slice(entry.range)
        edit = TextEdit(entry.range, f'{{"function": {written}, "name": "{name}"}}')
        return (Fix(f"Give the tool the name '{name}'", (edit,)),)
    return ()
