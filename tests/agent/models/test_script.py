"""Scripted turns: what the file says is what is streamed, and a bad file is blamed at its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from adal_ls.agent.models.script import ScriptModel, read_script
from adal_ls.agent.models.stream import CallDelta, Delta, FinishDelta, ModelError, TextDelta


def script(folder: Path, text: str) -> Path:
    path = folder / "script.yaml"
    path.write_text(text, encoding="utf-8")
    return path


async def replay(model: ScriptModel) -> list[Delta]:
    return [delta async for delta in model.stream([], [])]


async def test_turns_are_replayed_one_a_request(tmp_path: Path) -> None:
    model = ScriptModel(
        script(
            tmp_path,
            """
- text: looking
  calls:
    - name: echo
      arguments: {text: a, times: 2}
      id: c1
    - {name: now}
- calls: [{name: echo, arguments: '{"text": "a"'}]
  finish: length
- text: done
""",
        )
    )
    turns = [await replay(model) for _ in range(3)]
    assert turns == [
        [
            TextDelta("looking"),
            CallDelta(0, "c1", "echo", '{"text": "a", "times": 2}'),
            CallDelta(1, None, "now", "{}"),
            FinishDelta("tool_calls"),
        ],
        [CallDelta(0, None, "echo", '{"text": "a"'), FinishDelta("length")],
        [TextDelta("done"), FinishDelta("stop")],
    ]
    with pytest.raises(ModelError, match=r"asked for turn 4, the script has 3"):
        await replay(model)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("just text", r"script\.yaml:1:1: a script is a list of turns"),
        ("- text: a\n- 3\n", r"script\.yaml:2:3: a turn is a mapping"),
        ("- txet: a\n", r"script\.yaml:1:3: unknown key 'txet'; known: calls, finish, text"),
        ("turns:\n- text: [1]\n", r"script\.yaml:2:9: 'text' must be a string"),
        ("- calls:\n  - arguments: {}\n", r"script\.yaml:2:5: a call needs a 'name'"),
        ("- calls: 3\n", r"script\.yaml:1:10: 'calls' is a list"),
        ("- calls:\n  - {name: a, arguments: {x: 2020-01-01}}\n", r"script\.yaml:2:26: 'arguments' is not JSON"),
        (
            "- text: 'a\n",
            r"^[^\n]*script\.yaml:2:1: not YAML: while scanning a quoted scalar, found unexpected end[^\n]*$",
        ),
        ("- text: a\n  b: c: d\n", r"^[^\n]*script\.yaml:2:7: not YAML: mapping values are not allowed here$"),
        ("- text: a\x07\n", r"^[^\n]*script\.yaml: not YAML: [^\n]*$"),
        ("- {}\n", r"script\.yaml:1:3: a turn needs text or calls"),
        ("- {[1]: 3}\n", r"script\.yaml:1:4: unknown key 'that is no text'"),
        ("- {? {a: b}\n  : 3}\n", r"script\.yaml:1:6: unknown key 'that is no text'"),
        ("- calls:\n  - {name: a, arguments: &a {x: *a}}\n", r"script\.yaml:2:33: a script has no aliases"),
        (f"- text: {'[' * 5000}{']' * 5000}\n", r"script\.yaml: nested too deep"),
        ("", r"script\.yaml: a script is a list of turns"),
    ],
)
def test_a_bad_script_is_blamed_at_its_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        read_script(script(tmp_path, text))


def test_a_missing_script_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"none\.yaml: cannot read the script: No such file or directory$"):
        ScriptModel(tmp_path / "none.yaml")
