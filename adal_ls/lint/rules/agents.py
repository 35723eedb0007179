"""ADAL7xx: what the runtime refuses in `.adal/agents.py`. Source: `adal_ls.sdk`, which raises the same when loaded."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from adal_ls import naming
from adal_ls.lint.agents_file import LIST_NAME, SIGNATURES, AgentsFile, Expression, SdkCall, sole
from adal_ls.lint.findings import Finding, Severity
from adal_ls.lint.fixes.nearest import KnownNames
from adal_ls.lint.modules.bindings import Binding
from adal_ls.lint.reading.text import Position, Range
from adal_ls.lint.rules.base import Rule, agents_rule

_RUNTIME = "from adal_ls import create_runtime\n\nruntime = create_runtime()\n"
_TOOL = 'def find_note(title: str) -> str:\n    """Find a note."""\n    return title\n\n\n'

_NO_LIST = (ast.Constant, ast.Dict, ast.Set, ast.DictComp, ast.SetComp, ast.GeneratorExp, ast.Lambda, ast.JoinedStr)
_NO_AGENT = (*_NO_LIST, ast.List, ast.Tuple, ast.ListComp)
_MODES = ("default", "acceptEdits", "yolo")


@agents_rule(
    code="ADAL701",
    name="missing-agents",
    severity=Severity.ERROR,
    why="The runtime reads the module-level list AGENTS; without it the file cannot be loaded.",
    failing=f'{_RUNTIME}runtime.create_agent("librarian")\n',
    passing=f'{_RUNTIME}AGENTS = [runtime.create_agent("librarian")]\n',
)
def missing_agents(rule: Rule[AgentsFile], file: AgentsFile) -> Iterator[Finding]:
    if file.bindings.knows(LIST_NAME):
        return
    last = max((number for number, line in _numbered(file) if line.strip()), default=0)
    text = file.lines.line(last)
    near = next((name for name in ("AGENT", "Agents", "agents") if name in file.bindings.definitions), None)
    advice = f"; '{near}' is not read" if near else ""
    place = Range(Position(last, len(text) - len(text.lstrip())), Position(last, len(text.rstrip())))
    yield rule.finding(f"This file defines no AGENTS: write AGENTS = [runtime.create_agent(...), ...]{advice}", place)


@agents_rule(
    code="ADAL702",
    name="agents-not-a-list",
    severity=Severity.ERROR,
    why="The runtime takes a list or a tuple of agents; with any other value the file cannot be loaded.",
    failing=f'{_RUNTIME}AGENTS = runtime.create_agent("librarian")\n',
    passing=f'{_RUNTIME}AGENTS = [runtime.create_agent("librarian")]\n',
)
def agents_not_a_list(rule: Rule[AgentsFile], file: AgentsFile) -> Iterator[Finding]:
    listed = file.listed
    if listed is None:
        definition = sole(file.bindings, LIST_NAME)
        if definition is not None and definition.kind in (Binding.FUNCTION, Binding.CLASS):
            yield rule.finding(f"AGENTS must be a list or tuple, not a {definition.kind.value}", definition.name_range)
    elif isinstance(listed.node, _NO_LIST) or file.sdk_call(listed) is not None:
        yield rule.finding(f"AGENTS must be a list or tuple of agents, not {_words(listed)}", listed.range)


@agents_rule(
    code="ADAL703",
    name="not-an-agent",
    severity=Severity.ERROR,
    why="An entry of AGENTS is what create_agent made; with anything else in it the file cannot be loaded.",
    failing=f'{_RUNTIME}AGENTS = ["librarian"]\n',
    passing=f'{_RUNTIME}librarian = runtime.create_agent("librarian")\n\nAGENTS = [librarian]\n',
)
def not_an_agent(rule: Rule[AgentsFile], file: AgentsFile) -> Iterator[Finding]:
    for entry in file.entries:
        if isinstance(entry.node, ast.Name) and not _is_known(file, entry.node.id):
            yield rule.finding(_undefined(file, entry.node.id), entry.range)
        elif (wrong := _no_agent(file, entry)) is not None:
            yield rule.finding(f"This is no agent but {wrong}: write runtime.create_agent(...)", entry.range)


@agents_rule(
    code="ADAL704",
    name="duplicate-agent",
    severity=Severity.ERROR,
    why="An agent is found by its id; where two have the same one the file cannot be loaded.",
    failing=f'{_RUNTIME}AGENTS = [runtime.create_agent("reader"), runtime.create_agent("reader")]\n',
    passing=f'{_RUNTIME}AGENTS = [runtime.create_agent("reader"), runtime.create_agent("writer")]\n',
)
def duplicate_agent(rule: Rule[AgentsFile], file: AgentsFile) -> Iterator[Finding]:
    first: dict[tuple[object, str], Range] = {}
    told: set[Range] = set()
    for call in file.calls:
        given = call.argument("id") if call.function == "create_agent" and not call.conditional else None
        name = _text(given)
        if given is None or name is None:
            continue
        before = first.setdefault((call.runtime, name), given.range)
        if before != given.range:
            told.add(given.range)
            yield _twice(rule, name, given.range, before)
    listed: dict[str, Range] = {}
    for entry in file.entries:
        made = file.sdk_call(entry)
        if made is None or made.function != "create_agent":
            continue
        given = made.argument("id")
        name = _text(given)
        if given is None or name is None or given.range in told:
            continue
        if listed.setdefault(name, entry.range) != entry.range:
            yield _twice(rule, name, given.range if made.node is entry.node else entry.range, listed[name])


def _twice(rule: Rule[AgentsFile], name: str, place: Range, first: Range) -> Finding:
    return rule.finding(f"There is an agent '{name}' already", place, related=((first, f"The first '{name}'"),))


@agents_rule(
    code="ADAL705",
    name="bad-agent-argument",
    severity=Severity.ERROR,
    why="create_agent, create_runtime and the makers of providers take no other arguments; the file cannot be loaded.",
    failing=f'{_RUNTIME}AGENTS = [runtime.create_agent("librarian", sytem_prompt="You look after notes.")]\n',
    passing=f'{_RUNTIME}AGENTS = [runtime.create_agent("librarian", system_prompt="You look after notes.")]\n',
)
def bad_agent_argument(rule: Rule[AgentsFile], file: AgentsFile) -> Iterator[Finding]:
    for call in file.calls:
        signature, function = SIGNATURES[call.function], call.node.func
        known = (*signature.positional, *signature.keywords)
        for keyword in call.node.keywords:
            if keyword.arg is not None and keyword.arg not in known:
                near = KnownNames(known).nearest(keyword.arg)
                advice = f"did you mean '{near}'?" if near else f"it takes {', '.join(known)}"
                place = call.lines.span(call.lines.range_of(keyword).start, len(keyword.arg))
                yield rule.finding(f"{call.function} takes no argument '{keyword.arg}'; {advice}", place)
        if any(isinstance(each, ast.Starred) for each in call.node.args):
            continue
        for extra in call.node.args[len(signature.positional) :]:
            message = f"{call.function} takes {_count(signature.positional)}; name the others: {known[-1]}=..."
            yield rule.finding(message, call.lines.range_of(extra))
        if all(keyword.arg is not None for keyword in call.node.keywords):
            for name in signature.required:
                if call.argument(name) is None:
                    yield rule.finding(f"{call.function} needs {name}", call.lines.range_of(function))


@agents_rule(
    code="ADAL706",
    name="bad-agent-value",
    severity=Severity.ERROR,
    why="A value that no agent or runtime can have: the file cannot be loaded, or every run of the agent fails.",
    failing=f'{_RUNTIME}AGENTS = [runtime.create_agent("", stop_when=0)]\n',
    passing=f'{_RUNTIME}AGENTS = [runtime.create_agent("librarian", stop_when=5)]\n',
)
def bad_agent_value(rule: Rule[AgentsFile], file: AgentsFile) -> Iterator[Finding]:
    for call in file.calls:
        if call.function == "create_agent":
            yield from _agent_values(rule, call)
        elif call.function == "create_runtime":
            yield from _runtime_values(rule, call)


def _agent_values(rule: Rule[AgentsFile], call: SdkCall) -> Iterator[Finding]:
    for name in ("id", "model", "system_prompt", "description"):
        given = call.argument(name)
        value = None if given is None else _constant(given)
        if given is None or value is None:
            continue
        if name == "id" and (not isinstance(value.value, str) or not value.value.strip()):
            yield rule.finding("An agent needs an id: a string that is not empty", given.range)
        elif not isinstance(value.value, str | None):
            yield rule.finding(f"{name} must be text, not {value.value!r}", given.range)
    steps = call.argument("stop_when")
    number = None if steps is None else _number(steps)
    if steps is not None and number is not None and (isinstance(number, bool) or not _is_count(number)):
        yield rule.finding(f"stop_when must be a number of at least 1, not {number!r}", steps.range)


def _runtime_values(rule: Rule[AgentsFile], call: SdkCall) -> Iterator[Finding]:
    mode = call.argument("permission_mode")
    written = None if mode is None else _constant(mode)
    if mode is not None and written is not None and written.value not in _MODES:
        yield rule.finding(f"permission_mode must be one of {', '.join(_MODES)}, not {written.value!r}", mode.range)
    enabled, disabled = call.argument("enabled_default_tools"), call.argument("disabled_default_tools")
    if enabled is not None and disabled is not None and not (_is_none(enabled) or _is_none(disabled)):
        yield rule.finding(
            "enabled_default_tools and disabled_default_tools cannot be combined: give one", disabled.range
        )
    known = (*(name for name, entry in naming.RESERVED.items() if entry.ours), *naming.GROUPS)
    for given in (enabled, disabled):
        if given is not None and isinstance(given.node, ast.Constant) and isinstance(given.node.value, str):
            yield rule.finding("Built-in tools are named by a list of names or groups", given.range)
        for each in _elements(given):
            name = _text(each)
            if name is not None and name not in known:
                near = KnownNames(known).nearest(name)
                advice = f"; did you mean '{near}'?" if near else ""
                yield rule.finding(f"There is no built-in tool or group '{name}'{advice}", each.range)


@agents_rule(
    code="ADAL707",
    name="bad-agent-tools",
    severity=Severity.ERROR,
    why="tools= takes a provider, or functions and entries as in CUSTOM_TOOLS; with anything else the file cannot be"
    " loaded.",
    failing=f'{_TOOL}{_RUNTIME}AGENTS = [runtime.create_agent("librarian", tools=["find_note"])]\n',
    passing=f'{_TOOL}{_RUNTIME}AGENTS = [runtime.create_agent("librarian", tools=[find_note])]\n',
)
def bad_agent_tools(rule: Rule[AgentsFile], file: AgentsFile) -> Iterator[Finding]:
    for call in file.calls:
        given = call.argument("tools") if call.function in ("create_agent", "create_runtime") else None
        if given is None or _is_none(given):
            continue
        if isinstance(given.node, ast.Constant | ast.JoinedStr | ast.Set):
            yield rule.finding(f"tools must be a provider, or a list of tools, not {_words(given)}", given.range)
        for each in (given, *_elements(given)):
            yield from _no_tool(rule, file, each)


def _no_tool(rule: Rule[AgentsFile], file: AgentsFile, given: Expression) -> Iterator[Finding]:
    node = given.node
    if isinstance(node, ast.Name):
        definition = sole(file.bindings, node.id)
        if not _is_known(file, node.id):
            yield rule.finding(_undefined(file, node.id), given.range)
        elif definition is not None and definition.owner is not None and _has_get_tools(definition.owner):
            message = f"{node.id} is the class of a tool provider; give an instance: {node.id}()"
            yield rule.finding(message, given.range)
    elif isinstance(node, ast.Dict) and (function := _item(node, "function")) is not None:
        yield from _no_tool(rule, file, given.inner(function))
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        there = file.bindings.effective(node.value)
        advice = f": write {node.value}" if there is not None and there.kind is Binding.FUNCTION else ""
        yield rule.finding(f"A tool is a function or an entry as in CUSTOM_TOOLS, not a string{advice}", given.range)


def _elements(given: Expression | None) -> Iterator[Expression]:
    if given is None:
        return
    if isinstance(given.node, ast.List | ast.Tuple):
        yield from (given.inner(node) for node in given.node.elts if not isinstance(node, ast.Starred))
    elif isinstance(given.node, ast.Dict):
        yield from (given.inner(value) for key, value in zip(given.node.keys, given.node.values, strict=True) if key)


def _item(node: ast.Dict, name: str) -> ast.expr | None:
    pairs = zip(node.keys, node.values, strict=True)
    return next((value for key, value in pairs if isinstance(key, ast.Constant) and key.value == name), None)


def _has_get_tools(owner: ast.ClassDef) -> bool:
    return any(
        isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == "get_tools" for node in owner.body
    )


def _no_agent(file: AgentsFile, entry: Expression) -> str | None:
    """What an entry certainly is in place of an agent."""
    if isinstance(entry.node, _NO_AGENT):
        return _words(entry)
    if isinstance(entry.node, ast.Name):
        definition = sole(file.bindings, entry.node.id)
        if definition is not None and definition.kind in (Binding.FUNCTION, Binding.CLASS):
            return f"a {definition.kind.value}"
        value = file.value_of(entry.node.id)
        if value is not None and isinstance(value.node, _NO_AGENT):
            return _words(value)
    call = file.sdk_call(entry)
    return None if call is None or call.function == "create_agent" else f"what {call.function} gives"


def _words(given: Expression) -> str:
    node = given.node
    if isinstance(node, ast.Constant):
        return "a string" if isinstance(node.value, str) else repr(node.value)
    if isinstance(node, ast.Call):
        return "one agent" if isinstance(node.func, ast.Attribute) and node.func.attr == "create_agent" else "a call"
    names = {"JoinedStr": "a string", "GeneratorExp": "a generator", "Lambda": "a lambda", "ListComp": "a list"}
    kind = type(node).__name__
    return names.get(kind) or f"a {kind.removesuffix('Comp').lower()}"


def _is_known(file: AgentsFile, name: str) -> bool:
    return file.bindings.knows(name) or hasattr(builtins, name)


def _undefined(file: AgentsFile, name: str) -> str:
    near = file.nearest(name)
    return f"There is no '{name}' in this file{f'; did you mean {near!r}?' if near else ''}"


def _constant(given: Expression) -> ast.Constant | None:
    return given.node if isinstance(given.node, ast.Constant) else None


def _number(given: Expression) -> object:
    """A number as it is written, a minus before it included; None where something else stands there."""
    node = given.node
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        value = node.operand.value
        return -value if isinstance(value, int | float) else None
    return node.value if isinstance(node, ast.Constant) else None


def _is_count(value: object) -> bool:
    return isinstance(value, int) and value >= 1


def _is_none(given: Expression) -> bool:
    return isinstance(given.node, ast.Constant) and given.node.value is None


def _text(given: Expression | None) -> str | None:
    constant = None if given is None else _constant(given)
    return constant.value if constant is not None and isinstance(constant.value, str) else None


def _count(positional: tuple[str, ...]) -> str:
    return f"only {' and '.join(positional)} by its place" if positional else "no argument by its place"


def _numbered(file: AgentsFile) -> Iterator[tuple[int, str]]:
    return enumerate(file.lines.text.splitlines())
