"""Whatever is edited, lint says what it says of the same text read anew."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from adal_ls.lint import Severity, ToolFile, check, read
from adal_ls.lint.session import open_text
from tests.lint.corpus import corpus
from tests.lint.edits import random_edits, split_lines
from tests.lint.test_real_shapes import FILES

EDITS = int(os.environ.get("ADAL_EDITS", "3000"))
"""How many random edits to try, over all seeds."""

pytestmark = pytest.mark.timeout(max(120, EDITS // 10))

SEEDS = 10
IN_A_ROW = 12


def texts() -> list[str]:
    return [*(text for text, _ in FILES.values()), *(file.text for file in corpus(20))]


def what_was_read(file: ToolFile) -> object:
    names = {name: [*map(repr, found)] for name, found in file.bindings.definitions.items()}
    return file.text, file.tool_list, file.syntax, file.unreadable, file.bindings.open, file.bindings.unreadable, names


@pytest.mark.parametrize("seed", range(SEEDS))
def test_findings_after_any_edits_are_those_of_a_fresh_read(seed: int) -> None:
    rng = random.Random(seed)
    sources = texts()
    for _ in range(max(EDITS // SEEDS // IN_A_ROW, 1)):
        text = rng.choice(sources)
        linted = open_text(text)
        done = []
        for first, last, new in random_edits(text, rng, IN_A_ROW):
            done.append((first, last, new))
            lines = split_lines(text)
            text = "".join([*lines[:first], new, *lines[last + 1 :]])
            linted.replace(first, last, new)
            fresh = read(text)
            assert linted.text == text
            assert linted.findings() == check(fresh), done
            if rng.random() < 0.2:
                assert what_was_read(linted.reader()()) == what_was_read(fresh), done


def test_the_example_can_be_typed_with_one_syntax_mark_at_most_at_any_time() -> None:
    example = Path(__file__).parents[2] / "examples" / "workspace" / ".adal" / "tools.py"
    text = example.read_text(encoding="utf-8")
    edited = open_text("")
    line, begun = 0, ""
    for end, character in enumerate(text, 1):
        begun += character
        edited.replace(line, line, begun)
        marks = [finding for finding in edited.findings() if finding.code == "ADAL001"]
        assert len(marks) <= 1, text[:end]
        if character == "\n":
            line, begun = line + 1, ""
            assert list(edited.findings()) == check(read(text[:end]))
    assert [finding for finding in edited.findings() if finding.severity is Severity.ERROR] == []
