"""ADAL5xx: ToolOutput. Source: the custom-tools document, "Return Values"; the order of the fields and the third status
are those of the class itself (`adalflow.core.types.ToolOutput`, adalflow 1.1.3).

Local rules over top-level statements. Only a name that an import tells to be ToolOutput counts. A plain return value is
as good, and never spoken of.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from adal_ls.lint.findings import Finding, Fix, Severity, TextEdit
from adal_ls.lint.lists.values import ValueKind, read_value
from adal_ls.lint.reading.text import Range
from adal_ls.lint.rules.base import Rule, statement_rule
from adal_ls.lint.subjects import Statement

FIELDS = ("output", "observation", "display", "is_streaming", "metadata", "status")
STATUSES = ("success", "error", "cancelled")

_TEXTS = ("observation", "display")
# Words that other tools use for the same.
_MEANT = {
    "ok": "success",
    "done": "success",
    "completed": "success",
    "succeeded": "success",
    "failed": "error",
    "failure": "error",
    "fail": "error",
    "canceled": "cancelled",
    "denied": "cancelled",
    "result": "output",
    "data": "output",
    "value": "output",
    "content": "output",
    "message": "observation",
    "text": "observation",
    "title": "display",
}
_HEAD = 'from adalflow.core.types import ToolOutput\n\n\ndef f(x: str) -> ToolOutput:\n    """Do f."""\n'


@statement_rule(
    code="ADAL501",
    name="unknown-output-field",
    severity=Severity.WARNING,
    why="ToolOutput has no such field: making it raises a TypeError, so the model gets an error instead of the result.",
    failing=f"{_HEAD}    return ToolOutput(output=x, observe=x)\n",
    passing=f"{_HEAD}    return ToolOutput(output=x, observation=x)\n",
    fix="Name the field that is meant.",
)
def unknown_output_field(rule: Rule[Statement], statement: Statement) -> Iterator[Finding]:
    for call in statement.outputs:
        given = {keyword.arg for keyword in call.keywords}
        for keyword in call.keywords:
            if keyword.arg is None or keyword.arg in FIELDS:
                continue
            near = _meant(keyword.arg, FIELDS)
            place = statement.lines.range_of(keyword)
            name = statement.lines.span(place.start, len(keyword.arg))
            advice = f"did you mean '{near}'?" if near else f"the fields are {', '.join(FIELDS)}"
            fixes = (Fix(f"Use {near}", (TextEdit(name, near),), preferred=True),) if near and near not in given else ()
            yield rule.finding(f"ToolOutput has no field '{keyword.arg}'; {advice}", name, fixes=fixes)


@statement_rule(
    code="ADAL502",
    name="bad-status",
    severity=Severity.WARNING,
    why='The status is "success", "error" or "cancelled"; nothing checks it at run time, and others mean nothing.',
    failing=f'{_HEAD}    return ToolOutput(output=x, status="failed")\n',
    passing=f'{_HEAD}    return ToolOutput(output=x, status="error")\n',
    fix="Write the status that is meant.",
)
def bad_status(rule: Rule[Statement], statement: Statement) -> Iterator[Finding]:
    for call in statement.outputs:
        value = _argument(call, "status")
        if value is None:
            continue
        read = read_value(value, statement.lines)
        if read.kind not in (ValueKind.CONSTANT, ValueKind.CONTAINER) or read.constant in STATUSES:
            continue
        near = _meant(read.constant, STATUSES) if isinstance(read.constant, str) else None
        advice = f'did you mean "{near}"?' if near else f"it must be one of {', '.join(STATUSES)}"
        fixes = (Fix(f'Use "{near}"', (_restring(statement, read.range, near),), preferred=True),) if near else ()
        yield rule.finding(f"{read.words[:1].upper()}{read.words[1:]} is no status; {advice}", read.range, fixes=fixes)


@statement_rule(
    code="ADAL503",
    name="positional-output",
    severity=Severity.WARNING,
    why="The fourth positional argument of ToolOutput is is_streaming, not status: the status stays what it was.",
    failing=f'{_HEAD}    return ToolOutput(x, x, x, "error")\n',
    passing=f'{_HEAD}    return ToolOutput(x, x, x, status="error")\n',
    fix="Where the fourth argument is a status, name it.",
)
def positional_output(rule: Rule[Statement], statement: Statement) -> Iterator[Finding]:
    for call in statement.outputs:
        if len(call.args) <= 3 or any(isinstance(argument, ast.Starred) for argument in call.args):
            continue
        fourth = call.args[3]
        place = statement.lines.range_of(fourth)
        fixes: tuple[Fix, ...] = ()
        is_status = isinstance(fourth, ast.Constant) and fourth.value in STATUSES
        if is_status and len(call.args) == 4 and all(keyword.arg != "status" for keyword in call.keywords):
            fixes = (Fix("Name it: status=", (TextEdit(Range(place.start, place.start), "status="),)),)
        message = "The fourth positional argument of ToolOutput is is_streaming: name the arguments from here on"
        yield rule.finding(message, place, fixes=fixes)


@statement_rule(
    code="ADAL504",
    name="output-text",
    severity=Severity.WARNING,
    why="What the model and the person read is text; data belongs into `output`.",
    failing=f'{_HEAD}    return ToolOutput(output=x, observation={{"x": x}})\n',
    passing=f'{_HEAD}    return ToolOutput(output={{"x": x}}, observation=x)\n',
)
def output_text(rule: Rule[Statement], statement: Statement) -> Iterator[Finding]:
    for call in statement.outputs:
        for name in _TEXTS:
            value = _argument(call, name)
            if value is None:
                continue
            read = read_value(value, statement.lines)
            text = read.kind is ValueKind.CONSTANT and (read.is_none or isinstance(read.constant, str))
            if read.kind in (ValueKind.CONSTANT, ValueKind.CONTAINER, ValueKind.LAMBDA) and not text:
                yield rule.finding(f"'{name}' of a ToolOutput must be a string, got {read.words}", read.range)


def _argument(call: ast.Call, field: str) -> ast.expr | None:
    """What a call gives for a field, by name or by place."""
    named = next((keyword.value for keyword in call.keywords if keyword.arg == field), None)
    at = FIELDS.index(field)
    before = call.args[: at + 1]
    if named is not None or len(before) <= at or any(isinstance(value, ast.Starred) for value in before):
        return named
    return call.args[at]


def _meant(word: str, known: tuple[str, ...]) -> str | None:
    from difflib import get_close_matches  # only a file with a slip pays for the import

    plain = word.strip().lower()
    if (meant := _MEANT.get(plain)) in known:
        return meant
    return next(iter(get_close_matches(plain, known, n=1, cutoff=0.6)), None)


def _restring(statement: Statement, place: Range, content: str) -> TextEdit:
    written = statement.lines.slice(place)
    quote = "'" if re.fullmatch(r"[rRuU]?'[^']*'", written) else '"'
    return TextEdit(place, f"{quote}{content}{quote}")
