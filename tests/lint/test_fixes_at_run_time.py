"""What the real worker loads before a fix and after it: the tools stay what they are, but for what the fix says."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Any

import pytest

from adal_ls.lint import RULES, Finding, Fix, Rule, check, read
from adal_ls.lint.fixes.fixing import fix_all
from adal_ls.worker.client import LoadedProject, WorkerClient
from tests.lint.marks import F, G, fixed
from tests.lint.shapes import BRANCHES, COMPUTED, HEAD, WRITTEN, Shape
from tests.lint.test_fixes import CHANGES_SCHEMA, CHANGES_TOOLS
from tests.lint.test_shapes import at_run_time

FIXABLE = [rule for code, rule in sorted(RULES.items()) if rule.fix and rule.failing]

TEXTS = {
    "ADAL103": f'{F}{G}CUSTOM_TOOLS = [f, {{"function": g, "name": "f"}}]\n',
    "ADAL204": f'{F}CUSTOM_TOOLS = [{{"func": f, "require_approval": False}}]\n',
    "ADAL207": f"{F.replace('def f', 'def look_up')}{G}CUSTOM_TOOLS = [lookup, g]\n",
    "ADAL303": 'def f(x=3) -> str:\n    """Do f."""\n    return str(x)\n\n\nCUSTOM_TOOLS = [f]\n',
    "ADAL403": 'def f(text: str) -> str:\n    """Do f.\n\n    Args:\n        txet: What.\n    """\n'
    "    return text\n\n\nCUSTOM_TOOLS = [f]\n",
    "ADAL602": 'import asyncio\nimport time\n\n\nasync def f(x: int) -> int:\n    """Do f."""\n    time.sleep(x)\n'
    "    return x\n\n\nCUSTOM_TOOLS = [f]\n",
}
"""Where the failing example of a rule is one that only a person can mend."""

RENAMES = {"ADAL101", "ADAL102", "ADAL103", "ADAL104", "ADAL105", "ADAL106", "ADAL107"}


async def load(root: Path, text: str) -> LoadedProject:
    (root / ".adal").mkdir(parents=True, exist_ok=True)
    (root / ".adal" / "tools.py").write_text(text, encoding="utf-8", newline="")
    worker = await WorkerClient.start(sys.executable, root)
    try:
        return await worker.load()
    finally:
        await worker.close()


def told(project: LoadedProject) -> dict[str, Any]:
    return {tool.name: dataclasses.astuple(tool)[:4] for tool in project.tools}


def text_of(rule: Rule[Any]) -> str:
    return TEXTS.get(rule.code, rule.failing)


def fixes(rule: Rule[Any]) -> list[tuple[Finding, Fix]]:
    found = [finding for finding in check(read(text_of(rule))) if finding.code == rule.code]
    return [(finding, fix) for finding in found for fix in finding.fixes]


@pytest.mark.parametrize("rule", FIXABLE, ids=lambda rule: rule.code)
async def test_a_fix_of_an_example_changes_what_it_says_and_nothing_else(rule: Rule[Any], tmp_path: Path) -> None:
    before = await load(tmp_path / "before", text_of(rule))
    assert fixes(rule), "a rule with a fix has one for its example"
    for number, (_, fix) in enumerate(fixes(rule)):
        mended = fixed(text_of(rule), fix)
        after = await load(tmp_path / str(number), mended)
        if before.error is None:
            assert after.error is None, fix.title
        was, now = told(before), told(after)
        if "without asking" not in fix.title:
            assert not [name for name, one in now.items() if was.get(name, one)[3] and not one[3]], fix.title
        else:
            was, now = ({name: one[:3] for name, one in tools.items()} for tools in (was, now))
        assert len(now) >= len(was), fix.title
        if rule.code in RENAMES:
            assert all(one[1:] in [other[1:] for other in now.values()] for one in was.values()), fix.title
        elif rule.code not in CHANGES_SCHEMA | CHANGES_TOOLS:
            assert {name: now.get(name) for name in was} == was, fix.title


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("indent", ["    ", "\t", "  "])
@pytest.mark.parametrize("rule", FIXABLE, ids=lambda rule: rule.code)
def test_line_ends_indentation_and_quotes_are_those_of_the_file(rule: Rule[Any], end: str, indent: str) -> None:
    def dressed(text: str) -> str:
        return text.replace("    ", indent).replace("\n", end)

    text = dressed(text_of(rule))
    for finding in check(read(text)):
        for fix in finding.fixes:
            mended = fixed(text, fix)
            assert mended.replace("\r\n", "").count("\n") == (mended.count("\n") if end == "\n" else 0), fix.title
            assert "\r\n" not in mended if end == "\n" else True
            if indent == "\t":
                assert not any(line.startswith(" ") for line in mended.splitlines()), fix.title
            assert read(mended).syntax == () or read(text).syntax != (), fix.title


@pytest.mark.parametrize(
    "shape", {**WRITTEN, **BRANCHES, **COMPUTED}.values(), ids={**WRITTEN, **BRANCHES, **COMPUTED}.keys()
)
def test_all_fixes_of_a_list_at_once_keep_what_it_gives(shape: Shape) -> None:
    mended, applied = fix_all(shape.source)
    before, after = at_run_time(shape), at_run_time(Shape(mended.removeprefix(HEAD)[:-1]))
    assert mended.startswith(HEAD)
    if any(done.code in RENAMES for done in applied):
        before, after = ([("", *tool[1:]) for tool in tools] for tools in (before, after))
    assert all(tool in after for tool in before)
    assert applied or before == after
    assert fix_all(mended) == (mended, ())
