"""What the call, or the entry of CUSTOM_TOOLS, that is being written takes, and which part of it the place is at.

Reads tokens, not the tree: a call that is being written is mostly no code yet.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from adal_ls.lint.authoring.typing_context import in_text, outputs, statement_start, tokens
from adal_ls.lint.model import KEYS, ToolFile
from adal_ls.lint.reading.text import Position
from adal_ls.lint.rules.output import FIELDS
from adal_ls.schema.docstring import parse as parse_docstring


@dataclass(frozen=True, slots=True)
class Parameter:
    """One part: what the signature shows of it, and what it is for. `positions` is how many arguments it takes by their
    position: 0 for a keyword alone, None for all that are left. Without a name it is one of the marks `/` and `*`."""

    name: str
    shown: str
    about: str = ""
    positions: int | None = 1
    keywords: bool = False
    """Whether it takes all keywords that no other takes."""


@dataclass(frozen=True, slots=True)
class Signature:
    """What is shown: `before`, the parameters with `, ` between them, `after`. `active` is a place in `parameters`."""

    before: str
    parameters: tuple[Parameter, ...]
    after: str
    about: str
    active: int | None

    @property
    def label(self) -> str:
        return f"{self.before}{', '.join(parameter.shown for parameter in self.parameters)}{self.after}"

    def spans(self) -> Iterator[tuple[int, int]]:
        """Where each parameter stands in the label, in code points."""
        start = len(self.before)
        for parameter in self.parameters:
            yield start, start + len(parameter.shown)
            start += len(parameter.shown) + len(", ")


_OUTPUT = (
    Parameter("output", "output: Any = None", "the data, for programs"),
    Parameter("observation", "observation: str | None = None", "what the model reads; made from output if left out"),
    Parameter("display", "display: str | None = None", "short text for the person"),
    Parameter("is_streaming", "is_streaming: bool | None = False", "whether more parts follow; mind the place"),
    Parameter("metadata", "metadata: dict[str, Any] | None = None", "a dict with anything else"),
    Parameter("status", 'status: "success" | "error" | "cancelled" = "success"', "how the call ended"),
)
_ENTRY = (
    Parameter("function", '"function": callable', "the function that is called"),
    Parameter("name", '"name": str', "the tool's name, if not the function's"),
    Parameter("description", '"description": str', "what the model reads, if not the docstring"),
    Parameter("require_approval", '"require_approval": bool', "whether every call asks first; True if left out"),
)
if tuple(parameter.name for parameter in (*_OUTPUT, *_ENTRY)) != (*FIELDS, *KEYS):
    raise RuntimeError("the fields of ToolOutput, or the keys of an entry, are not those that signatures show")


@dataclass(slots=True)
class _Open:
    """An open bracket: the name before it, how many elements are behind, and what is written of the current one."""

    callee: str
    bracket: str
    before: int = 0
    words: list[str] = field(default_factory=list)
    given: list[str] = field(default_factory=list)
    """The keywords or keys with a value, in order."""
    marked: bool = False
    """Behind the `=` or `:` of the current element."""


def signature(file: ToolFile, place: Position) -> Signature | None:
    """What is being filled in at a place; None where nothing that is known is."""
    if in_text(file, place):
        return None
    start = statement_start(file, place.line)
    stack = _open_at(file.lines.text, start, file.lines.offset(place))
    for opened in reversed(stack or ()):
        if opened.bracket == "(" and opened.callee:
            return _of_call(file, opened)
        if opened.bracket == "{" and _is_entry(file.lines.text, start, stack or []):
            return Signature("{", _ENTRY, "}", "An entry of CUSTOM_TOOLS.", _active_key(opened))
    return None


def _of_call(file: ToolFile, opened: _Open) -> Signature | None:
    if opened.callee.rpartition(".")[2] in outputs(file):
        about = "The result of a tool; a plain return value is as good."
        return Signature("ToolOutput(", _OUTPUT, ")", about, _active(opened, _OUTPUT))
    definition = file.bindings.effective(opened.callee)
    if definition is None or definition.node is None:
        return None
    written = parse_docstring(ast.get_docstring(definition.node, clean=False))
    parameters = tuple(_parameters(definition.node.args, written.parameters))
    returns = definition.node.returns
    after = ")" if returns is None else f") -> {ast.unparse(returns)}"
    return Signature(f"{definition.name}(", parameters, after, written.description, _active(opened, parameters))


def _parameters(arguments: ast.arguments, about: dict[str, str]) -> Iterator[Parameter]:
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    for place, (argument, default) in enumerate(zip(positional, defaults, strict=True), 1):
        yield Parameter(argument.arg, _shown(argument, default), about.get(argument.arg, ""))
        if place == len(arguments.posonlyargs):
            yield Parameter("", "/", positions=0)
    if arguments.vararg is not None:
        star = arguments.vararg
        yield Parameter(star.arg, f"*{_shown(star, None)}", about.get(star.arg, ""), positions=None)
    elif arguments.kwonlyargs:
        yield Parameter("", "*", positions=0)
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield Parameter(argument.arg, _shown(argument, default), about.get(argument.arg, ""), positions=0)
    if arguments.kwarg is not None:
        stars = arguments.kwarg
        yield Parameter(stars.arg, f"**{_shown(stars, None)}", about.get(stars.arg, ""), positions=0, keywords=True)


def _shown(argument: ast.arg, default: ast.expr | None) -> str:
    hint = "" if argument.annotation is None else f": {ast.unparse(argument.annotation)}"
    equals = " = " if hint else "="
    return f"{argument.arg}{hint}" + ("" if default is None else f"{equals}{ast.unparse(default)}")


def _active(opened: _Open, parameters: tuple[Parameter, ...]) -> int | None:
    if opened.marked:
        word = opened.given[-1]
        named = next((place for place, one in enumerate(parameters) if one.name == word), None)
        return named if named is not None else next((n for n, one in enumerate(parameters) if one.keywords), None)
    left = opened.before - len(opened.given)
    if opened.given:  # behind a keyword only keywords come: the first that is left
        names = [one.name for one in parameters]
        return next((n for n, name in enumerate(names) if n >= left and name and name not in opened.given), None)
    for place, parameter in enumerate(parameters):
        if parameter.positions is None or left < parameter.positions:
            return place
        left -= parameter.positions
    return None


def _active_key(opened: _Open) -> int | None:
    if opened.marked:
        return KEYS.index(opened.given[-1]) if opened.given[-1] in KEYS else None
    written = next((word for word in opened.words if word in KEYS), None)
    if written is not None:
        return KEYS.index(written)
    return next((place for place, key in enumerate(KEYS) if key not in opened.given), None)


def _is_entry(text: str, start: int, stack: list[_Open]) -> bool:
    """Whether the innermost bracket is a dict in the list itself."""
    return len(stack) == 2 and stack[0].bracket in "[(" and text.startswith("CUSTOM_TOOLS", start)


def _open_at(text: str, start: int, offset: int) -> list[_Open] | None:
    """The brackets that are open at an offset; None inside a string or comment."""
    stack: list[_Open] = []
    word, before = "", ""
    for token in tokens(text, start, offset):
        if token.text == "=" and text[token.start - 1] in "=!<>:":
            continue  # a comparison, or `:=`
        if token.end == offset and (
            token.kind == "comment" or (token.kind in ("string", "triple") and not token.closed)
        ):
            # The key that is being written is told by its quotes.
            inner = stack[-1] if stack and stack[-1].bracket == "{" and not stack[-1].marked else None
            if token.kind != "string" or inner is None:
                return None
            inner.words.append(token.text[1:])
            return stack
        if token.kind == "opening":
            stack.append(_Open("" if before in ("def", "class") else word, token.text))
        elif token.kind == "closing" and stack:
            stack.pop()
        elif stack:
            _note(stack[-1], token.kind, token.text)
        word, before = (token.text, word) if token.kind == "word" else ("", "")
    return stack


def _note(opened: _Open, kind: str, text: str) -> None:
    if kind in ("word", "string"):
        opened.words.append(text.strip("\"'"))
    elif text == ",":
        opened.before, opened.words, opened.marked = opened.before + 1, [], False
    elif (text == ":") == (opened.bracket == "{") and not opened.marked and opened.words:
        opened.marked = True
        opened.given.append(opened.words[-1])
