"""ADAL60x: what a tool does to the world, to the loop and to its process. Local rules."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from adal_ls.lint import effects
from adal_ls.lint.body import Call
from adal_ls.lint.findings import Finding, Fix, Severity, TextEdit
from adal_ls.lint.reading.text import Range
from adal_ls.lint.rules.base import Rule, function_rule, statement_rule
from adal_ls.lint.subjects import Statement, ToolFunction

_F = 'def f(x: str) -> str:\n    """Do f."""\n'
_DELETE = 'import os\n\n\ndef f(x: str) -> None:\n    """Delete a file."""\n    os.remove(x)\n\n\n'


@function_rule(
    code="ADAL601",
    name="unasked-danger",
    severity=Severity.WARNING,
    why="The tool writes or executes, and runs the moment the model calls it: nobody is asked before.",
    failing=f'{_DELETE}CUSTOM_TOOLS = [{{"function": f, "require_approval": False}}]\n',
    passing=f"{_DELETE}CUSTOM_TOOLS = [f]\n",
    fix="Let the tool ask.",
)
def unasked_danger(rule: Rule[ToolFunction], tool: ToolFunction) -> Iterator[Finding]:
    if not tool.listing.unasked:
        return
    found = next(((call, what) for call in tool.statement.effects if (what := effects.danger(call))), None)
    if found is None:
        return
    call, what = found
    related = ((tool.lines.range_of(call.node), f"{effects.shown(call)} {what}"),)
    for entry in tool.listing.unasked:
        message = f"'{entry.name or tool.node.name}' {what}, and nobody is asked before it runs"
        fixes = (Fix("Let the tool ask", (TextEdit(entry.place, "True"),)),)
        yield rule.finding(message, entry.place, related=related, fixes=fixes)


@function_rule(
    code="ADAL602",
    name="blocking-call",
    severity=Severity.WARNING,
    why="An async tool shares its loop: while it blocks, no other tool goes on and a cancel is not heard.",
    failing=f"import time\n\n\nasync {_F}    time.sleep(1)\n    return x\n",
    passing=f"import asyncio\n\n\nasync {_F}    await asyncio.sleep(1)\n    return x\n",
    fix="`time.sleep` becomes `await asyncio.sleep` where asyncio is imported.",
)
def blocking_call(rule: Rule[ToolFunction], tool: ToolFunction) -> Iterator[Finding]:
    if not isinstance(tool.node, ast.AsyncFunctionDef):
        return
    for call in tool.statement.effects:
        # What stands in a nested function or a lambda may well run in a thread.
        if call.target not in effects.BLOCKS or call.deferred or call.target == "builtins.input":
            continue
        advice = (
            "use await asyncio.sleep"
            if call.target == "time.sleep"
            else "make the tool a plain `def`, or use await asyncio.to_thread(...)"
        )
        message = f"{effects.shown(call)} blocks the loop of this async tool: {advice}"
        yield rule.finding(message, _function_of(tool.statement, call), fixes=_sleep_awaited(tool, call))


@function_rule(
    code="ADAL603",
    name="print-in-tool",
    severity=Severity.HINT,
    why="Printed text is shown to the person, apart from the result; the model does not see it.",
    failing=f"{_F}    print(x)\n    return x\n",
    passing=f"{_F}    return x\n",
)
def print_in_tool(rule: Rule[ToolFunction], tool: ToolFunction) -> Iterator[Finding]:
    prints = (call for call in tool.statement.effects if call.target == "builtins.print")
    first = next((call for call in prints if call.keyword("file") is None), None)  # with `file` it goes elsewhere
    if first is not None:
        message = "The model does not see printed text: return what it is to know"
        yield rule.finding(message, _function_of(tool.statement, first))


@statement_rule(
    code="ADAL604",
    name="input",
    severity=Severity.WARNING,
    why="Nobody can type an answer: the standard input of a tool is empty, so the call ends in an EOFError.",
    failing=f"{_F}    return input(x)\n",
    passing='def f(x: str, answer: str) -> str:\n    """Do f."""\n    return answer\n',
)
def no_input(rule: Rule[Statement], statement: Statement) -> Iterator[Finding]:
    for call in _relevant(statement, frozenset({"builtins.input"})):
        message = "Nobody can answer input() here: take what is needed as a parameter"
        yield rule.finding(message, _function_of(statement, call))


@statement_rule(
    code="ADAL605",
    name="exit",
    severity=Severity.WARNING,
    why="It ends the process that runs the tools, or keeps the whole file from loading; an exception is an answer.",
    failing=f"import sys\n\n\n{_F}    if not x:\n        sys.exit(1)\n    return x\n",
    passing=f'{_F}    if not x:\n        raise ValueError("x is empty")\n    return x\n',
)
def no_exit(rule: Rule[Statement], statement: Statement) -> Iterator[Finding]:
    for call in _relevant(statement, effects.ENDS):
        if statement.is_tool:
            message = f"{effects.shown(call)} ends the process of the tools: raise an exception, which the model sees"
        else:
            message = f"{effects.shown(call)} keeps this file from loading: raise an exception that says what is wrong"
        yield rule.finding(message, _function_of(statement, call))


def _relevant(statement: Statement, targets: frozenset[str]) -> Iterator[Call]:
    """Calls in a tool, or at import; in another function they may be meant for people who run the file."""
    for call in statement.effects:
        if call.target in targets and (statement.is_tool or (statement.is_code and not call.deferred)):
            yield call


def _function_of(statement: Statement, call: Call) -> Range:
    """What is called, without the arguments."""
    return statement.lines.range_of(call.node.func if isinstance(call.node, ast.Call) else call.node)


def _sleep_awaited(tool: ToolFunction, call: Call) -> tuple[Fix, ...]:
    if call.target != "time.sleep" or tool.names.root("asyncio") != "asyncio" or not isinstance(call.node, ast.Call):
        return ()
    place = tool.lines.range_of(call.node.func)
    return (Fix("Use await asyncio.sleep", (TextEdit(place, "await asyncio.sleep"),), preferred=True),)
