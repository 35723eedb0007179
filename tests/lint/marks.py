"""Sources with the expected findings drawn below the lines they are on.

    CUSTOM_TOOLS = [{"function": f, "name": "create-ticket"}]
    #                                       ^^^^^^^^^^^^^^^ ADAL101

A mark line starts with `#` and has carets; it is taken out of the source. Columns are those of the line above.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from adal_ls import lint

_MARK = re.compile(r"\s*#\s*(\^+) (ADAL\d{3})\s*")

F = 'def f(x: str) -> str:\n    """Do f."""\n    return x\n\n\n'
G = F.replace("f(", "g(").replace("Do f", "Do g")


def check(source: str, config: lint.Config | None = None) -> list[lint.Finding]:
    """Check a source with marks: the findings must be exactly those that are marked. Returns them."""
    text, expected = _unmark(source)
    findings = lint.check(lint.read(text), config or lint.Config())
    assert [_drawn(finding) for finding in findings] == sorted(expected)
    return findings


def check_agents(source: str, config: lint.Config | None = None) -> list[lint.Finding]:
    """As `check`, of an agents file."""
    text, expected = _unmark(source)
    findings = lint.check_agents(text, config or lint.Config())
    assert [_drawn(finding) for finding in findings] == sorted(expected)
    return findings


def codes(source: str) -> list[str]:
    """The codes of all findings of a source without marks."""
    return [finding.code for finding in lint.check(lint.read(source))]


def only(source: str, code: str) -> lint.Finding:
    """The one finding of a code."""
    [finding] = [finding for finding in lint.check(lint.read(source)) if finding.code == code]
    return finding


def marked(source: str, finding: lint.Finding) -> str:
    """The text that a finding is on."""
    return lint.Lines(source).slice(finding.range)


def fixed(source: str, fix: lint.Fix) -> str:
    """The source after a fix."""
    lines = lint.Lines(source)
    edits: Sequence[lint.TextEdit] = sorted(fix.edits, key=lambda edit: edit.range, reverse=True)
    for edit in edits:
        source = source[: lines.offset(edit.range.start)] + edit.new_text + source[lines.offset(edit.range.end) :]
    return source


def _unmark(source: str) -> tuple[str, list[tuple[int, int, int, str]]]:
    kept: list[str] = []
    expected = []
    for line in source.splitlines(keepends=True):
        match = _MARK.fullmatch(line)
        if match:
            expected.append((len(kept) - 1, match.start(1), match.end(1), match[2]))
        else:
            kept.append(line)
    return "".join(kept), expected


def _drawn(finding: lint.Finding) -> tuple[int, int, int, str]:
    (line, start), (last, end) = finding.range
    assert line == last, "marks can show findings on one line only"
    return (line, start, end, finding.code)
