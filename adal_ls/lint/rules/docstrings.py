"""ADAL4xx: docstrings. Source: the custom-tools document, "Tips": the agent reads the docstring to decide when and how
to call the tool.

Local rules. A tool whose entries all give a description is left alone as to its summary.
"""

from __future__ import annotations

from collections.abc import Iterator

from adal_ls.lint import hints
from adal_ls.lint.findings import Finding, Fix, Severity, TextEdit
from adal_ls.lint.reading import docstrings
from adal_ls.lint.reading.docstrings import entry_line, sentence
from adal_ls.lint.reading.text import Position, Range, line_end
from adal_ls.lint.rules.base import Rule, function_rule, quoted
from adal_ls.lint.subjects import Parameter, ToolFunction


def _tool(summary: str, entry: str, parameters: str = "x: str") -> str:
    opening = f'"""{summary}\n' if summary else '"""'
    return f'def f({parameters}) -> str:\n    {opening}\n    Args:\n        {entry}\n    """\n    return x\n'


@function_rule(
    code="ADAL401",
    name="missing-docstring",
    severity=Severity.WARNING,
    why="The model reads the docstring to decide when and how to call the tool; without one it has only the name.",
    failing="def f(x: str) -> str:\n    return x\n",
    passing='def f(x: str) -> str:\n    """Look up a ticket by its number."""\n    return x\n',
    fix="Add a docstring that says what the names say, to write on.",
)
def missing_docstring(rule: Rule[ToolFunction], tool: ToolFunction) -> Iterator[Finding]:
    if tool.described or docstrings.has_text(tool):
        return
    if docstrings.is_f_string(tool):
        message = f"Python does not take an f-string for the docstring of '{tool.node.name}': use a plain string"
        yield rule.finding(message, tool.name_range)
        return
    message = f"The tool '{tool.node.name}' has no docstring: say what it does, so that the model knows when to call it"
    fixes: tuple[Fix, ...] = ()
    if tool.docstring is None and (added := docstrings.skeleton(tool)) is not None:
        fixes = (Fix("Add a docstring", (TextEdit(*added),)),)
    yield rule.finding(message, tool.name_range, fixes=fixes)


@function_rule(
    code="ADAL402",
    name="missing-summary",
    severity=Severity.HINT,
    why="The model gets the text above the sections as the tool's description; here there is none.",
    failing=_tool("", "x: Number of the ticket."),
    passing=_tool("Look up a ticket.", "x: Its number."),
)
def missing_summary(rule: Rule[ToolFunction], tool: ToolFunction) -> Iterator[Finding]:
    if not tool.described and docstrings.has_text(tool) and not tool.documented.description:
        message = f"The docstring of '{tool.node.name}' does not say what the tool does: begin it with a sentence"
        yield rule.finding(message, tool.name_range)


@function_rule(
    code="ADAL403",
    name="unknown-documented-parameter",
    severity=Severity.WARNING,
    why="The text is lost: the model sees the parameters of the signature, and this name is none of them.",
    failing=_tool("Look up a ticket.", "y: Its number."),
    passing=_tool("Look up a ticket.", "x: Its number."),
    fix="Name the parameter without a text that has a similar name.",
)
def unknown_documented_parameter(rule: Rule[ToolFunction], tool: ToolFunction) -> Iterator[Finding]:
    documented = list(tool.documented.parameters)
    if not documented or any(parameter.star for parameter in tool.all_parameters):
        return  # `**options` may well be documented by what they can be
    known = {*_every_name(tool)}
    left = [parameter.name for parameter in tool.parameters if parameter.name not in documented]
    for name in documented:
        if name in known:
            continue
        near = _closest(name, left)
        entry = entry_line(tool, name)
        # Lines such as "Note: ..." look the same; names of parameters seldom begin with a capital.
        if entry is None or (name[:1].isupper() and near is None):
            continue
        advice = f"; did you mean '{near}'?" if near else ""
        fixes = (Fix(f"Use {near}", (TextEdit(entry.name, near),)),) if near else ()
        yield rule.finding(f"'{tool.node.name}' has no parameter '{name}'{advice}", entry.name, fixes=fixes)


@function_rule(
    code="ADAL404",
    name="undocumented-parameter",
    severity=Severity.HINT,
    why="The docstring describes other parameters; of this one the model knows only name and type.",
    failing=_tool("Look up a ticket.", "x: Its number.", "x: str, queue: str"),
    passing=_tool("Look up a ticket.", "x: Its number."),
    fix="Add the missing lines to the section, to write on.",
)
def undocumented_parameter(rule: Rule[ToolFunction], tool: ToolFunction) -> Iterator[Finding]:
    documented = list(tool.documented.parameters)
    known = set(_every_name(tool))
    if not any(name in known for name in documented):
        return
    missing = [p for p in tool.parameters if p.name not in documented and not _describes_itself(tool, p)]
    if missing:
        names = [parameter.name for parameter in missing]
        message = f"The docstring does not describe {quoted(names)}"
        yield rule.finding(message, tool.place(missing[0]), fixes=_add_entries(tool, documented, names))


def _every_name(tool: ToolFunction) -> Iterator[str]:
    arguments = tool.node.args
    yield from (node.arg for node in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs))
    yield from (node.arg for node in (arguments.vararg, arguments.kwarg) if node is not None)


def _describes_itself(tool: ToolFunction, parameter: Parameter) -> bool:
    """Whether the text may stand in the signature: `Annotated[str, "text"]`, or `Field(...)` as the default."""
    hint = parameter.node.annotation
    if hint is not None and hints.is_annotated(hint, tool.names):
        return True
    origin = tool.names.origin(parameter.default) if parameter.default is not None else None
    return (origin or "").endswith(".Field()")


def _add_entries(tool: ToolFunction, documented: list[str], names: list[str]) -> tuple[Fix, ...]:
    """Lines for `names` behind the last documented parameter."""
    entries = [entry for name in documented if (entry := entry_line(tool, name)) is not None and entry.google]
    if not entries:
        return ()
    last = max(entries, key=lambda entry: entry.line)
    number = docstrings.after_entry(tool, last)
    if number is None:
        return ()
    end = line_end(tool.lines.text)
    lines = "".join(f"{last.indent}{name}: {sentence(name)}{end}" for name in names)
    place = Position(number, 0)
    title = "Describe the missing parameter" if len(names) == 1 else "Describe the missing parameters"
    return (Fix(title, (TextEdit(Range(place, place), lines),)),)


def _closest(word: str, known: list[str]) -> str | None:
    from difflib import get_close_matches  # only a docstring with a slip pays for the import

    return next(iter(get_close_matches(word, known, n=1, cutoff=0.6)), None)
