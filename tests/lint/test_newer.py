"""Syntax of newer Pythons: read all the same, said to be newer, and never mistaken for a slip, nor a slip for it."""

from __future__ import annotations

import random

import pytest

from adal_ls.lint import Config, Severity, check, read
from adal_ls.lint.judging import for_version
from adal_ls.lint.reading.newer import as_older
from adal_ls.lint.session import open_text
from adal_ls.workspace.interpreter import ask
from tests import pythons

OLD = (3, 10)

TOOLS = '''\
type Name = str


def first[T](items: list[T]) -> T:
    """Give the first one.

    Args:
        items: Them.
    """
    return items[0]


def label(data: dict[str, str], by: Name = "a") -> str:
    """Label.

    Args:
        data: What.
        by: How.
    """
    return f"{data["a"]}"


CUSTOM_TOOLS = [first, label]
'''

NEWER = [
    ("type Name = str\n", (3, 12)),
    ("type Pair[T] = tuple[T, T]\n", (3, 12)),
    ("if True:\n    type Name = str\n", (3, 12)),
    ("def f[T](x: T) -> T: return x\n", (3, 12)),
    ("async def f[T: (int, str), *Ts, **P](x: T): ...\n", (3, 12)),
    ("class A[T](list): x = 1\n", (3, 12)),
    ("def f[T = int](x: T): ...\n", (3, 13)),
    ('x = f"{d["a"]}"\n', (3, 12)),
    ("x = f'{d['it']!r:>{w}}'\n", (3, 12)),
    ('x = f"{"\\n".join(a)}"\n', (3, 12)),
    ('x = f"{f"{f"{1}"}"}"\n', (3, 12)),
    ('x = f"""{\n    d["a"]  # why\n}"""\n', (3, 12)),
    ('x = f"{\n    a\n}"\n', (3, 12)),
    ('x = f"{{{d["a"]}}}" "b" rf"{d["c"]}\\d"\n', (3, 12)),
    ('# don\'t\nx = f"{d["a"]}"  # f"{\n', (3, 12)),
    ('x = f"{x["it\'s"]}"\n', (3, 12)),
    ('x = t"{a}"\n', (3, 14)),
    ("try: pass\nexcept A, B.c: pass\n", (3, 14)),
]
STAYING = [
    "def f(x: str -> str: ...\n",
    "def f[T](x: str -> str: ...\n",
    "def f[](x): ...\n",
    "def f[T(x): ...\n",
    "def f[T int](x): ...\n",
    "type = str\n",
    "type Name str\n",
    "x = type Name\n",
    'x = f"{d["a"}"\n',
    'x = f"{a b}"\n',
    'x = f"{}{d["a"]}"\n',
    'x = f"{lambda x: d["a"]}"\n',
    'x = f"{d["a"]\n',
    'x = f"{a["b"]:"}"\n',
    "except A, B: pass\n",
    "x = f(\n",
    'x = """\ndef f[T](x): ...\n',
    "x = f" + '"{f' * 400 + "\n",
]


@pytest.mark.parametrize(("source", "version"), NEWER)
def test_what_is_newer_is_written_for_an_older_python_in_as_many_characters(
    source: str, version: tuple[int, int]
) -> None:
    older = as_older(source, OLD)
    if version <= pythons.OWN:  # what our own Python reads is not written anew, unless it can be told apart without
        assert "ADAL001" not in [finding.code for finding in check(read(source))]
        return
    assert older is not None
    assert len(older.text) == len(source)
    assert older.text.count("\n") == source.count("\n")
    assert max(one.version for one in older.newer) == version
    compile(older.text, "t", "exec")
    assert as_older(source, (3, 99)) is None


@pytest.mark.parametrize("source", STAYING)
def test_a_slip_stays_a_slip(source: str) -> None:
    older = as_older(source, OLD)
    assert older is None
    assert "ADAL001" in [finding.code for finding in check(read(source))] or source == "type = str\n"


@pytest.mark.parametrize("python", sorted(version for version in pythons.found() if version >= (3, 12)))
def test_what_is_taken_for_newer_syntax_is_code_for_a_python_that_has_it(python: tuple[int, int]) -> None:
    chosen = random.Random(12)
    pieces = [*"\"'{}[]:#a\\\n", 'f"', 'd["a"]', "!r", "def f[T](x): ...\n", "type X="]
    sources = [source for source, version in NEWER if version <= python]
    for _ in range(3000):
        source = chosen.choice(sources)
        at, length = chosen.randrange(len(source)), chosen.choice([0, 0, 1, 2])
        sources.append(source[:at] + chosen.choice(pieces) + source[at + length :])
        sources = sources[-400:] if len(sources) > 3400 else sources
    taken = [(source, older) for source in sources if (older := as_older(source, OLD)) is not None]
    taken = [(source, older) for source, older in taken if max(one.version for one in older.newer) <= python]
    assert taken
    answer = ask(pythons.found()[python], [source for source, _ in taken])
    assert [source for (source, _), refusal in zip(taken, answer.refusals, strict=True) if refusal is not None] == []


def found(text: str, python: tuple[int, int] | None = None) -> list[tuple[str, int, Severity]]:
    findings = check(read(text))
    if python is not None:
        findings = for_version(findings, python)
    return [(one.code, one.range.start.line, one.severity) for one in findings]


def test_where_nobody_knows_which_python_runs_the_tools_newer_syntax_is_one_line_of_information() -> None:
    expected = [("ADAL004", 0, Severity.INFORMATION)] if pythons.OWN < (3, 12) else []
    assert found(TOOLS) == expected


def test_the_python_that_runs_the_tools_judges() -> None:
    assert found(TOOLS, (3, 13)) == []
    if pythons.OWN < (3, 12):
        assert found(TOOLS, (3, 11)) == [("ADAL001", 0, Severity.ERROR)]
        (error,) = for_version(check(read(TOOLS)), (3, 11))
        assert "3.12" in error.message
        assert "3.11 runs the tools" in error.message


def test_tools_in_newer_syntax_have_all_their_parameters() -> None:
    tools = {tool.name: tool.parameters for tool in read(TOOLS).tools}
    assert tools["first"]["properties"]["items"]["type"] == "array"
    assert tools["label"]["properties"]["by"] == {"type": "string", "default": "a", "description": "How."}


def test_newer_syntax_in_the_list_leaves_the_entry_readable() -> None:
    entry = '{\n        "function": label,\n        "name": "named",\n        "description": f"{NOTES["x"]}",\n    }'
    text = f"{TOOLS.partition('CUSTOM_TOOLS')[0]}NOTES = {{}}\nCUSTOM_TOOLS = [\n    first,\n    {entry},\n]\n"
    assert [tool.name for tool in read(text).tools] == ["first", "named"]
    assert "ADAL001" not in [code for code, _, _ in found(text)]
    assert ("ADAL001", 20, Severity.ERROR) not in found(text, (3, 13))


def test_every_beginning_has_one_slip_at_most() -> None:
    for end in range(len(TOOLS)):
        codes = [code for code, _, _ in found(TOOLS[:end])]
        assert codes.count("ADAL001") <= 1, TOOLS[:end]


def test_an_edited_text_has_the_findings_of_one_that_is_read_anew() -> None:
    chosen = random.Random(4)
    lines = TOOLS.splitlines(keepends=True)
    edited = open_text(TOOLS, Config())
    for _ in range(150):
        at = chosen.randrange(len(lines))
        text = chosen.choice([lines[at][: chosen.randrange(len(lines[at]))] + "\n", chosen.choice(NEWER)[0], lines[at]])
        edited.replace(at, at, text)
        lines[at : at + 1] = text.splitlines(keepends=True)
        assert list(edited.findings()) == list(open_text("".join(lines), Config()).findings())
        if len(lines) > 60:
            lines, edited = TOOLS.splitlines(keepends=True), open_text(TOOLS, Config())
