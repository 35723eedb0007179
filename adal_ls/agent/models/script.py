"""`script:FILE.yaml`: replays written model turns, for tests and demonstrations.

The file is a list of turns, or a mapping with the one key `turns`. A turn is a mapping with

- `text`: what the model says (optional);
- `calls`: a list of `{name, arguments, id?}` (optional). `arguments` is an object, or a string that is sent as it
  stands, so that broken JSON can be replayed; left out it is `{}`;
- `finish`: the finish reason; left out it is `tool_calls` with calls and `stop` without.

Each request takes the next turn. A request after the last turn is an error: the script and the run disagree.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from adal_ls.agent.models.stream import CallDelta, ChatMessage, Delta, FinishDelta, ModelError, TextDelta, ToolSpec

PREFIX = "script:"


@dataclass(frozen=True, slots=True)
class ScriptedCall:
    name: str
    arguments: str
    id: str | None


@dataclass(frozen=True, slots=True)
class Turn:
    text: str
    calls: tuple[ScriptedCall, ...]
    finish: str


class ScriptModel:
    """Replays the turns of one file, one a request. An instance belongs to one run.

    A conversation that goes on after its process ended goes on behind the answers that it has.
    """

    any_name = True
    context_tokens = None

    def __init__(self, path: Path) -> None:
        """Reads the file.

        Raises:
            ModelError: code `script`, with the place in the file.
        """
        self.name = f"{PREFIX}{path}"
        self._path = path
        self._turns = read_script(path)
        self._next = 0

    async def stream(self, messages: list[ChatMessage], tools: list[ToolSpec]) -> AsyncGenerator[Delta, None]:  # noqa: ARG002
        self._next = max(self._next, sum(message["role"] == "assistant" for message in messages))
        if self._next >= len(self._turns):
            raise ModelError(
                "script", f"{self._path}: the run asked for turn {self._next + 1}, the script has {len(self._turns)}"
            )
        turn = self._turns[self._next]
        self._next += 1
        if turn.text:
            yield TextDelta(turn.text)
        for index, call in enumerate(turn.calls):
            yield CallDelta(index=index, id=call.id, name=call.name, arguments=call.arguments)
        yield FinishDelta(turn.finish)


def read_script(path: Path) -> list[Turn]:
    """The turns of a script file.

    Raises:
        ModelError: code `script`: the file cannot be read, is not YAML, or a turn has the wrong shape.
    """
    try:
        text = path.read_text(encoding="utf-8")
        # An alias can stand for itself, and a few lines of them for gigabytes.
        alias = next((event for event in yaml.parse(text, yaml.SafeLoader) if isinstance(event, yaml.AliasEvent)), None)
        if alias is not None:
            raise _fault(path, alias, "a script has no aliases (*name): write the value out")
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except OSError as fault:
        raise ModelError("script", f"{path}: cannot read the script: {fault.strerror or fault}") from None
    except UnicodeDecodeError as fault:
        raise ModelError("script", f"{path}: cannot read the script: {fault}") from None
    except yaml.YAMLError as fault:
        raise _not_yaml(path, fault) from None
    except RecursionError:
        raise ModelError("script", f"{path}: nested too deep") from None
    if isinstance(root, yaml.MappingNode):
        _no_other_keys(path, root, {"turns"})
        root = {key.value: value for key, value in root.value}.get("turns")
    if not isinstance(root, yaml.SequenceNode):
        raise _fault(path, root, "a script is a list of turns, or a mapping with the key 'turns'")
    return [_read_turn(path, node) for node in root.value]


def _read_turn(path: Path, node: yaml.Node) -> Turn:
    turn = _mapping(path, node, {"text", "calls", "finish"}, "a turn is a mapping with text, calls or finish")
    if not turn:
        raise _fault(path, node, "a turn needs text or calls")
    text = _string(path, turn.get("text"), "text", "")
    calls_node = turn.get("calls")
    if calls_node is not None and not isinstance(calls_node, yaml.SequenceNode):
        raise _fault(path, calls_node, "'calls' is a list of {name, arguments, id}")
    calls = tuple(_read_call(path, call) for call in (calls_node.value if calls_node else ()))
    return Turn(text, calls, _string(path, turn.get("finish"), "finish", "tool_calls" if calls else "stop"))


def _read_call(path: Path, node: yaml.Node) -> ScriptedCall:
    call = _mapping(path, node, {"name", "arguments", "id"}, "a call is a mapping with name, arguments and id")
    if "name" not in call:
        raise _fault(path, node, "a call needs a 'name'")
    given = call.get("arguments")
    if given is None:
        arguments = "{}"
    elif isinstance(given, yaml.MappingNode):
        try:
            arguments = json.dumps(_value(given), ensure_ascii=False)
        except (TypeError, ValueError, RecursionError, yaml.YAMLError) as fault:
            raise _fault(path, given, f"'arguments' is not JSON: {fault}") from None
    else:
        arguments = _string(path, given, "arguments", "")
    return ScriptedCall(
        _string(path, call["name"], "name", ""), arguments, _string(path, call.get("id"), "id", "") or None
    )


def _mapping(path: Path, node: yaml.Node, keys: set[str], what: str) -> dict[str, yaml.Node]:
    if not isinstance(node, yaml.MappingNode):
        raise _fault(path, node, what)
    _no_other_keys(path, node, keys)
    return {key.value: value for key, value in node.value}


def _no_other_keys(path: Path, node: yaml.MappingNode, keys: set[str]) -> None:
    for key, _ in node.value:
        name = key.value if isinstance(key, yaml.ScalarNode) else "that is no text"
        if name not in keys:
            raise _fault(path, key, f"unknown key '{name}'; known: {', '.join(sorted(keys))}")


def _string(path: Path, node: yaml.Node | None, key: str, default: str) -> str:
    if node is None:
        return default
    value = _value(node)
    if not isinstance(value, str):
        raise _fault(path, node, f"'{key}' must be a string")
    return value


def _value(node: yaml.Node) -> Any:
    constructor = yaml.constructor.SafeConstructor()
    return constructor.construct_document(node)


def _not_yaml(path: Path, fault: yaml.YAMLError) -> ModelError:
    """In one line: PyYAML's own text takes five."""
    if not isinstance(fault, yaml.MarkedYAMLError) or fault.problem_mark is None:
        return ModelError("script", f"{path}: not YAML: {' '.join(str(fault).split())}")
    place = f"{fault.problem_mark.line + 1}:{fault.problem_mark.column + 1}"
    said = ", ".join(part for part in (fault.context, fault.problem) if part)
    return ModelError("script", f"{path}:{place}: not YAML: {said}")


def _fault(path: Path, node: yaml.Node | yaml.Event | None, what: str) -> ModelError:
    mark = None if node is None else node.start_mark
    place = "" if mark is None else f":{mark.line + 1}:{mark.column + 1}"
    return ModelError("script", f"{path}{place}: {what}")
