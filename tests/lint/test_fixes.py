"""Every fix, on files in real shapes: what it mends is gone, nothing breaks, and the tools stay what they are."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from adal_ls.lint import Finding, Severity, StaticTool, check, read
from tests.lint.corpus import ToolsFile, corpus
from tests.lint.marks import fixed

FILES = list(corpus(80))

CHANGES_SCHEMA = {"ADAL303", "ADAL401", "ADAL403", "ADAL404"}
"""Fixes that tell the model more: a type, a description."""
CHANGES_TOOLS = {"ADAL105", "ADAL205", "ADAL212", "ADAL601"}
"""Fixes that say in their title that they add a tool, name it, or let it ask."""


def codes(text: str) -> Counter[str]:
    return Counter(finding.code for finding in check(read(text)))


def shown(tools: tuple[StaticTool, ...]) -> list[Any]:
    return [(tool.name, tool.description, tool.parameters, tool.require_approval) for tool in tools]


def fixable(text: str) -> list[Finding]:
    return [finding for finding in check(read(text)) if finding.fixes]


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.number))
def test_a_fix_mends_its_finding_and_nothing_else_changes(file: ToolsFile) -> None:
    before = codes(file.text)
    for finding in fixable(file.text):
        for fix in finding.fixes:
            mended = fixed(file.text, fix)
            after = read(mended)
            assert after.syntax == (), fix.title
            now = codes(mended)
            assert now[finding.code] < before[finding.code] or finding.code == "ADAL303", fix.title
            assert set(now) - set(before) <= {"ADAL307"}, fix.title
            assert ("\r\n" in mended) == ("\r\n" in file.text)
            if finding.code not in CHANGES_TOOLS | CHANGES_SCHEMA:
                assert shown(after.tools) == shown(read(file.text).tools), fix.title


@pytest.mark.parametrize("file", FILES[:30], ids=lambda file: str(file.number))
def test_fixes_that_need_no_choice_come_to_an_end(file: ToolsFile) -> None:
    text = file.text
    for _ in range(50):
        preferred = [fix for finding in fixable(text) for fix in finding.fixes if fix.preferred]
        if not preferred:
            return
        text = fixed(text, preferred[0])
    raise AssertionError("fixes keep bringing new ones")


@pytest.mark.parametrize("file", FILES[:40], ids=lambda file: str(file.number))
def test_a_damaged_file_is_read_without_fail(file: ToolsFile) -> None:
    rng = random.Random(file.number)
    for _ in range(12):
        start = rng.randrange(len(file.text))
        inserted = rng.choice(["", "(", '"""', "'", "\n", "def ", "@", "# adal: ignore[", "\\", "*", "🎫", "\t"])
        damaged = file.text[:start] + inserted + file.text[start + rng.randrange(30) :]
        for finding in check(read(damaged)):
            assert finding.range.start <= finding.range.end
            assert finding.severity in Severity
