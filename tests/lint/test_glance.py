"""What a glance at a text tells is what its reading tells, only sooner."""

from __future__ import annotations

import random

import pytest

from adal_ls.lint import Finding, check, read
from adal_ls.lint.glance import glance
from benchmarks.lint.files import tools_file
from tests.lint.edits import random_edits, split_lines
from tests.lint.test_blocks import FUNCTIONS, LISTS
from tests.lint.test_session import EDITS, texts

NAMES = frozenset({"ADAL101", "ADAL102", "ADAL103", "ADAL104"})


def places(findings: list[Finding]) -> set[tuple[object, ...]]:
    return {(finding.code, finding.range) for finding in findings if finding.code in NAMES}


def test_the_wrong_names_of_a_long_file_are_told() -> None:
    text = tools_file(60)
    glanced = glance(text)
    assert glanced is not None
    assert [finding.code for finding in glanced] == ["ADAL103", "ADAL102", "ADAL104"]
    assert glanced == [finding for finding in check(read(text)) if finding.code in NAMES]


@pytest.mark.parametrize(
    ("functions", "tools", "codes"),
    [
        ("fg", "    f,\n    g,\n", []),
        ("fg", "    f,\n    f,\n", ["ADAL103"]),
        ("fg", '    f,\n    {\n        "function": g,\n        "name": "f",\n    },\n', ["ADAL103"]),
        ("fg", '    {"function": f, "name": "two words"},\n    g,\n', ["ADAL101"]),
        ("f", '    {"function": f, "name": "import"}, f,\n', ["ADAL102"]),
        (["bash", "g"], "    bash,\n    g,\n", ["ADAL104"]),
    ],
)
def test_what_is_certain_is_told(functions: list[str], tools: str, codes: list[str]) -> None:
    made = "".join(f'def {name}(x: str) -> str:\n    """Do it."""\n    return x\n\n\n' for name in functions)
    text = f"{made}CUSTOM_TOOLS = [\n{tools}]\n"
    glanced = glance(text)
    assert glanced is not None
    assert [finding.code for finding in glanced] == codes
    assert places(glanced) == places(check(read(text)))


@pytest.mark.parametrize(
    "text",
    [
        f"{FUNCTIONS}CUSTOM_TOOLS = [\n    f,\n    f,\n]\nCUSTOM_TOOLS.append(g)\n",
        f'"""\n{FUNCTIONS}CUSTOM_TOOLS = [\n    f,\n    f,\n]\n',
        f"{FUNCTIONS}f.__name__ = 'k'\nCUSTOM_TOOLS = [\n    f,\n    f,\n]\n",
        f"{FUNCTIONS}CUSTOM_TOOLS = [\n    f,\n    f\n",
        f"{FUNCTIONS}CUSTOM_TOOLS = make([\n    f,\n    f,\n])\n",
    ],
)
def test_where_a_glance_is_not_enough_nothing_is_told(text: str) -> None:
    assert glance(text) is None


def test_a_name_that_may_stand_for_another_function_is_left_alone() -> None:
    for rest in ("f = partial(f, 1)\n", "if x:\n    def f(): ...\n", "@rename\ndef z(): ...\n", "from m import f\n"):
        text = f"{FUNCTIONS}{rest}CUSTOM_TOOLS = [\n    f,\n    f,\n]\n"
        assert places(glance(text) or []) <= places(check(read(text)))


@pytest.mark.timeout(max(120, EDITS // 10))
@pytest.mark.parametrize("seed", range(6))
def test_a_glance_tells_nothing_that_a_reading_does_not(seed: int) -> None:
    rng = random.Random(seed)
    sources = [FUNCTIONS + tools for tools in LISTS.values()] + [tools_file(6)] * 20 + texts()[::4]
    told = 0
    for _ in range(max(EDITS // 60, 1)):
        text = rng.choice(sources)
        for first, last, new in random_edits(text, rng, 5):
            lines = split_lines(text)
            text = "".join([*lines[:first], new, *lines[last + 1 :]])
            glanced = glance(text)
            if glanced:
                told += 1
                assert places(glanced) <= places(check(read(text))), text
    assert told > 0
