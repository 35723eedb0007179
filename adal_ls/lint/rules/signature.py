"""ADAL3xx: signatures. Source: the custom-tools document, "Tips": parameter types are extracted for the tool schema.

Local rules, each with one finding for a function: it names all parameters that have the fault.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from adal_ls.lint import hints
from adal_ls.lint.findings import Finding, Fix, Severity, TextEdit
from adal_ls.lint.reading.text import Range
from adal_ls.lint.rules.base import Rule, function_rule, quoted
from adal_ls.lint.subjects import Parameter, ToolFunction

_SLASH = re.compile(r"\s*,\s*/")
_CONTEXTS = frozenset({"ctx", "context"})
_DOCUMENTED = '    """Do f."""\n    return x\n'


@function_rule(
    code="ADAL301",
    name="star-parameters",
    severity=Severity.WARNING,
    why="A model fills named parameters only: `*args` and `**kwargs` are left out of the schema and stay empty.",
    failing=f"def f(x: str, *tags: str) -> str:\n{_DOCUMENTED}",
    passing=f"def f(x: str, tags: list[str]) -> str:\n{_DOCUMENTED}",
)
def star_parameters(rule: Rule[ToolFunction], tool: ToolFunction) -> Iterator[Finding]:
    stars = [parameter for parameter in tool.all_parameters if parameter.star]
    if stars:
        vararg = tool.node.args.vararg
        names = [f"{'*' if parameter.node is vararg else '**'}{parameter.name}" for parameter in stars]
        message = f"The model cannot fill {quoted(names)}: use named parameters, such as a list"
        yield rule.finding(message, tool.place(stars[0]))


@function_rule(
    code="ADAL302",
    name="positional-only",
    severity=Severity.HINT,
    why="A model gives every argument by name; the runtime must put positional-only ones in their places.",
    failing=f"def f(x: str, /) -> str:\n{_DOCUMENTED}",
    passing=f"def f(x: str) -> str:\n{_DOCUMENTED}",
    fix="Take the `/` out.",
)
def positional_only(rule: Rule[ToolFunction], tool: ToolFunction) -> Iterator[Finding]:
    found = [parameter for parameter in tool.parameters if parameter.positional_only]
    if found:
        verb = "is" if len(found) == 1 else "are"
        message = f"{quoted([parameter.name for parameter in found])} {verb} positional-only: the `/` says nothing here"
        yield rule.finding(message, tool.place(found[0]), fixes=_without_slash(tool, found[-1]))


@function_rule(
    code="ADAL303",
    name="untyped-parameter",
    severity=Severity.HINT,
    why="The type goes into the schema; without one the model may send anything.",
    failing=f"def f(x) -> str:\n{_DOCUMENTED}",
    passing=f"def f(x: str) -> str:\n{_DOCUMENTED}",
    fix="Where the default tells the type, write it.",
)
def untyped_parameter(rule: Rule[ToolFunction], tool: ToolFunction) -> Iterator[Finding]:
    missing = [p for p in tool.parameters if p.node.annotation is None and not _is_context(tool, p)]
    if missing:
        what = "has no type hint" if len(missing) == 1 else "have no type hints"
        message = f"{quoted([p.name for p in missing])} {what}: the model may send anything"
        yield rule.finding(message, tool.place(missing[0]), fixes=_types_from_defaults(tool, missing))


@function_rule(
    code="ADAL304",
    name="bare-container",
    severity=Severity.HINT,
    why="A bare `list` or `dict` does not tell the model what to put in.",
    failing=f"def f(x: list) -> str:\n{_DOCUMENTED}",
    passing=f"def f(x: list[str]) -> str:\n{_DOCUMENTED}",
)
def bare_container(rule: Rule[ToolFunction], tool: ToolFunction) -> Iterator[Finding]:
    typed = (parameter for parameter in _typed(tool) if not _is_context(tool, parameter))
    found = [(p, said) for p in typed if (said := hints.bare_container(_hint(p), tool.names))]
    if found:
        names = quoted([parameter.name for parameter, _ in found])
        verb = "holds" if len(found) == 1 else "hold"
        yield rule.finding(f"Say what {names} {verb}, e.g. {found[0][1]}", tool.place(found[0][0]))


@function_rule(
    code="ADAL305",
    name="unresolvable-hint",
    severity=Severity.WARNING,
    why="The schema is made when the tools are loaded: a type that does not exist then leaves the parameter untyped.",
    failing=f'def f(x: "Ticket") -> str:\n{_DOCUMENTED}',
    passing=f'def f(x: "str") -> str:\n{_DOCUMENTED}',
)
def unresolvable_hint(rule: Rule[ToolFunction], tool: ToolFunction) -> Iterator[Finding]:
    for parameter in _without_schema(tool):
        reason = hints.unresolved(_hint(parameter), tool.node, tool.names)
        if reason is not None:
            place = tool.lines.range_of(_hint(parameter))
            yield rule.finding(f"The type of '{parameter.name}' cannot be resolved: {reason}", place)


@function_rule(
    code="ADAL306",
    name="no-json-schema",
    severity=Severity.WARNING,
    why="Arguments come as JSON: a type that JSON cannot hold has no schema, and no argument is ever of that type.",
    failing=f"from collections.abc import Callable\n\n\ndef f(x: str, done: Callable[[], None]) -> str:\n{_DOCUMENTED}",
    passing=f"def f(x: str, done: bool) -> str:\n{_DOCUMENTED}",
)
def no_json_schema(rule: Rule[ToolFunction], tool: ToolFunction) -> Iterator[Finding]:
    for parameter in _without_schema(tool):
        hint = _hint(parameter)
        if hints.unresolved(hint, tool.node, tool.names) is not None:
            continue
        if (what := hints.no_values(hint, tool.names)) is not None:
            message = f"A model cannot send '{parameter.name}': JSON has no value of type {what}"
            yield rule.finding(message, tool.lines.range_of(hint))
            continue
        for problem in tool.schema.problems:
            if problem.parameter == parameter.name and problem.certain:
                message = f"{problem.message[:1].upper()}{problem.message[1:]}"
                yield rule.finding(message, tool.lines.range_of(hint))


@function_rule(
    code="ADAL307",
    name="implicit-optional",
    severity=Severity.HINT,
    why="The default is None, but the type does not have None; the schema allows null all the same.",
    failing=f"def f(x: str = None) -> str:\n{_DOCUMENTED}",
    passing=f"def f(x: str | None = None) -> str:\n{_DOCUMENTED}",
    fix="Write `T | None`, or `Optional[T]` in a file that does so.",
)
def implicit_optional(rule: Rule[ToolFunction], tool: ToolFunction) -> Iterator[Finding]:
    found = [p for p in _typed(tool) if _is_none(p.default) and not hints.allows_none(_hint(p), tool.names)]
    if found:
        form = "Optional[T]" if tool.names.writes_optional else "T | None"
        names = quoted([parameter.name for parameter in found])
        message = f"{names} can be None, but the type does not say so: write {form}"
        yield rule.finding(message, tool.place(found[0]), fixes=_make_optional(tool, found, form))


@function_rule(
    code="ADAL308",
    name="mutable-default",
    severity=Severity.HINT,
    why="The default is made once: what one call changes in it, the next one sees.",
    failing=f"def f(x: list[str] = []) -> str:\n{_DOCUMENTED}",
    passing=f"def f(x: list[str] | None = None) -> str:\n{_DOCUMENTED}",
)
def mutable_default(rule: Rule[ToolFunction], tool: ToolFunction) -> Iterator[Finding]:
    found = [p for p in tool.parameters if p.default is not None and _is_mutable(p.default, tool)]
    if found:
        names = quoted([parameter.name for parameter in found])
        message = f"The default of {names} is shared by all calls: use None, and make a new one in the function"
        yield rule.finding(message, tool.place(found[0]))


@function_rule(
    code="ADAL309",
    name="context-parameter",
    severity=Severity.WARNING,
    why="Tools get no context object: a model is not told of the parameter, which is None; a tool provider gets one.",
    failing=f"def f(ctx, x: str) -> str:\n{_DOCUMENTED}",
    passing=f"def f(x: str) -> str:\n{_DOCUMENTED}",
)
def context_parameter(rule: Rule[ToolFunction], tool: ToolFunction) -> Iterator[Finding]:
    for parameter in tool.parameters[:1]:
        if _is_context(tool, parameter):
            hidden = any(problem.kind == "context" for problem in tool.schema.problems)
            what = (
                f"'{parameter.name}' is None in each call"
                if hidden
                else f"the model would have to fill '{parameter.name}'"
            )
            message = (
                f"Tools get no context: {what}. Remove it, or make the tool in a tool provider, which gets the context"
                " of the call"
            )
            yield rule.finding(message, tool.place(parameter))


def _typed(tool: ToolFunction) -> Iterator[Parameter]:
    return (parameter for parameter in tool.parameters if parameter.node.annotation is not None)


def _hint(parameter: Parameter) -> ast.expr:
    assert parameter.node.annotation is not None, "asked of typed parameters only"  # noqa: S101
    return parameter.node.annotation


def _without_schema(tool: ToolFunction) -> list[Parameter]:
    """The parameters whose type has no schema. Most have a plain type, for which no schema needs to be made."""
    doubtful = [p for p in _typed(tool) if not hints.has_schema(_hint(p), tool.names)]
    if not doubtful or tool.names.bindings.open:
        return []
    named = {problem.parameter for problem in tool.schema.problems if problem.kind == "type"}
    return [parameter for parameter in doubtful if parameter.name in named and not _is_context(tool, parameter)]


def _is_context(tool: ToolFunction, parameter: Parameter) -> bool:
    """Whether a first parameter is meant for a context object: by its name, unless it plainly is data."""
    if parameter.name not in _CONTEXTS or parameter is not tool.parameters[0]:
        return False
    hint = parameter.node.annotation
    if hint is None:
        return True
    if hints.is_simple(hint, tool.names):
        return False
    return parameter.name == "ctx" or any(problem.parameter == parameter.name for problem in tool.schema.problems)


def _is_none(default: ast.expr | None) -> bool:
    return isinstance(default, ast.Constant) and default.value is None


def _is_mutable(default: ast.expr, tool: ToolFunction) -> bool:
    if isinstance(default, ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp):
        return True
    made = ("builtins.list()", "builtins.dict()", "builtins.set()")
    return isinstance(default, ast.Call) and tool.names.origin(default) in made


def _types_from_defaults(tool: ToolFunction, parameters: list[Parameter]) -> tuple[Fix, ...]:
    edits = []
    for parameter in parameters:
        default = parameter.default
        kind = type(default.value) if isinstance(default, ast.Constant) else None
        if default is None or kind not in (str, int, float, bool):
            continue
        gap = Range(tool.place(parameter).end, tool.lines.range_of(default).start)
        if re.fullmatch(r"[ \t]*=[ \t]*", tool.lines.slice(gap)):
            edits.append(TextEdit(gap, f": {kind.__name__} = "))
    title = "Add the types that the defaults have"
    return (Fix(title, tuple(edits)),) if edits else ()


def _without_slash(tool: ToolFunction, last: Parameter) -> tuple[Fix, ...]:
    """Take out the `/` behind the last positional-only parameter; not where `**kwargs` may take the same name."""
    if tool.node.args.kwarg is not None:
        return ()
    start = tool.lines.offset(tool.lines.range_of(last.default if last.default is not None else last.node).end)
    match = _SLASH.match(tool.lines.text, start)
    if match is None:
        return ()
    return (Fix("Take the / out", (TextEdit(tool.lines.range(*match.span()), ""),), preferred=True),)


def _make_optional(tool: ToolFunction, parameters: list[Parameter], form: str) -> tuple[Fix, ...]:
    edits = []
    for parameter in parameters:
        hint = _hint(parameter)
        if isinstance(hint, ast.Constant) or hints.is_annotated(hint, tool.names):
            continue  # quoted, so anything may stand inside; or with a text, which counts around the whole type only
        place = tool.lines.range_of(hint)
        written = tool.lines.slice(place)
        edits.append(TextEdit(place, form.replace("T", written)))
    title = f"Write {edits[0].new_text}" if len(edits) == 1 else "Let the types have None"
    return (Fix(title, tuple(edits), preferred=True),) if edits else ()
