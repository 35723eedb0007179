"""The model that is none: it sends the calls written in the prompt. What runs when no model is configured.

`tool_name(arg=value, ...)` in the last prompt becomes a tool call, with Python literals as values; everything after
that (gate, approval, store) is the very path a model's call takes.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import AsyncGenerator, Collection, Iterator
from dataclasses import dataclass
from typing import Any

from adal_ls.agent.models.stream import CallDelta, ChatMessage, Delta, FinishDelta, ModelError, TextDelta, ToolSpec
from adal_ls.agent.runs.registry import no_such_tool

NAME = "offline"

# Each closing parenthesis is tried in turn, so a prompt full of them would cost time that grows with its square.
_CANDIDATES = 500
_KEYWORD = re.compile(r"\s*[^\W\d]\w*\s*=(?!=)")

_MADE = "This is not a model: no language model is configured, so the calls in your prompt were made as written."
_NONE_MADE = "This is not a model: no language model is configured, so only calls written in the prompt are made."
_ADVICE = "To use a model, name one, such as openai/gpt-4o: with -m, in the setting adal.model, or as model= in Python."


@dataclass(frozen=True, slots=True)
class WrittenCall:
    """A call as found in the prompt. `problem` says why it cannot be sent."""

    name: str
    arguments: dict[str, Any]
    problem: str | None = None


class OfflineModel:
    """Reads calls in the last user message; answers with their results."""

    name = NAME
    any_name = True
    context_tokens = None

    async def stream(self, messages: list[ChatMessage], tools: list[ToolSpec]) -> AsyncGenerator[Delta, None]:
        """See `Model`.

        Raises:
            ModelError: after the answer, where a call of the prompt could not be made.
        """
        asked = max(i for i, message in enumerate(messages) if message["role"] == "user")
        results = [message for message in messages[asked + 1 :] if message["role"] == "tool"]
        written = list(find_calls(str(messages[asked]["content"]), tools))
        sendable = [call for call in written if call.problem is None]
        refused = [call for call in written if call.problem is not None]
        if results or not sendable:
            yield TextDelta(_answer(sendable, results, refused, tools))
            if refused:
                # Whoever wrote a call and did not get it must not be told that all is well.
                raise ModelError("bad_request", _not_made(refused))
            yield FinishDelta("stop")
            return
        for index, call in enumerate(sendable):
            yield CallDelta(index=index, name=call.name, arguments=json.dumps(call.arguments))
        yield FinishDelta("tool_calls")


def find_calls(prompt: str, tools: list[ToolSpec]) -> Iterator[WrittenCall]:
    """The calls of known tools in `prompt`, left to right. A call inside the arguments of another is not one.

    A name before `(` that names no tool is reported where the text plainly is a call; elsewhere it is prose.
    """
    parameters = {tool["function"]["name"]: list(_properties(tool)) for tool in tools}
    end = 0
    for found in re.finditer(r"(?<![\w.])([^\W\d]\w*)\(", prompt):
        if found.start() < end:
            continue
        name = found.group(1)
        near = _nearest(name, parameters) if name not in parameters else None
        if name not in parameters and not near and not _is_plain_call(prompt, end, found):
            continue
        node, end_of_call = _parse_call(prompt, found.start())
        if name not in parameters:
            if node is not None:
                end = end_of_call
                yield WrittenCall(name, {}, no_such_tool(name, near, parameters))
            continue
        if node is None:
            yield WrittenCall(name, {}, f"{name}(... has no matching ')' or is not a Python call")
            continue
        end = end_of_call
        yield _read_call(name, node, parameters[name])


def _nearest(name: str, known: Collection[str]) -> str | None:
    from difflib import get_close_matches  # only a prompt with a slip pays for the import

    return next(iter(get_close_matches(name, known, n=1, cutoff=0.75)), None)


def _is_plain_call(prompt: str, after: int, found: re.Match[str]) -> bool:
    """Whether what begins so cannot be prose: only calls stand before it in its line, or it begins with a keyword.

    `after` is where the call before it ends.
    """
    before = prompt[max(after, prompt.rfind("\n", 0, found.start()) + 1) : found.start()]
    return not before.strip(" \t\r,;") or _KEYWORD.match(prompt, found.end()) is not None


def _not_made(refused: list[WrittenCall]) -> str:
    count = f"{len(refused)} {'call' if len(refused) == 1 else 'calls'}"
    return f"{count} of the prompt could not be made: {'; '.join(str(call.problem) for call in refused)}"


def _parse_call(text: str, start: int) -> tuple[ast.Call | None, int]:
    """The shortest text from `start` that parses as one call, and where it ends."""
    position = start
    for _ in range(_CANDIDATES):
        position = text.find(")", position) + 1
        if position == 0:
            break
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # an unknown escape such as "\d" in the prompt is no news
                node = ast.parse(text[start:position], mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        return (node, position) if isinstance(node, ast.Call) else (None, start)
    return None, start


def _read_call(name: str, node: ast.Call, order: list[str]) -> WrittenCall:
    arguments: dict[str, Any] = {}
    if len(node.args) > len(order):
        return WrittenCall(name, {}, f"{name} takes {len(order)} arguments, {len(node.args)} were given")
    pairs: list[tuple[str | None, ast.expr]] = [*zip(order, node.args, strict=False)]
    pairs += [(keyword.arg, keyword.value) for keyword in node.keywords]
    for key, value_node in pairs:
        if key is None:
            return WrittenCall(name, {}, f"{name}(**...) cannot be read: write each argument out")
        if key in arguments:
            return WrittenCall(name, {}, f"{name} was given '{key}' twice")
        try:
            arguments[key] = _to_json(ast.literal_eval(value_node))
        except (ValueError, TypeError, RecursionError):
            return WrittenCall(name, {}, f"the value of '{key}' is not a Python literal: {ast.unparse(value_node)!r}")
    return WrittenCall(name, arguments)


def _to_json(value: object) -> Any:
    """A Python literal as JSON: tuples and sets become lists. Raises TypeError for bytes, complex and the like."""
    if isinstance(value, list | tuple | set):
        return [_to_json(item) for item in value]
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise TypeError("JSON has string keys only")
        return {key: _to_json(item) for key, item in value.items()}
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise TypeError(f"JSON has no {type(value).__name__}")


def _properties(tool: ToolSpec) -> dict[str, Any]:
    properties = tool["function"]["parameters"].get("properties")
    return properties if isinstance(properties, dict) else {}


def _answer(
    sent: list[WrittenCall], results: list[ChatMessage], refused: list[WrittenCall], tools: list[ToolSpec]
) -> str:
    lines: list[str] = []
    if results:
        lines.append(_MADE)
        for call, result in zip(sent, results, strict=False):
            lines.append(f"\n{call.name}:\n{result['content']}")
    elif refused:
        lines.append(_NONE_MADE)
    else:
        lines.append("This is not a model: no language model is configured, and the prompt holds no tool call to run.")
        lines.append('Write a call such as tool_name(arg="value", other=3) in the prompt. Tools:')
        lines += [f"- {_signature(tool)}" for tool in tools]
    lines += [f"\nNot run: {call.problem}." for call in refused]
    lines.append(f"\n{_ADVICE}")
    return "\n".join(lines)


def _signature(tool: ToolSpec) -> str:
    function = tool["function"]
    required = function["parameters"].get("required", [])
    shown = [name if name in required else f"{name}=..." for name in _properties(tool)]
    summary = str(function.get("description", "")).strip().partition("\n")[0]
    return f"{function['name']}({', '.join(shown)})" + (f": {summary}" if summary else "")
