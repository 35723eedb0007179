"""Files that make CUSTOM_TOOLS by many steps, from a fixed seed: what lint reads is what runs, no error is false."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from adal_ls.lint import Severity, check, read
from adal_ls.lint.session import open_text
from adal_ls.worker.client import WorkerClient
from tests.lint.shapes import Shape
from tests.lint.test_shapes import as_read, at_run_time

SIZE = 240
EXAMPLE = Path(__file__).parents[2] / "examples" / "workspace" / ".adal" / "tools.py"
NAMES = ("CUSTOM_TOOLS", "A", "B")


def entry(rng: random.Random) -> str:
    name = f"t{rng.randrange(1000)}"
    return rng.choice(
        [
            "f",
            "g",
            "h",
            f'{{"function": f, "name": "{name}"}}',
            f'{{"function": g, "name": "{name}", **SAFE}}',
            f'dict(function=h, name="{name}")',
            f'entry(f, "{name}")',
            f'{{"function": partial(g, y=1), "name": "{name}"}}',
        ]
    )


def display(rng: random.Random, depth: int = 0) -> str:
    parts = [entry(rng) for _ in range(rng.randint(0, 3))]
    if depth < 2 and rng.random() < 0.4:
        parts.insert(rng.randint(0, len(parts)), f"*{sequence(rng, depth + 1)}")
    return f"[{', '.join(parts)}]"


def sequence(rng: random.Random, depth: int = 0) -> str:
    shape = rng.random()
    if shape < 0.5 or depth > 2:
        return rng.choice([display(rng, 2), rng.choice(NAMES)])
    if shape < 0.6:
        return f"({sequence(rng, depth + 1)} + {sequence(rng, depth + 1)})"
    if shape < 0.7:
        return f"[t for t in {sequence(rng, depth + 1)}]"
    if shape < 0.75:
        return f"[t for group in [{sequence(rng, depth + 1)}, {display(rng, 2)}] for t in group]"
    if shape < 0.85:
        return f"list({sequence(rng, depth + 1)})"
    if shape < 0.9:
        return f"{rng.choice(NAMES)}[:]"
    return display(rng, depth)


def statement(rng: random.Random) -> str:
    name = rng.choice(NAMES)
    return rng.choice(
        [
            f"{name} = {sequence(rng)}",
            f"{name} += {sequence(rng)}",
            f"{name} = {name} + {sequence(rng)}",
            f"{name}.append({entry(rng)})",
            f"{name}.extend({sequence(rng)})",
            f"{name}.insert({rng.randint(-2, 3)}, {entry(rng)})",
            f"{name}.reverse()",
            f"{name}[:] = {sequence(rng)}",
            f"for t in {display(rng, 2)}:\n    {name}.append(t)",
            f"for t in {display(rng, 2)}:\n    {name} += [t]",
            f"if TYPE_CHECKING:\n    {name} = []\nelse:\n    {name}.append({entry(rng)})",
            f"{name} = {rng.choice(NAMES)}",
        ]
    )


def made(number: int) -> Shape:
    rng = random.Random(number)
    head = (
        'SAFE = {"require_approval": False}\n\n\ndef entry(fn, name):\n    return {"function": fn, "name": name}\n\n\n'
        "CUSTOM_TOOLS = []\nA = [f]\nB = [g, h]\n"
    )
    return Shape(head + "\n".join(statement(rng) for _ in range(rng.randint(1, 8))))


@pytest.mark.parametrize("number", [*range(SIZE), 2985])
def test_a_list_of_many_steps_is_read_as_it_runs(number: int) -> None:
    shape = made(number)
    tools, findings = as_read(shape.source)
    assert [finding.code for finding in findings if finding.code == "ADAL209"] == [], shape.text
    assert tools == at_run_time(shape), shape.text
    assert {f.code for f in findings if f.severity is Severity.ERROR} <= {"ADAL103"}, shape.text


@pytest.mark.parametrize("number", range(0, SIZE, 60))
async def test_the_worker_itself_has_those_tools(number: int, tmp_path: Path) -> None:
    shape = made(number)
    folder = tmp_path / ".adal"
    folder.mkdir()
    (folder / "tools.py").write_text(shape.source, encoding="utf-8")
    worker = await WorkerClient.start(sys.executable, tmp_path)
    try:
        loaded = await worker.load()
    finally:
        await worker.close()
    assert loaded.error is None
    assert [tool.name for tool in loaded.tools] == [name for name, *_ in as_read(shape.source)[0]]


def test_a_file_shows_one_syntax_mark_at_most_while_it_is_typed() -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    linted, line, begun = open_text(""), 0, ""
    for number, letter in enumerate(text):
        begun += letter
        linted.replace(line, line, begun)
        found = linted.findings()
        assert [finding.code for finding in found].count("ADAL001") <= 1, linted.text
        if number % 100 == 0:
            assert found == check(read(linted.text))
        if letter == "\n":
            line, begun = line + 1, ""
    assert linted.text == text
